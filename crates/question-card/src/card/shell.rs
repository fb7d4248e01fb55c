//! Connects the card's machine to the page: events go in, effects come out.

use super::host::{Acceptance, CardEvent, CardHost, Options};
use super::machine::{Card, Do, Input, Now, Submission};
use super::{Given, view};
use crate::anatomy::part;
use crate::announcer::Announcer;
use crate::browser::{self, Listening, PageFunction, Timer, clock, focus_on, focus_quietly, soon};
use crate::clipboard::write_to_clipboard;
use crate::dom::Control;
use crate::draft::Field;
use crate::drafts::{self, Remembered};
use crate::input_method::InputMethod;
use crate::labels::concat;
use crate::receipt::receipt_text;
use crate::writer::{Change, NodeTree, Writer};
use ask_user_question::{AskSnapshot, Phase};
use std::cell::{Cell, OnceCell, Ref, RefCell};
use std::rc::{Rc, Weak};
use std::time::Duration;
use wasm_bindgen::JsCast;
use web_sys::{CustomEvent, Document, Element, Event, HtmlElement, Node, ResizeObserver};

/// Changes of a draft within this time are written together.
const GATHER: Duration = Duration::from_millis(250);
/// Milliseconds for which the target of a press must have stood still: a finger that is already on its way lands within them.
const STILL: f64 = 300.0;
/// Milliseconds for which moves are remembered: longer than a press takes.
const KEPT: f64 = 2000.0;
/// Dispatched when the card waits for an answer.
const WAITING: &str = "qc-waiting";
/// Dispatched when the ask is over. A host that calls `preventDefault` places the focus itself.
const RESOLVED: &str = "qc-resolved";
/// The only field of an ask that cannot be read.
const OWN_ANSWER: Control = Control::OtherText { question: 0 };

thread_local! {
    /// The time at which a card of this document last became a receipt, or a form again.
    static PAGE_MOVED_AT: Cell<f64> = const { Cell::new(f64::NEG_INFINITY) };
    /// When the window of this document last got the focus; NaN while it does not have it.
    static CAME_FORWARD_AT: Cell<f64> = const { Cell::new(f64::NEG_INFINITY) };
}

/// Records that the window gets the focus back. The first focus of a new page does not count, nor does one that returns from a frame in it.
fn comes_forward(event: &Event) {
    if browser::text(event, "type") == "blur" {
        CAME_FORWARD_AT.set(f64::NAN);
        let document = browser::node(event, "target").and_then(|window| browser::node(&window, "document"));
        // Some browsers move the focus into the frame only after the event.
        browser::later(Duration::ZERO, move || {
            let focused = document.and_then(|document| browser::element(&document, "activeElement"));
            let is_frame = focused.is_some_and(|focused| browser::text(&focused, "localName") == "iframe");
            if is_frame && CAME_FORWARD_AT.get().is_nan() {
                CAME_FORWARD_AT.set(f64::NEG_INFINITY);
            }
        });
    } else if CAME_FORWARD_AT.get().is_nan() {
        CAME_FORWARD_AT.set(clock());
    }
}

/// Returns true if the user has used this window and it does not have the focus now: it lost the focus before there was a card.
fn is_behind(window: &Node) -> bool {
    let activation =
        browser::node(window, "navigator").and_then(|navigator| browser::node(&navigator, "userActivation"));
    let document = browser::node(window, "document").map(JsCast::unchecked_into::<Document>);
    activation.is_some_and(|activation| browser::flag(&activation, "hasBeenActive"))
        && document.is_some_and(|document| document.has_focus() == Ok(false))
}

/// The part of a card that a shell shows.
pub(super) struct Face {
    pub(super) draw: fn(&mut Writer, &Card, &AskSnapshot),
    /// The events that it listens to.
    pub(super) events: &'static [&'static str],
}

/// The whole card.
pub(super) const WHOLE: Face = Face { draw: view::card, events: &EVENTS };

/// The events that a whole card listens to.
const EVENTS: [&str; 13] = [
    "submit",
    "keydown",
    "keyup",
    "pointerdown",
    "pointerup",
    "focusin",
    "change",
    "beforeinput",
    "input",
    "compositionstart",
    "compositionend",
    "focusout",
    "click",
];

