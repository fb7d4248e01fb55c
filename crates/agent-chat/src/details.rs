//! The agent's work in detail: arguments and results of its calls. The code is reached by a value alone, so that a page without details does not carry it.

use crate::entry::{CallDetails, CallResult};
use ag_ui_stream::{Message, Thread};
use leptos::prelude::*;

/// The details of all calls that are shown.
pub(crate) trait Details {
    /// The details of a call, up to date except for its result.
    fn call(&mut self, thread: &Thread, tool_call_id: &str) -> CallDetails;

    /// A call's arguments grew from this byte on.
    fn grow(&mut self, tool_call_id: &str, arguments: &str, from: usize);

    /// A call has this message as its result.
    fn set_result(&mut self, tool_call_id: &str, message: &Message);

    /// Notifies of the arguments that grew.
    fn notify(&mut self);

    /// Forgets the calls that are not in the thread.
    fn forget_others(&mut self, thread: &Thread);
}

/// No details so far.
pub(crate) fn empty() -> Box<dyn Details> {
    Box::<DetailSignals>::default()
}

#[derive(Default)]
struct DetailSignals {
    /// By their ids, in the order of ids.
    calls: Vec<(String, CallSignals)>,
    grown: Vec<ArcRwSignal<String>>,
}

#[derive(Clone, Default)]
struct CallSignals {
    arguments: ArcRwSignal<String>,
    result: ArcRwSignal<Option<CallResult>>,
}

impl DetailSignals {
    fn place(&self, id: &str) -> Result<usize, usize> {
        self.calls.binary_search_by(|(known, _)| known.as_str().cmp(id))
    }

    fn known(&self, id: &str) -> Option<&CallSignals> {
        self.place(id).ok().map(|at| &self.calls[at].1)
    }
}

impl Details for DetailSignals {
    fn call(&mut self, thread: &Thread, tool_call_id: &str) -> CallDetails {
        let at = self.place(tool_call_id).unwrap_or_else(|at| {
            self.calls.insert(at, (tool_call_id.to_owned(), CallSignals::default()));
            at
        });
        let CallSignals { arguments, result } = &self.calls[at].1;
        let now = thread.arguments(tool_call_id).unwrap_or_default();
        if arguments.with_untracked(|shown| shown != now) {
            arguments.set(now.to_owned());
        }
        let is_answered = thread.call(tool_call_id).is_some_and(|call| call.answered);
        if !is_answered && result.with_untracked(Option::is_some) {
            result.set(None);
        }
        CallDetails { arguments: arguments.read_only(), result: result.read_only() }
    }

    fn grow(&mut self, tool_call_id: &str, arguments: &str, from: usize) {
        let Some(signal) = self.known(tool_call_id).map(|call| call.arguments.clone()) else { return };
        signal.update_untracked(|shown| match arguments.get(from..) {
            Some(grown) if shown.len() == from => shown.push_str(grown),
            _ => arguments.clone_into(shown),
        });
        if self.grown.last() != Some(&signal) {
            self.grown.push(signal);
        }
    }

    fn set_result(&mut self, tool_call_id: &str, message: &Message) {
        let now = CallResult { text: message.text().into_owned(), is_error: message.error().is_some() };
        if let Some(CallSignals { result, .. }) = self.known(tool_call_id)
            && result.with_untracked(|shown| shown.as_ref() != Some(&now))
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
