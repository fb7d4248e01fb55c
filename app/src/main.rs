//! Starts the chat page in the frame that `index.html` has drawn.

use app::{chat_page, shell};
use leptos::mount::mount_to;

/// What a page keeps is small; the standard allocator's code is four times as large.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

fn main() {
    let place = shell::place();
    // It says that the page is loading.
    place.set_text_content(None);
    mount_to(place, chat_page).forget();
}
