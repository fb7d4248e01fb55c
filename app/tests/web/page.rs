//! A part of the page, in a document of its own as far as possible.

use crate::browser::{next_task, query, sheet};
use app::shell;
use leptos::mount::{UnmountHandle, mount_to};
use leptos::prelude::*;
use leptos::tachys::view::any_view::AnyViewState;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, EventInit, HtmlElement};

/// A part that is mounted for one test.
pub(crate) struct Part {
    pub(crate) place: HtmlElement,
    _mounted: UnmountHandle<AnyViewState>,
}

impl Part {
    /// In the frame that `index.html` has drawn, with the language that `boot.js` has fetched.
    pub(crate) async fn mounted_in_frame(view: impl FnOnce() -> AnyView + 'static) -> Self {
        Self::mounted_in_frame_for("", view).await
    }

    /// The same, for an own agent with this profile.
    pub(crate) async fn mounted_in_frame_for(profile: &str, view: impl FnOnce() -> AnyView + 'static) -> Self {
        let page = include_str!("../../../index.html");
        let (_, body) = page.split_once("<body>").expect("a page has a body");
        let place = div();
        place.set_inner_html(body);
        let query = query();
        let language = query.split_once("lang=").map_or("", |(_, tag)| tag.get(..2).unwrap_or_default());
        let frame = place.query_selector("#shell").expect("a valid selector").expect("a page has a frame");
        frame.set_attribute("data-profile", profile).expect("a valid name");
        if let Some(sheet) = sheet(language) {
            frame.set_attribute("data-words", sheet).expect("a valid name");
        }
        Self::mounted_in(place, shell::place(), view).await
    }

    async fn mounted_in(place: HtmlElement, inner: HtmlElement, view: impl FnOnce() -> AnyView + 'static) -> Self {
        let part = Self { place, _mounted: mount_to(inner, view) };
        part.settled().await;
        part
    }

    /// Waits until the views have followed the signals.
    pub(crate) async fn settled(&self) {
        leptos::task::tick().await;
    }

    /// Waits until the page shows this text, after its fetches.
    pub(crate) async fn comes_to_say(&self, selector: &str, text: &str) {
        for _ in 0..100 {
            if self.the::<Element>(selector).text_content().as_deref() == Some(text) {
                return;
            }
            next_task().await;
        }
        self.says(selector, text);
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

    pub(crate) fn all<T: JsCast>(&self, selector: &str) -> Vec<T> {
        let found = self.place.query_selector_all(selector).expect("a valid selector");
        (0..found.length()).filter_map(|at| found.item(at)?.dyn_into().ok()).collect()
    }

    #[track_caller]
    pub(crate) fn says(&self, selector: &str, text: &str) {
        let said = self.the::<Element>(selector).text_content();
        assert_eq!(said.as_deref(), Some(text), "{selector}");
    }
}

fn div() -> HtmlElement {
    let div = document().create_element("div").expect("a valid name");
    document().body().expect("a page has a body").append_child(&div).expect("it takes children");
    div.unchecked_into()
}

impl Drop for Part {
    fn drop(&mut self) {
        self.place.remove();
    }
}

/// Dispatches the event of a change, as the browser does after a person's.
pub(crate) fn tell(element: &Element, event: &str) {
    let bubbles = EventInit::new();
    bubbles.set_bubbles(true);
    let event = Event::new_with_event_init_dict(event, &bubbles).expect("a valid event");
    element.dispatch_event(&event).expect("it is heard");
}
