//! The card's parts, states and tokens. Views, styles and tests use these lists, so that none of them can drift.
//!
//! # Styling
//! Parts are classes ([`part`]), states are attributes ([`STATES`]). Tokens are custom properties that a page sets on the card or on any
//! element above it ([`TOKENS`]). The style sheet selects on nothing else.

/// Declares each name as a constant, and in the list `ALL`.
macro_rules! names {
    ($($(#[$doc:meta])* $name:ident = $value:literal;)*) => {
        $($(#[$doc])* pub const $name: &str = $value;)*
        /// All names.
        pub const ALL: &[&str] = &[$($value),*];
    };
}

/// The classes of the card's elements.
pub mod part {
    names! {
        /// The root of a card.
        CARD = "qc";
        /// The title, for users who do not see that this is a card.
        TITLE = "qc-title";
        /// The form.
        FORM = "qc-form";
        /// Shown before the first question starts.
        COMPOSING = "qc-composing";
        /// The list of questions, if one is shown at a time.
        STEPS = "qc-steps";
        /// The button of a question in that list.
        STEP = "qc-step";
        /// One question, a fieldset.
        QUESTION = "qc-question";
        /// The legend of a question: header and text.
        LEGEND = "qc-legend";
        /// The header of a question.
        CHIP = "qc-chip";
        /// The text of a question.
        QUESTION_TEXT = "qc-question-text";
        /// A hint, such as "Select one" under a question.
        HINT = "qc-hint";
        /// An error message.
        ERROR = "qc-error";
        /// Above a long list: the field that filters it, the buttons for all and none, the number of rows.
        FILTER = "qc-filter";
        /// The rows of a question.
        OPTIONS = "qc-options";
        /// The row of an option, or of the free-text answer.
        OPTION = "qc-option";
        /// The radio button or check box of a row.
        OPTION_INPUT = "qc-option-input";
        /// The button of a row, if one tap answers.
        OPTION_BUTTON = "qc-option-button";
        /// The label of a row.
        OPTION_LABEL = "qc-option-label";
        /// The description of an option.
        OPTION_DESC = "qc-option-desc";
        /// The picture of an option.
        PICTURE = "qc-picture";
        /// The digit that chooses a row.
        KBD = "qc-kbd";
        /// The row of the free-text answer, beside [`OPTION`].
        OTHER = "qc-other";
        /// A text field: of the free-text answer, a note or a filter.
        OTHER_INPUT = "qc-other-input";
        /// The files of a field outside the card, such as a chat's composer, or of a message.
        TRAY = "qc-tray";
        /// The button that adds files, beside [`BUTTON`].
        ATTACH = "qc-attach";
        /// The files of an answer.
        FILES = "qc-files";
        /// One file.
        FILE = "qc-file";
        /// The name of a file.
        FILE_NAME = "qc-file-name";
        /// The thumbnail of a file.
        THUMB = "qc-thumb";
        /// The mark of a recommended option, at the end of its label.
        BADGE = "qc-badge";
        /// The line that says a free text will not be sent.
        UNSENT = "qc-unsent";
        /// The number of characters that may still be typed.
        COUNTER = "qc-counter";
        /// The extras of a question: Skip and note.
        EXTRAS = "qc-extras";
        /// The button that skips a question, beside [`BUTTON`].
        SKIP = "qc-skip";
        /// The line that says a question will be sent without an answer.
        SKIPPING = "qc-skipping";
        /// The label of a note's field; the field is an [`OTHER_INPUT`].
        NOTE = "qc-note";
        /// Rows and preview of a question.
        BODY = "qc-body";
        /// The place of an option's preview.
        PREVIEW = "qc-preview";
        /// The text of a preview.
        PREVIEW_TEXT = "qc-preview-text";
        /// Who asks, and why.
        ORIGIN = "qc-origin";
        /// The time left to answer.
        DEADLINE = "qc-deadline";
        /// The buttons below the questions.
        ACTIONS = "qc-actions";
        /// Any button.
        BUTTON = "qc-button";
        /// The group of buttons that lead on, such as Next and Submit.
        MAIN = "qc-main";
        /// The number of questions that have their answer.
        PROGRESS = "qc-progress";
        /// The button that shows the question before, beside [`BUTTON`].
        BACK = "qc-back";
        /// The button that shows the question after, beside [`BUTTON`].
        ONWARD = "qc-onward";
        /// The Submit button, beside [`BUTTON`].
        SUBMIT = "qc-submit";
        /// The button that declines, beside [`BUTTON`].
        CANCEL = "qc-cancel";
        /// A button of low emphasis, beside [`BUTTON`].
        QUIET = "qc-quiet";
        /// The buttons of a held reply, beside [`QUIET`]; the one that changes an answer, beside [`BUTTON`].
        CHANGE = "qc-change";
        /// The reason why the buttons are inert, or the note that the reply is on its way.
        WAIT = "qc-wait";
        /// How much of a file has been uploaded.
        UPLOAD = "qc-upload";
        /// The list of questions that still need an answer.
        SUMMARY = "qc-summary";
        /// The alert that the reply was not sent.
        ALERT = "qc-alert";
        /// The live region.
        STATUS = "qc-status";
        /// The receipt of an ask that is over.
        RECEIPT = "qc-receipt";
        /// The line in a receipt that says how the ask ended.
        RECEIPT_STATE = "qc-receipt-state";
        /// A question in a receipt.
        RECEIPT_QUESTION = "qc-receipt-question";
        /// A disclosure with all of a long question, or with the reason to ask it.
        MORE = "qc-more";
        /// The answers to a question in a receipt.
        ANSWERS = "qc-answers";
        /// One answer in a receipt.
        ANSWER = "qc-answer";
        /// An option in a receipt that was not chosen.
        OFFERED = "qc-offered";
        /// In a receipt, an answer that the user has changed since.
        REPLACED = "qc-replaced";
        /// The disclosure of the options that were not chosen.
        CHOICE = "qc-choice";
        /// The text that was sent in the chat instead of answers.
        REPLY = "qc-reply";
        /// In a receipt, the line for a question without an answer.
        NO_ANSWER = "qc-no-answer";
        /// The buttons below a receipt.
        RECEIPT_ACTIONS = "qc-receipt-actions";
        /// Choices and text that were never sent.
        LATE = "qc-late";
        /// The text in [`LATE`].
        LATE_TEXT = "qc-late-text";
        /// Text for screen readers alone.
        HIDDEN = "qc-visually-hidden";
    }
}

/// A state: an attribute and its possible values (`""` for one without a value).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StyleState {
    /// The class of the part that has the state.
    pub part: &'static str,
    /// The name of the attribute.
    pub attribute: &'static str,
    /// The values that the attribute can have.
    pub values: &'static [&'static str],
}

/// Every state that a style or a test may rely on.
pub const STATES: &[StyleState] = &[
    state(part::CARD, "data-state", CARD_STATES),
    state(part::CARD, "data-dirty", &[""]),
    state(part::CARD, "data-held", &[""]),
    state(part::CARD, "data-mode", &["explicit", "on-pick", "undecided"]),
    state(part::CARD, "data-layout", &["stacked", "stepped"]),
    state(part::STEP, "aria-current", &["step"]),
    state(part::STEP, "data-status", &["unanswered", "answered"]),
    state(part::STEP, "data-invalid", &[""]),
    state(part::ACTIONS, "data-status", &["unanswered", "answered"]),
    state(part::QUESTION, "hidden", &[""]),
    state(part::QUESTION, "data-status", &["unanswered", "answered"]),
    state(part::QUESTION, "data-multiple", &[""]),
    state(part::QUESTION, "data-invalid", &[""]),
    state(part::QUESTION, "data-skipped", &[""]),
    state(part::OPTIONS, "data-long", &[""]),
    state(part::OPTIONS, "data-many", &[""]),
    state(part::OPTIONS, "data-pictures", &[""]),
    state(part::OPTION, "hidden", &[""]),
    state(part::OPTION, "data-pending", &[""]),
    state(part::OPTION, "data-chosen", &[""]),
    state(part::FILE, "data-state", &["going", "failed"]),
    state(part::OTHER, "data-unsent", &[""]),
    state(part::OTHER, "hidden", &[""]),
    state(part::EXTRAS, "hidden", &[""]),
    state(part::OPTION_BUTTON, "aria-busy", &["true"]),
    state(part::OPTION_BUTTON, "aria-disabled", &["true"]),
    state(part::OPTION_INPUT, "type", &["radio", "checkbox"]),
    state(part::OPTION_INPUT, "aria-disabled", &["true"]),
    state(part::OPTION_INPUT, "aria-invalid", &["true"]),
    state(part::OTHER_INPUT, "aria-invalid", &["true"]),
    state(part::OTHER_INPUT, "type", &["date", "datetime-local"]),
    state(part::COUNTER, "data-over", &[""]),
    state(part::DEADLINE, "data-urgent", &[""]),
    state(part::BUTTON, "aria-disabled", &["true"]),
    state(part::SKIP, "aria-pressed", &["true", "false"]),
    state(part::CANCEL, "data-confirm", &[""]),
    state(part::MORE, "open", &[""]),
    state(part::CHOICE, "open", &[""]),
    state(part::RECEIPT, "data-state", RECEIPT_STATES),
];

const CARD_STATES: &[&str] = &[
    "composing",
    "streaming",
    "awaiting",
    "invalid",
    "submitting",
    "failed",
    "malformed",
    "answered",
    "declined",
    "superseded",
    "expired",
    "interrupted",
    "settled",
    "readonly",
];

const RECEIPT_STATES: &[&str] =
    &["answered", "declined", "superseded", "expired", "interrupted", "settled", "readonly"];

const fn state(part: &'static str, attribute: &'static str, values: &'static [&'static str]) -> StyleState {
    StyleState { part, attribute, values }
}

/// A custom property that the card reads and never sets, so that a host may set it on any element above: `:root { --qc-accent: teal }`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StyleToken {
    /// The name, such as `--qc-accent`.
    pub name: &'static str,
    /// What the token sets, such as "focus ring".
    pub of: &'static str,
}

