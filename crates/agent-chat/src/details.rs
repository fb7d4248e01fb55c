//! The arguments and results of the agent's calls. This code is reached only through a function value, so that a page without details does not
//! link it.

use crate::entry::{CallDetails, CallResult};
use ag_ui_stream::{Message, Thread};
use leptos::prelude::*;

/// The details of all calls in the transcript.
pub(crate) trait Details {
    /// The details of a call, up to date except for its result.
    fn call(&mut self, thread: &Thread, tool_call_id: &str) -> CallDetails;

    /// Appends the growth of a call's arguments from this byte on.
    fn grow(&mut self, tool_call_id: &str, arguments: &str, from: usize);

    /// Sets the result of a call from this message.
    fn set_result(&mut self, tool_call_id: &str, message: &Message);

    /// Notifies the subscribers of grown arguments.
    fn notify(&mut self);

    /// Drops the calls that are not in the thread.
    fn forget_others(&mut self, thread: &Thread);
}

pub(crate) fn empty() -> Box<dyn Details> {
    Box::<DetailSignals>::default()
}

#[derive(Default)]
struct DetailSignals {
    /// Sorted by id.
    calls: Vec<(String, CallSignals)>,
    grown: Vec<ArcRwSignal<String>>,
}

#[derive(Clone, Default)]
struct CallSignals {
    arguments: ArcRwSignal<String>,
    result: ArcRwSignal<Option<CallResult>>,
}

impl DetailSignals {
    fn position(&self, id: &str) -> Result<usize, usize> {
        self.calls.binary_search_by(|(it, _)| it.as_str().cmp(id))
    }

    fn signals(&self, id: &str) -> Option<&CallSignals> {
        self.position(id).ok().map(|at| &self.calls[at].1)
    }
}

impl Details for DetailSignals {
    fn call(&mut self, thread: &Thread, tool_call_id: &str) -> CallDetails {
        let at = self.position(tool_call_id).unwrap_or_else(|at| {
            self.calls.insert(at, (tool_call_id.to_owned(), CallSignals::default()));
            at
        });
        let CallSignals { arguments, result } = &self.calls[at].1;
        let now = thread.arguments(tool_call_id).unwrap_or_default();
        if arguments.with_untracked(|text| text != now) {
            arguments.set(now.to_owned());
        }
        let is_answered = thread.call(tool_call_id).is_some_and(|call| call.is_answered());
        if !is_answered && result.with_untracked(Option::is_some) {
            result.set(None);
        }
        CallDetails { arguments: arguments.read_only(), result: result.read_only() }
    }

    fn grow(&mut self, tool_call_id: &str, arguments: &str, from: usize) {
        let Some(signal) = self.signals(tool_call_id).map(|call| call.arguments.clone()) else { return };
        signal.update_untracked(|text| match arguments.get(from..) {
            Some(grown) if text.len() == from => text.push_str(grown),
            _ => arguments.clone_into(text),
        });
        if self.grown.last() != Some(&signal) {
            self.grown.push(signal);
        }
    }

    fn set_result(&mut self, tool_call_id: &str, message: &Message) {
        let now = CallResult { text: message.text().into_owned(), is_error: message.error().is_some() };
        if let Some(CallSignals { result, .. }) = self.signals(tool_call_id)
            && result.with_untracked(|current| current.as_ref() != Some(&now))
        {
            result.set(Some(now));
        }
    }

    fn notify(&mut self) {
        self.grown.drain(..).for_each(|arguments| arguments.notify());
    }

    fn forget_others(&mut self, thread: &Thread) {
        self.calls.retain(|(id, _)| thread.call(id).is_some());
    }
}