pub(crate) struct Shell {
    pub(super) me: Weak<Self>,
    pub(super) card: RefCell<Card>,
    face: &'static Face,
    tree: RefCell<NodeTree>,
    pub(super) root: OnceCell<HtmlElement>,
    host: CardHost,
    announcer: Rc<Announcer>,
    pub(super) pointer: Pointer,
    moves: RefCell<Vec<Move>>,
    /// When the card was last drawn or typed into: a change of its size soon after is a consequence of that.
    changed_at: Cell<f64>,
    listens: OnceCell<Listening>,
    /// Listens for files, if the host takes any.
    hears_files: OnceCell<Listening>,
    pub(super) given: RefCell<Given>,
    /// While there is a form: its size, and the focus of its window unless that is a frame.
    watches: RefCell<Option<(Sizes, Option<Listening>)>>,
    /// The timer that the card asked for (`Do::Wake`).
    alarm: RefCell<Option<Timer>>,
    /// A pending write of the draft: its timer, and the listener that writes when the page goes away.
    unwritten: RefCell<Option<(Timer, Listening)>>,
    /// While a decline can be undone: the listener that gives it to the host when the page goes away.
    leaves: RefCell<Option<Listening>>,
    /// The draft's revision, and true if it is kept, when it was last passed on to be stored.
    stored: Cell<(usize, bool)>,
    /// The draft's revision when the host was last told the picks.
    told: Cell<Option<usize>>,
    /// The number under which the card writes the record of its call; set before the first write.
    holder: Cell<Option<usize>>,
    /// The place below the receipt for the host's own view.
    added: RefCell<Option<Element>>,
}

/// The last actions of the pointer and of the input method in the form.
#[derive(Default)]
pub(super) struct Pointer {
    pub(super) went_down: Cell<Option<Press>>,
    /// The place of the last click.
    pub(super) clicked: Cell<(f64, f64)>,
    pub(super) input_method: InputMethod,
}

/// A `pointerdown`.
pub(super) struct Press {
    pub(super) place: (f64, f64),
    pub(super) at: f64,
    pub(super) hit: Element,
}

/// A change of the layout.
struct Move {
    at: f64,
    /// What follows this node in the document, or contains it, may have moved.
    from: Node,
    /// The user's own press caused the move. It counts only for a press near that one.
    is_own: bool,
}

struct Sizes {
    observer: ResizeObserver,
    _on_resize: PageFunction,
}

impl Shell {
    /// A shell that shows this part of a card, which begins with the stored state of its call.
    pub(super) fn new(face: &'static Face, ask: &AskSnapshot, options: Options, host: CardHost) -> Rc<Self> {
        let tree = NodeTree::new(options.parts);
        let mut card = Card::new(ask, options);
        let kept = card.options().persist.load(card.key());
        // The record of the call goes on in this card.
        let revision = if kept == Remembered::default() { card.draft().revision() } else { usize::MAX };
        card.restore(ask, kept);
        let stored = Cell::new((revision, card.is_kept()));
        Rc::new_cyclic(|me| Self {
            me: me.clone(),
            card: RefCell::new(card),
            face,
            tree: RefCell::new(tree),
            root: OnceCell::new(),
            host,
            announcer: Rc::default(),
            pointer: Pointer::default(),
            moves: RefCell::default(),
            changed_at: Cell::new(f64::NEG_INFINITY),
            listens: OnceCell::new(),
            hears_files: OnceCell::new(),
            given: RefCell::default(),
            watches: RefCell::default(),
            alarm: RefCell::default(),
            unwritten: RefCell::default(),
            leaves: RefCell::default(),
            stored,
            told: Cell::default(),
            holder: Cell::default(),
            added: RefCell::default(),
        })
    }

    /// Draws the card for the first time.
    pub(crate) fn start(&self) -> Option<Element> {
        let drawn = self.draw(Change::Looks);
        self.note_move(drawn, false);
        self.root.get().map(|root| root.clone().into())
    }

    /// As [`start`](Self::start), on the element that a server has written.
    #[cfg(feature = "leptos")]
    pub(crate) fn start_on(&self, element: Element) -> Option<Element> {
        self.read_adopted(&element);
        self.tree.borrow_mut().adopt(element);
        self.start()
    }

    /// Takes over choices and text from before the program ran: adopting the element would overwrite them with the draft.
    #[cfg(feature = "leptos")]
    fn read_adopted(&self, element: &Element) {
        let mut card = self.card.borrow_mut();
        let now = self.now(&card);
        self.read(|ask| {
            browser::each_inside(element, "input:checked, .qc-other-input", &mut |field| {
                let value = browser::text(field, "value");
                let input = match card.ids().parse(&browser::text(field, "id")) {
                    Some(on @ Control::Option { question, option }) if !card.draft().is_chosen(question, option) => {
                        Input::Choose(on)
                    }
                    Some(on @ Control::Other { question }) if !card.draft().is_other_chosen(question) => {
                        Input::Choose(on)
                    }
                    Some(on) if !value.is_empty() => match Field::of(on) {
                        Some((question, field)) => Input::Typed(question, field, &value),
                        None => return,
                    },
                    _ => return,
                };
                card.take(now, ask, input);
            });
        });
    }

