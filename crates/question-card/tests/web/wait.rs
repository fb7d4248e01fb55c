//! Waiting for a state, frame by frame. No test sleeps: the page's clock is turned while one waits.

use crate::card_page::CardPage;
use std::cell::Cell;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::JsFuture;

const MOST_FRAMES: u32 = 600;
/// The milliseconds that pass for the page in each frame.
const FRAME: f64 = 100.0;

/// Lets the page's clock go on, and waits for the next frame.
async fn frame() {
    turn(FRAME);
    let promise = js_sys::Promise::new(&mut |resolve, _| {
        let resolve = Closure::once_into_js(move || resolve.call0(&wasm_bindgen::JsValue::NULL));
        let window = web_sys::window().expect("a browser has a window");
        window.request_animation_frame(resolve.unchecked_ref()).expect("frames come");
    });
    JsFuture::from(promise).await.expect("frames come");
}

/// Waits until the timers that are due have fired: those of one delay do it in their order. A frame would take longer than some keys have.
pub async fn due_timers() {
    let promise = js_sys::Promise::new(&mut |resolve, _| {
        let window = web_sys::window().expect("a browser has a window");
        let set = window.set_timeout_with_callback(&resolve);
        set.expect("a browser has timers");
    });
    JsFuture::from(promise).await.expect("timers fire");
}

/// Waits until this is true.
#[track_caller]
pub fn until(what: &str, is_so: impl Fn() -> bool) -> impl Future<Output = ()> {
    let what = what.to_owned();
    let caller = std::panic::Location::caller();
    async move {
        for _ in 0..MOST_FRAMES {
            if is_so() {
                return;
            }
            frame().await;
        }
        panic!("{caller}: never came about: {what}");
    }
}

/// The page's clock, by which the card accepts a tap.
pub fn now() -> f64 {
    let clock = web_sys::window().and_then(|window| window.performance());
    clock.expect("a browser has a clock").now()
}

#[wasm_bindgen(module = "/tests/web/page.js")]
extern "C" {
    /// Stops the browser's clock at this time, or lets it go again.
    fn set_date(time: Option<f64>);
    /// Lets this number of milliseconds pass at once for the page's clock and its timers.
    fn turn(by: f64);
}

/// The clock of the browser, which stands still.
pub struct Clock(Cell<u64>);

impl Clock {
    pub fn at(time: u64) -> Self {
        set_date(Some(time as f64));
        Self(Cell::new(time))
    }

    pub fn now(&self) -> u64 {
        self.0.get()
    }

    /// Lets this number of milliseconds pass for a card.
    pub async fn turn(&self, card: &CardPage, by: u64) {
        self.0.set(self.now() + by);
        set_date(Some(self.now() as f64));
        card.is_told_the_same();
        card.settled().await;
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        set_date(None);
    }
}
