//! Starts the chat page in the frame that `index.html` has drawn.

use app::{ChatPage, shell};
use leptos::mount::mount_to;
use leptos::prelude::set_timeout;
use std::time::Duration;

fn main() {
    // In a task of its own: the browser has just made the program ready, and input may wait.
    set_timeout(
        || {
            let place = shell::place();
            // Its text says that the page is loading.
            place.set_text_content(None);
            mount_to(place, ChatPage).forget();
        },
        Duration::ZERO,
    );
}