    /// Handles an input: shows the new state and carries out the effects. Returns true if the browser's default is to be prevented.
    pub(crate) fn take(&self, input: Input<'_>) -> bool {
        // The card is borrowed while it is drawn, and removing an element then fires events that no user caused.
        let Ok(mut card) = self.card.try_borrow_mut() else {
            return false;
        };
        let now = self.now(&card);
        let (is_ask, is_set) = (matches!(input, Input::Ask | Input::Begin), matches!(input, Input::Set(_)));
        // Stored input may be restored now, which changes questions that are complete.
        let takes_up = card.draft().is_waiting();
        let before = (card.phase(), card.manner());
        let was_over = card.shows_receipt();
        // Moves that these inputs cause do not invalidate a tap elsewhere in the card.
        let is_aside = matches!(
            input,
            Input::Choose(_)
                | Input::Typed(..)
                | Input::Filtered(..)
                | Input::File(_)
                | Input::Focused(_)
                | Input::Key(..)
                | Input::Clock
                | Input::Copied(..)
        );
        let is_own = matches!(input, Input::Click(_) | Input::Dropped(..) | Input::Submit | Input::Show(_));
        let mut input = Some(input);
        let to_do = self.read(|ask| input.take().map(|input| card.take(now, ask, input))).flatten().unwrap_or_default();
        let change = match card.phase() {
            _ if is_set => Change::Texts,
            Phase::Streaming if is_ask && !takes_up && before == (card.phase(), card.manner()) => Change::Growth,
            // The end of the arguments may replace any text.
            phase if is_ask && phase != Phase::Streaming => Change::Texts,
            _ => Change::Looks,
        };
        let looks_same = card.looks_same();
        let declines = card.is_declining();
        let folds = card.shows_receipt() != was_over;
        drop(card);
        let mut keeps_focus = now.has_focus && !looks_same;
        let from = folds.then(|| self.height());
        if !looks_same {
            let drawn = self.draw(change);
            self.note_move(drawn.filter(|_| !is_aside), is_own);
        }
        if let Some(from) = from {
            PAGE_MOVED_AT.set(clock());
            self.fold(from);
        }
        let mut prevents = false;
        for act in to_do {
            prevents |= act == Do::Prevent;
            // A page that handles the event may place the focus itself.
            keeps_focus &= !matches!(act, Do::Resolve { .. });
            self.act(act);
        }
        if keeps_focus && self.focused().is_none() {
            // The focused control may have been rebuilt.
            match now.focused.and_then(|control| self.control(control)) {
                Some(control) => focus_quietly(&control),
                None => self.go_on(),
            }
        }
        if !looks_same {
            self.persist();
        }
        if declines != self.leaves.borrow().is_some() {
            self.leaves.replace(if declines { self.on_page_left(Self::leave) } else { None });
        }
        prevents
    }

    /// Runs `act` later, if the shell still exists then.
    pub(super) fn later(&self, after: Duration, act: impl Fn(&Self) + 'static) {
        browser::later(after, self.while_there(act));
    }

    /// Wraps `act`, so that it runs only while the shell exists.
    fn while_there(&self, act: impl Fn(&Self) + 'static) -> impl Fn() + 'static {
        let me = self.me.clone();
        move || {
            if let Some(shell) = me.upgrade() {
                act(&shell);
            }
        }
    }

    pub(super) fn card(&self) -> Ref<'_, Card> {
        self.card.borrow()
    }

    /// Reads the ask; `None` if the host has already disposed of it.
    fn read<T>(&self, read: impl FnOnce(&AskSnapshot) -> T) -> Option<T> {
        let (mut read, mut found) = (Some(read), None);
        (self.host.read)(&mut |ask| found = read.take().map(|read| read(ask)));
        found
    }

    fn now(&self, card: &Card) -> Now {
        let focused = self.focused_inside();
        Now {
            clock: clock(),
            // Milliseconds since the epoch are integers far below 2^53.
            date: js_sys::Date::now() as u64,
            has_focus: focused.is_some(),
            focused: focused.and_then(|focused| card.ids().parse(&browser::text(&focused, "id"))),
        }
    }