/// Every token.
pub const TOKENS: &[StyleToken] = &[
    token("--qc-bg", "surface of the card"),
    token("--qc-fg", "text"),
    token("--qc-muted", "hints, descriptions, secondary buttons"),
    token("--qc-border", "edges of the card and its rows"),
    token("--qc-control-border", "edges of buttons and text fields"),
    token("--qc-accent", "main button, controls, the edge of a chosen row"),
    token("--qc-accent-hover", "main button under the pointer"),
    token("--qc-on-accent", "text of the main button"),
    token("--qc-danger", "errors, and the edges around them"),
    token("--qc-danger-bg", "surface of errors"),
    token("--qc-success", "ticks of receipts"),
    token("--qc-warning", "warnings: little time is left, a text will not be sent"),
    token("--qc-focus", "focus ring"),
    token("--qc-row-hover-bg", "a row under the pointer"),
    token("--qc-row-selected-bg", "a chosen row"),
    token("--qc-row-selected-border", "its edge"),
    token("--qc-chip-bg", "badges"),
    token("--qc-chip-fg", "their text, and links"),
    token("--qc-inert-bg", "previews, and the numbers of rows"),
    token("--qc-font", "text"),
    token("--qc-font-mono", "previews and digits"),
    token("--qc-font-size", "size of the text"),
    token("--qc-line-height", "height of a line"),
    token("--qc-radius", "corners of the card"),
    token("--qc-row-radius", "corners of rows, fields and buttons"),
    token("--qc-gap", "between small parts"),
    token("--qc-pad", "between the card's edge and its content"),
    token("--qc-target", "least height of rows, fields and buttons"),
    token("--qc-input-size", "radio buttons and check boxes"),
    token("--qc-focus-width", "width of the focus ring"),
    token("--qc-focus-offset", "between the ring and the focused element"),
    token("--qc-max-inline", "most width of the card"),
    token("--qc-max-inline-preview", "the same with previews"),
    token("--qc-scroll-margin", "kept free above and below a focused element"),
    token("--qc-dock", "height of a bar that covers the card's lower edge"),
    token("--qc-motion", "length of transitions"),
    token("--qc-shadow", "shadow of the card"),
];

const fn token(name: &'static str, of: &'static str) -> StyleToken {
    StyleToken { name, of }
}
