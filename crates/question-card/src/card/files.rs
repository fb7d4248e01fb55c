//! Files in answers. The feature is a value that holds its code, so that a page without it does not carry the code.

use super::host::{Acceptance, Options};
use super::machine::{Card, FileInput, Input, take_file};
use super::mounted::MountedCard;
use super::shell::{Face, Shell};
use super::view::{files, tray};
use crate::browser::{Listening, element, number, set_text, text};
use crate::dom::Control;
use crate::writer::prelude::*;
use ask_user_question::attachment::{Attachment, FileLimits, clean_name};
use ask_user_question::{AskSnapshot, AskUserQuestion, Phase, Question};
use js_sys::{Array, Reflect};
use std::cell::Cell;
use std::fmt;
use std::rc::Weak;
use std::sync::Arc;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Event, File, Node};

/// The value of [`Options::files`](super::Options::files): "+", paste and drop, and a chip for each file.
///
/// ```
/// use ask_user_question::attachment::{Attachment, FileLimits};
/// use question_card::Files;
///
/// let files = Files::new(FileLimits::PICTURES, |file, about, upload| {
///     // Send `file` somewhere, say how far it is, and then, at once or later:
///     upload.progress(1.0, file.size());
///     upload.done(Ok(Attachment { url: format!("/files/{}", about.name), ..about }));
/// });
/// # let _ = files;
/// ```
#[derive(Clone)]
pub struct Files {
    pub(crate) limits: FileLimits,
    upload: Arc<dyn Fn(File, Attachment, Upload) + Send + Sync>,
    pub(crate) code: &'static FileCode,
}

/// The functions of the feature.
pub(crate) struct FileCode {
    pub(crate) take: fn(&mut Card, &FileLimits, FileInput),
    pub(crate) draw: fn(&mut Writer, &Card, usize, &FileLimits),
    pub(super) listen: fn(&Shell, &Element) -> Listening,
    pub(super) upload: fn(&Shell, &Files, usize, Option<usize>),
}

const CODE: FileCode = FileCode { take: take_file, draw: files, listen, upload };

const EVENTS: [&str; 4] = ["change", "paste", "dragover", "drop"];

impl Files {
    /// Accepts files within these limits. `upload` gets each file, what is known of it except its URL, and a handle to report progress and
    /// the result.
    #[must_use]
    pub fn new(limits: FileLimits, upload: impl Fn(File, Attachment, Upload) + Send + Sync + 'static) -> Self {
        Self { limits, upload: Arc::new(upload), code: &CODE }
    }
}

impl fmt::Debug for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.limits.fmt(f)
    }
}

/// A file that is being uploaded: the host reports progress and the result here. Reports about a file that the user has removed are
/// ignored.
#[derive(Debug)]
pub struct Upload {
    shell: Weak<Shell>,
    key: usize,
    /// Keys are reused, so the file itself identifies the upload.
    file: File,
    percent: Cell<usize>,
}

impl Upload {
    /// Reports how many of all bytes are sent. Returns false if the file is not wanted any more, because the user has removed it.
    pub fn progress(&self, sent: f64, all: f64) -> bool {
        // 0 of 0 bytes is NaN, which becomes 0.
        let percent = (100.0 * sent / all).clamp(0.0, 100.0) as usize;
        if self.percent.replace(percent) != percent {
            self.tell(FileInput::Progress(self.key, percent));
        }
        self.shell.upgrade().is_some_and(|shell| self.is_wanted(&shell))
    }

    /// Reports the result: the file with its URL, or the reason of the failure.
    pub fn done(&self, result: Result<Attachment, String>) {
        self.tell(FileInput::Uploaded(self.key, result));
    }

    fn tell(&self, input: FileInput) {
        if let Some(shell) = self.shell.upgrade().filter(|shell| self.is_wanted(shell)) {
            shell.take(Input::File(input));
        }
    }

    fn is_wanted(&self, shell: &Shell) -> bool {
        let is_it = |(key, file): &(usize, File)| *key == self.key && *file == self.file;
        shell.given.borrow().by_key.iter().any(is_it)
            && shell.card.try_borrow().is_ok_and(|card| card.draft().has_file(self.key))
    }
}

/// The files that the user gave a card, by their keys.
#[derive(Default)]
pub(crate) struct Given {
    added: Vec<File>,
    by_key: Vec<(usize, File)>,
}

/// A "+" button and a chip for each file, for a field outside the card such as a chat's composer. It is a card of one open question that
/// shows nothing else, so limits, uploads, announcements and drafts are the card's. Dropping it removes it.
///
/// ```
/// use ask_user_question::attachment::Attachment;
/// use question_card::FileTray;
///
/// fn send(tray: &FileTray, post: impl FnOnce(Vec<Attachment>)) {
///     // Until each file is there, the tray says so.
///     if let Some(files) = tray.files() {
///         post(files);
///         tray.sent();
///     }
/// }
/// ```
pub struct FileTray(MountedCard);

/// Only clicks: no key answers here.
const TRAY: Face = Face { draw: tray, events: &["click"] };

impl FileTray {
    /// Adds a tray as the first child of a node. Of the options, only `files`, `labels`, `persist` and `scope` count.
    #[must_use]
    pub fn mount(parent: &Node, options: &Options) -> Self {
        let mut ask = AskUserQuestion::default();
        ask.questions.push(Question::default());
        let ask = AskSnapshot::complete("files", ask, Phase::Answerable);
        Self(MountedCard::with_face(&TRAY, (parent, parent.first_child()), ask, options, |_| Acceptance::No))
    }

