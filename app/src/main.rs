//! Mounts the chat page in place of the shell that `index.html` shows while the program loads.

use app::ChatPage;
use leptos::prelude::*;

fn main() {
    if let Some(shell) = document().get_element_by_id("shell") {
        shell.remove();
    }
    mount_to_body(ChatPage);
}
