//! The page of `cargo xtask bench card`: a card whose arguments arrive, and a thousand cards and receipts. Each button does one thing, so
//! that a person can look at the same with the browser's own tools.

use crate::card::GalleryHost;
use crate::state::CardState;
use crate::stream::{ExampleStream, arguments_of};
use crate::words;
use ask_user_question::AskSnapshot;
use leptos::prelude::*;
use question_card::{CardOptions, QuestionCard};
use serde_json::json;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::MessageChannel;

/// The characters of a delta, and the deltas of a chunk from the network: about four KiB.
const DELTA: usize = 8;
const CHUNK: usize = 32;
/// The number of cards or receipts.
const MANY: usize = 1_000;
/// The example that is shown many times.
const EXAMPLE: &str = "chat-service";

/// The name of a button, and the view that a press shows in place of the one before.
type Act = (&'static str, fn(MemoryWhenDone) -> AnyView);

/// All buttons.
const ACTS: [Act; 6] = [
    ("10000", |done| streamed(10_000, done).into_any()),
    ("100000", |done| streamed(100_000, done).into_any()),
    ("1000000", |done| streamed(1_000_000, done).into_any()),
    ("cards", |done| many(CardState::Awaiting, done).into_any()),
    ("receipts", |done| many(CardState::Answered, done).into_any()),
    ("nothing", |done| {
        end_when_painted(done);
        ().into_any()
    }),
];

/// The buttons, and what the last press has made.
pub(crate) fn bench() -> impl IntoView {
    let (_, nothing) = ACTS[ACTS.len() - 1];
    let act = RwSignal::new(nothing);
    let done = RwSignal::new(None);
    let button = |(name, of): Act| {
        let begin = move |_| {
            done.set(None);
            mark("begin");
            act.set(of);
        };
        view! {
            <button type="button" data-act=name on:click=begin>
                {name}
            </button>
        }
    };
    let shown = move || act.get()(done);
    view! {
        <div class="gallery-acts">{ACTS.map(button).into_iter().collect_view()}</div>
        <p role="status" data-memory=move || done.get()>{move || done.get().map(words::memory)}</p>
        {shown}
    }
}

/// The size of the program's memory in bytes, once the action is done.
type MemoryWhenDone = RwSignal<Option<u32>>;

fn many(state: CardState, done: MemoryWhenDone) -> impl IntoView {
    let card = |nth: usize| {
        let staged = crate::card::staged_as(EXAMPLE, state, &format!("{EXAMPLE}-{nth}"));
        staged.map(|staged| plain_card(GalleryHost::deaf(staged)))
    };
    end_when_painted(done);
    (0..MANY).filter_map(card).collect_view()
}

fn streamed(size: usize, done: MemoryWhenDone) -> impl IntoView {
    let id = format!("streamed-{size}");
    let host = GalleryHost::deaf(AskSnapshot::new(&id));
    let source = StoredValue::new(ChunkSource::new(&id, arguments_of(size)));
    each_in_a_task_of_its_own(move || {
        let goes_on = source.try_update_value(|source| {
            let has_more = source.take_next();
            if has_more {
                host.ask.update(|ask| ask.follow(source.stream.snapshot()));
            }
            has_more
        });
        if goes_on != Some(true) {
            end_when_painted(done);
        }
        goes_on == Some(true)
    });
    plain_card(host)
}

fn plain_card(host: GalleryHost) -> impl IntoView {
    let (on_reply_in_chat, on_late_message) = (host.on_reply_in_chat, host.on_late_message);
    let options = CardOptions::new()
        .notes()
        .on_reply_in_chat(move |picks| on_reply_in_chat.run(picks))
        .on_late_message(move |text| on_late_message.run(text));
    view! { <QuestionCard ask=host.ask on_reply=host.on_reply on_cancel=host.on_cancel options /> }
}

/// A response's body, chunk by chunk.
struct ChunkSource {
    stream: ExampleStream,
    id: String,
    arguments: String,
    at: usize,
    chunk: Vec<u8>,
    is_over: bool,
}

impl ChunkSource {
    fn new(id: &str, arguments: String) -> Self {
        Self { stream: ExampleStream::open(id), id: id.to_owned(), arguments, at: 0, chunk: Vec::new(), is_over: false }
    }

    /// Takes the next chunk. Returns false after the end of the run.
    fn take_next(&mut self) -> bool {
        if self.is_over {
            return false;
        }
        if self.at == self.arguments.len() {
            self.is_over = true;
            self.stream.end_run();
            return true;
        }
        self.chunk.clear();
        for _ in 0..CHUNK {
            let rest = &self.arguments[self.at..];
            // The arguments are made of ASCII alone.
            let delta = &rest[..rest.len().min(DELTA)];
            self.at += delta.len();
            frame(&mut self.chunk, "ARGS", &self.id, Some(delta));
            if self.at == self.arguments.len() {
                frame(&mut self.chunk, "END", &self.id, None);
                mark("last-byte");
                break;
            }
        }
        self.stream.bytes(&self.chunk);
        true
    }
}

/// Writes an event of the call as a server does.
fn frame(chunk: &mut Vec<u8>, kind: &str, id: &str, delta: Option<&str>) {
    let mut event = json!({"type": format!("TOOL_CALL_{kind}"), "toolCallId": id});
    if let Some(delta) = delta {
        event["delta"] = delta.into();
    }
    chunk.extend(format!("data: {event}\n\n").bytes());
}

/// Calls `step` until it returns false, each time in a task of its own, so that the browser can work in between.
fn each_in_a_task_of_its_own(step: impl Fn() -> bool + 'static) {
    let Ok(channel) = MessageChannel::new() else {
        return;
    };
    let (from, to) = (channel.port1(), channel.port2());
    let next = to.clone();
    // Fails only for values that cannot be cloned.
    let go_on = move || drop(next.post_message(&JsValue::NULL));
    let on_message = {
        let go_on = go_on.clone();
        Closure::<dyn Fn()>::new(move || {
            if step() {
                go_on();
            }
        })
    };
    from.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    let kept = StoredValue::new_local((from, to, on_message));
    on_cleanup(move || {
        kept.try_with_value(|(from, to, _)| {
            from.close();
            to.close();
        });
    });
    go_on();
}

/// Marks the action as done when the browser has painted the page.
fn end_when_painted(done: MemoryWhenDone) {
    request_animation_frame(move || {
        request_animation_frame(move || {
            mark("done");
            done.set(Some(memory()));
        });
    });
}

/// Adds a mark to the browser's measurements.
fn mark(name: &str) {
    if let Some(performance) = window().performance() {
        // Fails only for names that the browser reserves.
        let _ = performance.mark(name);
    }
}

/// The size of the program's memory in bytes. It never shrinks, so a leak makes it grow from one time to the next.
fn memory() -> u32 {
    let memory: js_sys::WebAssembly::Memory = wasm_bindgen::memory().unchecked_into();
    let buffer: js_sys::ArrayBuffer = memory.buffer().unchecked_into();
    buffer.byte_length()
}