    /// Changes the options. No file is lost.
    pub fn set(&self, options: &Options) {
        self.0.set(options);
    }

    /// Adds files that were pasted or dropped elsewhere in the page.
    pub fn add(&self, files: Vec<File>) {
        self.0.shell.add_files(0, files);
    }

    /// The uploaded files. Returns `None` and shows the reason in the tray while one is being uploaded or has failed.
    #[must_use]
    pub fn files(&self) -> Option<Vec<Attachment>> {
        self.0.shell.take(Input::File(FileInput::Wanted(0)));
        let card = self.0.shell.card();
        let there = card.draft().files(0).iter().map(|file| file.file.clone());
        card.file_flaw(0).is_none().then(|| there.collect())
    }

    /// Removes the files, after the host has sent them.
    pub fn sent(&self) {
        self.0.shell.take(Input::File(FileInput::Sent(0)));
    }
}

/// Name, type and size of a file. Some systems do not know the type of a plain one.
#[must_use]
pub fn about_file(file: &File) -> Attachment {
    let name = text(file, "name");
    let told = text(file, "type").to_ascii_lowercase();
    let told = told.split(';').next().unwrap_or_default().trim();
    let media_type = match name.rsplit('.').next().unwrap_or_default() {
        _ if !told.is_empty() => told,
        "md" => "text/markdown",
        "csv" => "text/csv",
        "json" => "application/json",
        "txt" => "text/plain",
        _ => "application/octet-stream",
    };
    let size = number(file, "size") as usize;
    Attachment { name: clean_name(&name), media_type: media_type.to_owned(), size, url: String::new() }
}

/// The files of a paste, a drop or a file field. None if the paste has text as well: word processors add a picture of their text.
#[must_use]
pub fn files_of(event: &Event) -> Vec<File> {
    if text(event, "type") != "change" && !has_files(event) {
        return Vec::new();
    }
    Array::from(&node_of(&holder(event), "files")).iter().map(JsCast::unchecked_into).collect()
}

/// Returns true if a paste, a drop or a drag has files and no text. The files of a drag are not [known](files_of) before the drop.
#[must_use]
pub fn has_files(event: &Event) -> bool {
    let types = Array::from(&node_of(&holder(event), "types"));
    let has = |kind| types.iter().any(|has| has.as_string().is_some_and(|has| has.eq_ignore_ascii_case(kind)));
    has("files") && !has("text/plain")
}

/// The object that has the files of an event.
fn holder(event: &Event) -> JsValue {
    let name = match text(event, "type").as_str() {
        "paste" => "clipboardData",
        "change" => "target",
        _ => "dataTransfer",
    };
    node_of(event, name)
}

fn node_of(of: &JsValue, name: &str) -> JsValue {
    Reflect::get(of, &name.into())
        .ok()
        .filter(|value| !value.is_null() && !value.is_undefined())
        .unwrap_or_else(|| Array::new().into())
}

fn listen(shell: &Shell, root: &Element) -> Listening {
    let me = shell.me.clone();
    Listening::to(root, &EVENTS, move |event| {
        if let Some(shell) = me.upgrade() {
            take_event(&shell, &event);
        }
    })
}

fn take_event(shell: &Shell, event: &Event) {
    let Some(target) = element(event, "target") else { return };
    let Some(question) = shell.file_question(&target) else { return };
    let files = files_of(event);
    if files.is_empty() && !has_files(event) {
        return;
    }
    event.prevent_default();
    event.stop_propagation();
    shell.add_files(question, files);
    if text(event, "type") == "change" {
        // Otherwise the same file could not be chosen again.
        set_text(&target, "value", "");
    }
}

impl Shell {
    fn add_files(&self, question: usize, files: Vec<File>) {
        if !files.is_empty() {
            let about = files.iter().map(about_file).collect();
            self.given.borrow_mut().added = files;
            self.take(Input::File(FileInput::Added(question, about)));
        }
    }

    /// The question that gets files which are pasted or dropped at this element.
    fn file_question(&self, target: &Element) -> Option<usize> {
        let card = self.card.try_borrow().ok()?;
        let row = target.closest(".qc-other, .qc-files, .qc-tray").ok().flatten()?;
        let field =
            row.closest(".qc-question, .qc-tray").ok().flatten()?.query_selector(".qc-attach input").ok().flatten()?;
        let control = card.ids().parse(&text(&field, "id"))?;
        matches!(control, Control::Attach { .. }).then(|| control.question())?
    }
}

fn upload(shell: &Shell, files: &Files, key: usize, nth: Option<usize>) {
    let mut given = shell.given.borrow_mut();
    if let Some(file) = nth.and_then(|nth| given.added.get(nth).cloned()) {
        given.by_key.retain(|(other, _)| *other != key);
        given.by_key.push((key, file));
    }
    let Some(file) = given.by_key.iter().find(|(other, _)| *other == key).map(|(_, file)| file.clone()) else { return };
    drop(given);
    let upload = Upload { shell: shell.me.clone(), key, file: file.clone(), percent: Cell::new(0) };
    let about = about_file(&file);
    (files.upload)(file, about, upload);
}