    /// Records that what follows this node has just moved.
    fn note_move(&self, from: Option<Node>, is_own: bool) {
        let at = clock();
        self.changed_at.set(at);
        if let Some(from) = from {
            let mut moves = self.moves.borrow_mut();
            moves.retain(|before| at - before.at < KEPT && (before.from != from || before.is_own != is_own));
            moves.push(Move { at, from, is_own });
        }
    }

    /// Returns true if the target had stood still when the pointer went down. If the press `is_near` the one before, it may be the second
    /// half of a double click, so that moves which the user caused count as well.
    pub(super) fn stands_still(&self, hit: &Element, down_at: f64, is_near: bool) -> bool {
        let is_recent = |at: f64| down_at - at < STILL;
        let is_moved = |moved: &Move| {
            let place = hit.compare_document_position(&moved.from);
            let is_after = place & Node::DOCUMENT_POSITION_FOLLOWING != 0
                && place & (Node::DOCUMENT_POSITION_CONTAINED_BY | Node::DOCUMENT_POSITION_DISCONNECTED) == 0;
            is_recent(moved.at) && (is_near || !moved.is_own) && !is_after
        };
        !is_recent(PAGE_MOVED_AT.get()) && !self.moves.borrow().iter().any(is_moved)
    }

    /// Returns true unless the window had just come to the front: a press that brings it forward must not answer.
    pub(super) fn was_in_front(down_at: f64) -> bool {
        let is_recent = down_at - CAME_FORWARD_AT.get() < STILL;
        !is_recent
    }

    /// Handles a resize of the card. Unless it follows a known change, anything in the card may have moved.
    fn resized(&self) {
        if clock() - self.changed_at.get() > STILL {
            self.note_move(self.root.get().map(|root| root.clone().into()), false);
        }
        self.fit_fields();
    }

    fn draw(&self, change: Change) -> Option<Node> {
        let (Ok(card), Ok(mut tree)) = (self.card.try_borrow(), self.tree.try_borrow_mut()) else {
            return None;
        };
        let mut moved = None;
        (self.host.read)(&mut |ask| {
            moved = tree.write(ask, change, card.options().plain_text, &|w| (self.face.draw)(w, &card, ask));
        });
        if self.root.get().is_none()
            && let Some(root) = tree.element()
        {
            // The root is set only once.
            let _ = self.root.set(root.unchecked_into());
        }
        let (is_live, is_over, adds_actions) =
            (card.is_live(), card.shows_receipt(), card.options().offers.receipt_actions);
        let has_buttons = is_live || card.options().offers.update || !card.late().is_empty();
        let files = card.options().files.clone();
        drop((card, tree));
        let root = self.root.get()?;
        if has_buttons {
            self.listens.get_or_init(|| self.listen(root, self.face.events));
            if let Some(files) = &files {
                self.hears_files.get_or_init(|| (files.code.listen)(self, root));
            }
        }
        if is_live && !self.announcer.has_region() {
            self.announcer.speak_in(browser::element(root, "firstElementChild"));
        }
        let is_watched = self.watches.borrow().is_some();
        if is_watched == is_over {
            self.watches.replace((!is_over).then(|| {
                // A frame gets the focus from a page that was already visible, so only a top-level window is watched.
                let window = self.window().filter(|window| browser::node(window, "parent").as_ref() == Some(window));
                if window.as_ref().is_some_and(is_behind) {
                    CAME_FORWARD_AT.set(f64::NAN);
                }
                let front =
                    window.map(|window| Listening::to(&window, &["blur", "focus"], |event| comes_forward(&event)));
                (Sizes::watch(self, root), front)
            }));
        }
        if adds_actions {
            self.add_actions(is_over);
        }
        moved
    }

    fn height(&self) -> i32 {
        self.root.get().map_or(0, |root| root.offset_height())
    }

    /// Animates the card from this height to its present one, by the transition of the style sheet.
    fn fold(&self, from: i32) {
        // Set through the style object, because a page's policy may forbid style attributes.
        let Some(style) = self.root.get().and_then(|root| browser::node(root, "style")) else {
            return;
        };
        let set = |height: &str, transition: &str| {
            browser::set_text(&style, "minBlockSize", height);
            browser::set_text(&style, "transition", transition);
        };
        set(&concat(&[&from.to_string(), "px"]), "none");
        // Forces a layout: otherwise the browser would merge the two changes.
        self.height();
        set("", "");
    }

