//! The browser's other tabs: messages between them, and locks.

use ag_ui_stream::sse::Frame;
use js_sys::{Array, Function, Object, Promise, Reflect};
use leptos::prelude::window;
use leptos::task::spawn_local;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, BroadcastChannel, MessageEvent};

#[derive(Debug)]
pub(crate) enum TabMessage {
    /// A frame of the event stream, from the tab that holds it.
    Frame(Frame),
    /// A frame that the tab which holds the event stream could not read.
    Gap,
    /// The state of the event stream, from the tab that holds it.
    Connected(bool),
    /// A new tab, which needs the frames of the current run.
    Joined,
}

impl TabMessage {
    fn write(&self) -> Array {
        let text = |text: &str| JsValue::from_str(text);
        match self {
            Self::Frame(frame) => Array::of3(&text(&frame.id), &text(&frame.event), &text(&frame.data)),
            Self::Gap => Array::of1(&JsValue::NULL),
            Self::Connected(connected) => Array::of1(&JsValue::from_bool(*connected)),
            Self::Joined => Array::new(),
        }
    }

    fn read(message: &JsValue) -> Option<Self> {
        let message: &Array = message.dyn_ref()?;
        Some(match message.length() {
            0 => Self::Joined,
            1 => message.get(0).as_bool().map_or(Self::Gap, Self::Connected),
            _ => Self::Frame(Frame {
                id: message.get(0).as_string()?,
                event: message.get(1).as_string()?,
                data: message.get(2).as_string()?,
            }),
        })
    }
}

/// The channel between the tabs of one conversation, until it is dropped. A tab does not receive its own messages.
#[derive(Debug)]
pub(crate) struct Channel {
    channel: BroadcastChannel,
    _on_message: Closure<dyn Fn(MessageEvent)>,
}

impl Channel {
    /// Opens a channel. Returns `None` if the browser has none.
    pub(crate) fn open(name: &str, on_message: impl Fn(TabMessage) + 'static) -> Option<Self> {
        let channel = BroadcastChannel::new(name).ok()?;
        let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            if let Some(message) = TabMessage::read(&event.data()) {
                on_message(message);
            }
        });
        channel.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        Some(Self { channel, _on_message: on_message })
    }

    pub(crate) fn post(&self, message: &TabMessage) {
        // It fails only on a closed channel.
        let _ = self.channel.post_message(&message.write());
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        self.channel.set_onmessage(None);
        self.channel.close();
    }
}

/// A lock that one tab holds at a time, from its grant until this is dropped.
#[derive(Debug)]
pub(crate) struct TabLock(Rc<LockRequest>);

#[derive(Debug, Default)]
struct LockRequest {
    granted: Cell<bool>,
    on_grant: RefCell<Option<Closure<dyn FnMut() -> Promise>>>,
    release: RefCell<Option<Function>>,
    withdraw: RefCell<Option<AbortController>>,
}

#[wasm_bindgen]
extern "C" {
    /// `navigator.locks`, which is still unstable in `web-sys`.
    type LockManager;
    #[wasm_bindgen(method, catch)]
    fn request(this: &LockManager, name: &str, options: &Object, callback: &Function) -> Result<Promise, JsValue>;
}

impl TabLock {
    /// Queues for a lock. `on_grant` is called when it is granted, unless it is granted at once. If the browser has no Web Locks, because
    /// the page is not in a secure context, or rejects the request, all tabs have the lock.
    pub(crate) fn request(name: &str, on_grant: Rc<dyn Fn()>) -> Self {
        let lock = Rc::new(LockRequest::default());
        let locks = Reflect::get(&window().navigator(), &"locks".into()).unwrap_or_default();
        if !locks.is_object() {
            lock.granted.set(true);
            return Self(lock);
        }
        let granted = Rc::downgrade(&lock);
        let notify = Rc::clone(&on_grant);
        let callback = Closure::<dyn FnMut() -> Promise>::new(move || {
            // A withdrawn request gets no grant.
            let Some(granted) = granted.upgrade() else {
                return Promise::resolve(&JsValue::UNDEFINED);
            };
            granted.granted.set(true);
            let held = Promise::new(&mut |release, _| {
                granted.release.replace(Some(release));
            });
            // The callback may drop the lock at once.
            notify();
            held
        });
        let options = Object::new();
        if let Ok(withdraw) = AbortController::new() {
            // Setting a member of a plain object has no way to fail.
            let _ = Reflect::set(&options, &"signal".into(), &withdraw.signal());
            lock.withdraw.replace(Some(withdraw));
        }
        let locks: LockManager = locks.unchecked_into();
        let request = locks.request(name, &options, callback.as_ref().unchecked_ref());
        lock.on_grant.replace(Some(callback));
        match request {
            Ok(over) => {
                let lock = Rc::downgrade(&lock);
                spawn_local(async move {
                    let refused = JsFuture::from(over).await.is_err();
                    // A withdrawn request is rejected as well, and has no lock left.
                    if let Some(lock) = lock.upgrade().filter(|_| refused) {
                        lock.granted.set(true);
                        on_grant();
                    }
                });
            }
            Err(_) => lock.granted.set(true),
        }
        Self(lock)
    }

    pub(crate) fn is_granted(&self) -> bool {
        self.0.granted.get()
    }
}

impl Drop for TabLock {
    fn drop(&mut self) {
        match self.0.release.take() {
            Some(release) => {
                let _ = release.call0(&JsValue::UNDEFINED);
            }
            None => {
                if let Some(withdraw) = self.0.withdraw.take() {
                    withdraw.abort();
                }
            }
        }
    }
}
