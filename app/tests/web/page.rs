//! A part of the page, in a document of its own as far as possible.

use leptos::mount::{UnmountHandle, mount_to};
use leptos::prelude::*;
use leptos::tachys::view::any_view::AnyViewState;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, EventInit, HtmlElement};

/// What is mounted for one test.
pub(crate) struct Part {
    pub(crate) place: HtmlElement,
    _mounted: UnmountHandle<AnyViewState>,
}

impl Part {
    pub(crate) async fn mounted(view: impl FnOnce() -> AnyView + 'static) -> Self {
        let place: HtmlElement = document().create_element("div").expect("a valid name").unchecked_into();
        document().body().expect("a page has a body").append_child(&place).expect("it takes children");
        let mounted = mount_to(place.clone(), view);
        let part = Self { place, _mounted: mounted };
        part.settled().await;
        part
    }

    /// Waits until the views have followed the signals.
    pub(crate) async fn settled(&self) {
        leptos::task::tick().await;
    }

    pub(crate) fn find(&self, selector: &str) -> Option<Element> {
        self.place.query_selector(selector).expect("a valid selector")
    }

    #[track_caller]
    pub(crate) fn the<T: JsCast>(&self, selector: &str) -> T {
        let found = self.find(selector);
        let found = found.and_then(|element| element.dyn_into().ok());
        found.unwrap_or_else(|| panic!("no {selector} in {}", self.place.inner_html()))
    }

    #[track_caller]
    pub(crate) fn says(&self, selector: &str, text: &str) {
        let said = self.the::<Element>(selector).text_content();
        assert_eq!(said.as_deref(), Some(text), "{selector}");
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        self.place.remove();
    }
}

/// Tells of a change as the browser does after a person's.
pub(crate) fn tell(element: &Element, event: &str) {
    let bubbles = EventInit::new();
    bubbles.set_bubbles(true);
    let event = Event::new_with_event_init_dict(event, &bubbles).expect("a valid event");
    element.dispatch_event(&event).expect("it is heard");
}