    /// Emits the place for the host's own view below the receipt, if it changed.
    fn add_actions(&self, is_over: bool) {
        let place = self.find(part::RECEIPT_ACTIONS).filter(|_| is_over);
        let before = self.added.replace(place.clone());
        if place != before {
            self.emit(CardEvent::ReceiptActions(place));
        }
    }

    fn act(&self, act: Do) {
        match act {
            Do::Prevent => {}
            Do::Emit(event) => {
                let may_refuse = matches!(event, CardEvent::Message(_) | CardEvent::Update(_));
                let taken = (self.host.on_event)(event);
                if may_refuse && taken != Acceptance::Later {
                    self.take(Input::Taken(taken == Acceptance::Yes));
                }
            }
            Do::Say(text) => self.announcer.say(text),
            Do::SayOnce(kind, text) => self.announcer.say_once(&concat(&[self.card().key(), &kind]), text),
            Do::Waiting => {
                self.dispatch(WAITING);
            }
            Do::Resolve { is_known, had_focus } => {
                let is_ours = is_known || self.dispatch(RESOLVED);
                if is_ours && had_focus {
                    self.focus_receipt();
                }
            }
            Do::Focus(control) => self.focus(control),
            Do::Enter(question, ways) => {
                self.enter(question, &ways);
            }
            Do::GoOn => self.go_on(),
            Do::ShowFocus => self.show_focus(),
            Do::Forward(control) => {
                if let Some(input) = self.control(control) {
                    focus_quietly(&input);
                    // Deferred, because the input's own click passes this listener again.
                    soon(move || input.click());
                }
            }
            Do::Fill(control) => self.fill(control),
            Do::Copy(control) => self.copy(control),
            Do::Upload(key, nth) => {
                let files = self.card().options().files.clone();
                if let Some(files) = files {
                    (files.code.upload)(self, &files, key, nth);
                }
            }
            Do::Move(before) => self.move_draft(&before),
            Do::Wake(wait) => self.set_alarm(wait),
        }
    }

    fn emit(&self, event: CardEvent) {
        (self.host.on_event)(event);
    }

    /// Dispatches an event at the card's root, from where it bubbles. Returns false if its default was prevented.
    fn dispatch(&self, name: &str) -> bool {
        let init = js_sys::Object::new();
        for (property, is_so) in [("bubbles", true), ("composed", true), ("cancelable", name == RESOLVED)] {
            browser::set_flag(&init, property, is_so);
        }
        let event = CustomEvent::new_with_event_init_dict(name, init.unchecked_ref());
        let dispatched = |root: &HtmlElement| root.dispatch_event(event.as_ref().ok()?).ok();
        self.root.get().and_then(dispatched).unwrap_or(true)
    }

    /// Moves the focus to where the user would go on, because the focused element is gone.
    fn go_on(&self) {
        if !self.card().is_unreadable() {
            self.focus_next();
        } else if self.control(OWN_ANSWER).is_some() {
            // Not Send: a key that was meant for a text would press it.
            self.focus(OWN_ANSWER);
        } else {
            self.focus(Control::Cancel);
        }
    }

    #[cfg(feature = "leptos")]
    pub(super) fn is_declining(&self) -> bool {
        self.card.try_borrow().is_ok_and(|card| card.is_declining())
    }

    pub(super) fn is_latched(&self) -> bool {
        self.card.try_borrow().is_ok_and(|card| card.is_latched())
    }

    /// Moves the focus to where the user would go on. Returns true if there was a control for it.
    pub(crate) fn focus_next(&self) -> bool {
        if self.focus_receipt() {
            return true;
        }
        let next = self.read(|ask| self.card().next_open(ask)).flatten();
        if let Some((question, ways)) = next {
            self.take(Input::Show(question));
            if self.enter(question, &ways) {
                return true;
            }
        }
        let ways_out = [Control::Submit, OWN_ANSWER, Control::Cancel];
        let way_out = ways_out.into_iter().find_map(|control| self.control(control));
        way_out.is_some_and(|control| {
            focus_on(&control);
            true
        })
    }

    fn focus_receipt(&self) -> bool {
        let receipt = self.find(part::RECEIPT);
        receipt.is_some_and(|receipt| {
            focus_quietly(receipt.unchecked_ref());
            true
        })
    }

