//! Starts the chat page in the frame that `index.html` has drawn.

use app::{ChatPage, shell};
use leptos::mount::mount_to;

fn main() {
    let place = shell::place();
    // It says that the page is loading.
    place.set_text_content(None);
    mount_to(place, ChatPage).forget();
}
