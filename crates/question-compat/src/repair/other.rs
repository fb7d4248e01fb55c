//! Recognises labels that mean "Other".

use crate::case::lower;
use crate::words::{is_among, place, words};
use ask_user_question::repairs::Meaning;
use ask_user_question::text::CharClass;

/// Prefixes of labels that ask for the user's own words, in the languages of the card and some more; one list per first letter. If one is a prefix
/// of another, the longer one comes first.
const OPENINGS: [&str; 37] = [
    "others|other|otros|otro|otras|otra|outros|outro|outras|outra|overig|ostalo|ostatní",
    "something else|something different|specify my own|specify your own|sonstiges|sonstige",
    "another option|another answer|anderes|andere|anders|andet|annat|annet|algo diferente|autres|autre|altres|altro|altra|altceva",
    "custom answer",
    "enter my own|enter your own|etwas anderes|eigene angabe|eigene antwort|eigener text|egyéb",
    "type my own|type your own|type something",
    "write my own|write your own",
    "freitext",
    "inne|inna|inny|iets anders|iné|ill type|ill specify|ill describe",
    "let me type|let me specify|let me describe|let me explain|lainnya|lain-lain",
    "noe annet|noget andet|något annat|něco jiného",
    "jokin muu|jiná|jiné",
    "diğer|drugo",
    "başka bir şey",
    "valami más",
    "khác",
    "respuesta propia|réponse libre",
    "quelque chose dautre",
    "другое|другой вариант",
    "інше|інший варіант",
    "свой вариант",
    "άλλο",
    "κάτι άλλο",
    "أخرى",
    "غير ذلك",
    "شيء آخر",
    "خيار آخر",
    "دیگر",
    "سایر",
    "אחר",
    "अन्य",
    "อื่น ๆ|อื่นๆ",
    "기타",
    "직접 입력",
    "その他|それ以外",
    "其他|其它",
    "自由記入|自由記述|自由回答|自定义|自行输入|自己输入",
];

/// Openings that are also names; the rest of the label must ask for own words.
const NAMES: &str = "inna|altra|anders";

/// Words that may follow an opening without punctuation.
const ASKING: &str = "please|specify|option|entirely|it|my|answer|antwort|angabe|opción|respuesta|cosa|réponse|chose|opção|resposta|opzione|risposta|odpowiedź|opcja|选项|答案";

/// Words that only invite the user to type; includes those of [`ASKING`].
const FILLERS: &str = "a|an|answer|as|below|choice|custom|describe|else|enter|explain|field|fill|form|free|here|i|ill|in|input|it|my|own|entirely|\
    please|provide|something|specify|text|the|type|will|write|your|option|\
    antwort|angabe|angaben|bitte|angeben|beschreiben|eingeben|eintragen|eigene|freitext|selbst|schreiben|\
    opción|respuesta|cosa|por|favor|especificar|especifique|especifica|escribir|escribe|escriba|describir|indicar|texto|libre|\
    réponse|chose|à|préciser|précisez|merci|texte|saisir|votre|\
    opção|resposta|opzione|risposta|specificare|odpowiedź|opcja|proszę|podać|wpisz|namelijk|lütfen|belirtin|직접|입력|укажите|уточните|уточніть|вкажіть|podaj|uveďte|sebutkan|ghi|rõ|โปรดระบุ|\
    入力してください|具体的に入力してください|选项|答案|请说明|请注明|请输入|自由记入|自由記入|自由输入|自定义|自由記述|自由入力|記入|入力|具体的に記入|\
    يرجى|التحديد|حدد|اكتب|إجابتك|من|فضلك";

fn any(list: &str, mut is: impl FnMut(&str) -> bool) -> bool {
    place(list, &mut is).is_some()
}

/// Classifies a label, which may still grow. [`repair`](super::repair) removes a model's own "Other", so a growing label must be held until it is
/// [`Meaning::Own`]; no beginning of an "Other" label is.
///
/// Only words that ask for typing may follow, so that "Other branch" and "Other (S3)" stay options.
#[must_use]
pub(crate) fn meaning(label: &str) -> Meaning {
    // Long labels always have a meaning of their own; skip copying them. Surrounding whitespace does not count.
    let label = label.trim_start_matches(IS_BEFORE).trim_start();
    if label.trim_end().len() > 100 {
        return Meaning::Own;
    }
    let mut plain = String::new();
    for c in label.chars() {
        if !matches!(c, '\'' | '’') {
            plain.push(lower(c));
        }
    }
    let Some(first) = plain.chars().next() else {
        return Meaning::Open;
    };
    let openings = OPENINGS.iter().find(|openings| openings.starts_with(first)).copied().unwrap_or_default();
    let mut unknown = Meaning::Own;
    let opening = words(openings).find_map(|opening| {
        if opening.starts_with(&plain) {
            unknown = Meaning::Open;
        }
        plain.strip_prefix(opening)
    });
    let Some(rest) = opening.map(str::trim_start) else {
        return unknown;
    };
    // Alone, it is a name.
    if is_among(NAMES, plain.trim_end()) {
        return Meaning::Open;
    }
    const IS_BETWEEN: CharClass = |c| !is_letter(c);
    let (mut last, mut invites) = ("", true);
    for word in rest.split(IS_BETWEEN) {
        if !word.is_empty() {
            invites &= last.is_empty() || is_among(FILLERS, last);
            last = word;
        }
    }
    let may_grow = rest.ends_with(is_letter);
    let is_word = last.is_empty() || is_among(FILLERS, last);
    let begins_word = may_grow && any(FILLERS, |word| word.starts_with(last));
    let asks = |word: &str| rest.starts_with(word);
    let begins_asking = |word: &str| word.starts_with(rest);
    let set_apart = !rest.starts_with(is_letter);
    if !invites {
        Meaning::Own
    } else if is_word && (set_apart || any(ASKING, asks)) {
        Meaning::Other
    } else if (is_word || begins_word) && (set_apart || any(ASKING, |word| asks(word) || begins_asking(word))) {
        Meaning::Open
    } else {
        Meaning::Own
    }
}

/// Approximates letters and digits. Non-ASCII punctuation that may follow "Other" is listed; every other character counts as a letter, which makes
/// the option one of its own.
fn is_letter(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || !c.is_ascii()
            && !matches!(c, '…' | '–' | '—' | '“' | '”' | '‘' | '’' | '（' | '）' | '：')
            && !c.is_whitespace()
            && !IS_SIGN(c)
}

/// Characters that may precede a label, in addition to whitespace.
const IS_BEFORE: CharClass = |c| IS_SIGN(c) || matches!(c, '(' | '[');

/// Arrows, symbols and emoji.
pub(crate) const IS_SIGN: CharClass = |c| matches!(c, '\u{2190}'..='\u{2BFF}' | '\u{FE0F}' | '\u{1F000}'..='\u{1FFFF}');