    /// Writes the text of the draft or the filter into its field, if the field exists.
    fn fill(&self, control: Control) {
        if let Some(field) = self.made(control) {
            let card = self.card();
            let text = match Field::of(control) {
                Some((question, field)) => card.draft().text(question, field),
                None => control.question().map_or("", |question| card.filter_text(question)),
            };
            // Setting a value moves the caret.
            if browser::text(&field, "value") != text {
                browser::set_text(&field, "value", text);
            }
        }
    }

    fn copy(&self, control: Control) {
        let text = self.read(|ask| {
            let card = self.card();
            match control {
                Control::CopyLate => card.late().to_owned(),
                _ => receipt_text(ask, card.labels()),
            }
        });
        let me = self.me.clone();
        write_to_clipboard(&text.unwrap_or_default(), move |is_done| {
            if let Some(shell) = me.upgrade() {
                shell.take(Input::Copied(control, is_done));
            }
        });
    }

    fn set_alarm(&self, wait: Option<u64>) {
        let ring = self.while_there(|shell| {
            shell.take(Input::Clock);
        });
        let alarm = wait.map(|wait| Timer::new(Duration::from_millis(wait), ring));
        self.alarm.replace(alarm);
    }

    /// Stores what the user has changed, and emits the picks to the host if they changed.
    fn persist(&self) {
        let card = self.card();
        let (revision, is_kept) = (card.draft().revision(), card.is_kept());
        let is_changed = self.stored.replace((revision, is_kept)) != (revision, is_kept);
        if self.holder.get().is_some() || is_changed || *card.submission() != Submission::Open {
            drafts::keep(card.key(), self.holder(), card.to_remember());
        }
        if is_changed && card.options().persist.is_written() && self.unwritten.borrow().is_none() {
            self.write_soon();
        }
        let is_news = self.told.replace(Some(revision)) != Some(revision);
        let picks = is_news.then(|| card.draft().selections());
        drop(card);
        if let Some(picks) = picks {
            self.emit(CardEvent::Picks(picks));
        }
    }

    /// Moves the draft from the key `before` to the current key of the call, and merges it with what is stored there.
    fn move_draft(&self, before: &str) {
        let card = self.card();
        let (key, persist) = (card.key().to_owned(), card.options().persist);
        let is_its = self.holder.get().is_some() || card.draft().is_waiting();
        drop(card);
        let kept = match before == key {
            true => Remembered { draft: persist.stored(&key), given: None },
            false => persist.load(&key),
        };
        if before != key && is_its {
            drafts::keep(before, self.holder(), Remembered::default());
            persist.write(before);
        }
        self.holder();
        self.take(Input::Kept(kept));
        persist.write(&key);
    }

    fn holder(&self) -> usize {
        let holder = self.holder.get().unwrap_or_else(drafts::hold);
        self.holder.set(Some(holder));
        holder
    }

    fn write_draft(&self) {
        let card = self.card();
        card.options().persist.write(card.key());
    }

    fn write_soon(&self) {
        let timer = Timer::new(GATHER, self.while_there(Self::write_now));
        if let Some(flush) = self.on_page_left(Self::write_now) {
            self.unwritten.replace(Some((timer, flush)));
        }
    }

    /// Runs `act` when the page goes away.
    fn on_page_left(&self, act: fn(&Self)) -> Option<Listening> {
        let act = self.while_there(act);
        self.window().map(|window| Listening::to(&window, &["pagehide"], move |_| act()))
    }

    /// Gives the host a decline that can still be undone, because the card or the page goes, or the user goes on elsewhere.
    pub(crate) fn leave(&self) {
        self.take(Input::Leave);
    }

    fn window(&self) -> Option<Node> {
        self.document().and_then(|document| browser::node(&document, "defaultView"))
    }

    /// Writes a pending draft.
    fn write_now(&self) {
        if self.unwritten.take().is_some() {
            self.write_draft();
        }
    }

    /// The first element of this class in the card.
    fn find(&self, class: &str) -> Option<Element> {
        self.root.get()?.query_selector(&concat(&[".", class])).ok()?
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        self.write_now();
    }
}

impl Sizes {
    /// Reports each change of the element's size to the card.
    fn watch(shell: &Shell, element: &Element) -> Self {
        let resized = shell.while_there(Shell::resized);
        let on_resize = PageFunction::new(move |_| resized());
        let observer = ResizeObserver::new(on_resize.as_ref().unchecked_ref());
        // Throws only if the argument is not a function.
        let observer = observer.unwrap_or_else(JsCast::unchecked_into);
        observer.observe(element);
        Self { observer, _on_resize: on_resize }
    }
}

impl Drop for Sizes {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}
