//! German.

use super::{Direction, Labels, TimeLeft, Unit, concat, question_of};

pub(super) const LABELS: Labels = Labels {
    lang: "de",
    dir: Direction::LeftToRight,
    title: "Frage des Agenten",
    select_one: "Eine Antwort auswählen",
    pick_one: "Antippen sendet die Antwort",
    select_many: "Alles Zutreffende auswählen",
    other: "Sonstiges",
    other_placeholder: "Ihre Antwort",
    preview: |label| concat(&["Vorschau von ", label]),
    other_unsent: "Dieser Text wird nicht gesendet",
    chars_left: |left| concat(&["Noch ", &left.to_string(), " Zeichen"]),
    chars_over: |over| concat(&[&over.to_string(), " Zeichen zu viel"]),
    add_note: "Notiz hinzufügen",
    note: "Notiz",
    noted: |note| concat(&["Notiz: ", note]),
    skip: "Überspringen",
    skipping: "Diese Frage wird ohne Antwort gesendet",
    submit: "Antworten absenden",
    send: "Senden",
    submit_wait: "Der Rest der Frage kommt noch",
    cancel: "Nicht antworten",
    cancel_confirm: "Antworten verwerfen?",
    keep_answering: "Weiter antworten",
    reply_in_chat: "Stattdessen im Chat antworten",
    composing: "Frage wird vorbereitet …",
    malformed: "Die Frage ist beschädigt angekommen. Bitte in eigenen Worten antworten.",
    malformed_answer: "Eigene Antwort",
    ready,
    nudge: "Zuerst eine Antwort auswählen",
    error_select: |question| concat(&["Bitte eine Antwort auswählen: ", question]),
    error_other: "Bitte eine Antwort eingeben",
    error_too_long: |over| concat(&["Bitte den Text um ", &over.to_string(), " Zeichen kürzen"]),
    step: |number| concat(&["Frage ", &number.to_string()]),
    back: "Zurück",
    onward: "Weiter",
    progress: |answered, count| concat(&[&answered.to_string(), " von ", &count.to_string(), " beantwortet"]),
    unanswered,
    time_left,
    more_time: "Mehr Zeit",
    sending: "Antwort wird gesendet",
    held: "Geht mit Ihrer nächsten Antwort hinaus",
    change: "Ändern",
    next_ask: "Zur nächsten Frage",
    taken_back: "Ihre Antwort wurde nicht gesendet. Sie können sie ändern.",
    try_again: "Erneut versuchen",
    sent: "Antwort gesendet",
    failed: |reason| concat(&["Die Antwort wurde nicht gesendet. ", reason]),
    answered_elsewhere: "In einem anderen Tab beantwortet",
    list: ", ",
    selected_prefix: "Ausgewählt:",
    answered: "Beantwortet",
    cancelled: "Sie wollten nicht antworten",
    replied_in_chat: "Im Chat beantwortet",
    superseded: "Ohne Antwort weitergemacht",
    expired: "Die Zeit ist abgelaufen",
    interrupted: "Unterbrochen",
    settled: "Der Agent hat weitergemacht",
    not_answered: "Nicht beantwortet",
    show_all: "Ganz anzeigen",
    show_options: "Auswahl anzeigen",
    skipped: "Übersprungen",
    no_answer: "Keine Antwort",
    late: "Nicht gesendet",
    copy: "Kopieren",
    copied: "Kopiert",
    copy_answers: "Antworten kopieren",
    copy_failed: "Das Kopieren hat nicht geklappt. Bitte den Text von Hand auswählen.",
    copy_question: "F:",
    copy_answer: "A:",
    send_as_message: "Als Nachricht senden",
    not_now: "Noch nicht: Der Agent schreibt noch, oder eine andere Frage wartet auf ihre Antwort.",
    dismiss: "Verwerfen",
    ask_again: "Erneut fragen",
};

fn ready(count: usize, header: &str, question: &str, options: usize) -> String {
    let asked = question_of(header, question, ": ") + &choice(options);
    let number = count.to_string();
    match count {
        1 => concat(&["Der Agent stellt eine Frage. ", &asked]),
        _ => concat(&["Der Agent stellt ", &number, " Fragen. ", &asked]),
    }
}

fn choice(options: usize) -> String {
    match options {
        0 => String::new(),
        1 => " (1 Antwort zur Wahl)".to_owned(),
        _ => concat(&[" (", &options.to_string(), " Antworten zur Wahl)"]),
    }
}

fn unanswered(open: usize, count: usize) -> String {
    let verb = if open == 1 { "ist" } else { "sind" };
    let (open, all) = (open.to_string(), count.to_string());
    match count {
        1 => "Die Frage ist noch offen".to_owned(),
        _ => concat(&[&open, " von ", &all, " Fragen ", verb, " noch offen"]),
    }
}

fn time_left(TimeLeft { count, unit }: TimeLeft) -> String {
    let (one, more) = match unit {
        Unit::Days => (" Tag", " Tage"),
        Unit::Hours => (" Stunde", " Stunden"),
        Unit::Minutes => (" Minute", " Minuten"),
        Unit::Seconds => (" Sekunde", " Sekunden"),
    };
    let noun = if count == 1 { one } else { more };
    concat(&["Noch ", &count.to_string(), noun, " Zeit zum Antworten"])
}
