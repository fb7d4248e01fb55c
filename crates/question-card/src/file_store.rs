//! The files that are too large for the text of a draft, in the browser's `IndexedDB`: one entry for each draft that has any.

use crate::browser::{callback, soon};
use ask_user_question::attachment::Attachment;
use json_tree::Json;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Event, IdbDatabase, IdbKeyRange, IdbObjectStore, IdbRequest, IdbTransactionMode};

/// Takes files with their questions.
pub(crate) type Then = Rc<dyn Fn(Vec<(usize, Attachment)>)>;

const DATABASE: &str = "question-card";
const FILES: &str = "files";
/// The time in milliseconds after which an entry is removed. A tab that is closed leaves its own.
const MAX_AGE: f64 = 7.0 * 24.0 * 3_600_000.0;

/// Writes the entry of a draft, or removes it if there are no files. Its key is the time of its first file, in milliseconds since 1970. If the
/// browser refuses, the files are in memory alone.
pub(crate) fn write(at: u64, files: &[(usize, Attachment)]) {
    let entry = (!files.is_empty()).then(|| to_text(files));
    open(move |store| {
        let key = JsValue::from(at as f64);
        let Some(store) = store else { return };
        let _ = match &entry {
            Some(entry) => store.put_with_key(&entry.into(), &key),
            None => store.delete(&key),
        };
    });
}

/// Reads the entry of a draft. One that is gone, or that the browser does not give, has no files.
pub(crate) fn read(at: u64, then: Then) {
    open(move |store| {
        let Some(request) = store.and_then(|store| store.get(&JsValue::from(at as f64)).ok()) else {
            return then(Vec::new());
        };
        let then = Rc::clone(&then);
        on_end(&request, move |entry| {
            let entry = entry.and_then(|entry| entry.as_string());
            then(entry.map(|entry| from_text(&entry)).unwrap_or_default());
        });
    });
}

/// Calls `act` with the entries; `None` if the browser gives none, as one that stores nothing.
fn open(act: impl Fn(Option<&IdbObjectStore>) + 'static) {
    let factory = web_sys::window().and_then(|window| window.indexed_db().ok().flatten());
    let Some(request) = factory.and_then(|factory| factory.open(DATABASE).ok()) else {
        // Not while the card is being drawn.
        return soon(move || act(None));
    };
    let make = callback(|event| {
        if let Some(database) = result(&event).and_then(|it| it.dyn_into::<IdbDatabase>().ok()) {
            // Refused only if it is there.
            let _ = database.create_object_store(FILES);
        }
    });
    request.set_onupgradeneeded(Some(make.unchecked_ref()));
    on_end(&request, move |result| {
        let database = result.and_then(|it| it.dyn_into::<IdbDatabase>().ok());
        let store = database.as_ref().and_then(|database| entries(database).ok());
        act(store.as_ref());
        if let Some(database) = database {
            // As soon as what has begun is done.
            database.close();
        }
    });
}

/// The entries of the database, without those that are too old.
fn entries(database: &IdbDatabase) -> Result<IdbObjectStore, JsValue> {
    let transaction = database.transaction_with_str_and_mode(FILES, IdbTransactionMode::Readwrite)?;
    let store = transaction.object_store(FILES)?;
    store.delete(&IdbKeyRange::upper_bound(&(js_sys::Date::now() - MAX_AGE).into())?.into())?;
    Ok(store)
}

/// Calls `act` once with the result of a request; `None` if it failed.
fn on_end(request: &IdbRequest, act: impl Fn(Option<JsValue>) + 'static) {
    let act = callback(move |event| act(result(&event)));
    request.set_onsuccess(Some(act.unchecked_ref()));
    request.set_onerror(Some(act.unchecked_ref()));
}

fn result(event: &JsValue) -> Option<JsValue> {
    let request: IdbRequest = event.unchecked_ref::<Event>().target()?.unchecked_into();
    request.result().ok()
}

fn to_text(files: &[(usize, Attachment)]) -> String {
    let entry = |(question, file): &(usize, Attachment)| Json::List(vec![(*question).into(), file.to_json()]);
    Json::List(files.iter().map(entry).collect()).to_string()
}

/// Reads what [`to_text`] has written. What is no file is left out.
fn from_text(text: &str) -> Vec<(usize, Attachment)> {
    let entries = Json::parse(text).ok();
    let entry = |entry: &Json<'_>| match entry.as_list()? {
        [question, file] => Some((question.as_index()?, Attachment::read(file)?)),
        _ => None,
    };
    entries.iter().filter_map(Json::as_list).flatten().filter_map(entry).collect()
}
