//! The plural forms of languages.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen::JsValue;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen::prelude::wasm_bindgen;

/// A category of numbers that take the same form of a word, by Unicode's CLDR: English has `one` and `other`, Polish `one`, `few` and
/// `many`, Arabic all six.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Plural {
    /// As for 0 in Arabic.
    Zero,
    /// As for 1 in most languages.
    One,
    /// As for 2 in Arabic.
    Two,
    /// As for 2 to 4 in Polish.
    Few,
    /// As for 5 in Polish.
    Many,
    /// The form that every language has.
    Other,
}

impl Plural {
    /// All categories.
    pub const ALL: [Self; 6] = [Self::Zero, Self::One, Self::Two, Self::Few, Self::Many, Self::Other];

    /// The name of the category in a sheet, and in CLDR.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Zero => "zero",
            Self::One => "one",
            Self::Two => "two",
            Self::Few => "few",
            Self::Many => "many",
            Self::Other => "other",
        }
    }

    /// The category with this name; `None` for any other text.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|plural| plural.as_str() == name)
    }

    /// The category of a number in English, and in many other languages.
    #[must_use]
    pub fn english(count: usize) -> Self {
        if count == 1 { Self::One } else { Self::Other }
    }
}

/// The category of a number in a language: in a browser by `Intl.PluralRules`, elsewhere as in English.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn of_language(_lang: &str, count: usize) -> Plural {
    Plural::english(count)
}

#[cfg(target_arch = "wasm32")]
pub(super) fn of_language(lang: &str, count: usize) -> Plural {
    use std::cell::RefCell;

    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(js_namespace = Intl)]
        type PluralRules;

        /// Throws if `lang` is not a valid language tag.
        #[wasm_bindgen(constructor, js_namespace = Intl, catch)]
        fn new(lang: &str) -> Result<PluralRules, JsValue>;

        #[wasm_bindgen(method)]
        fn select(this: &PluralRules, count: f64) -> String;
    }

    thread_local! {
        /// The rules of the last language, because constructing them takes long.
        static RULES: RefCell<(String, Option<PluralRules>)> = const { RefCell::new((String::new(), None)) };
    }
    RULES.with_borrow_mut(|(known, rules)| {
        if known != lang {
            (*known, *rules) = (lang.to_owned(), PluralRules::new(lang).ok());
        }
        match rules {
            Some(rules) => Plural::named(&rules.select(count as f64)).unwrap_or(Plural::Other),
            None => Plural::english(count),
        }
    })
}

#[cfg(not(target_arch = "wasm32"))]
pub(super) fn number(_lang: &str, number: usize) -> String {
    number.to_string()
}

#[cfg(not(target_arch = "wasm32"))]
pub(super) fn percent(_lang: &str, percent: usize) -> String {
    format!("{percent}%")
}

/// A number as `Intl.NumberFormat` writes it.
#[cfg(target_arch = "wasm32")]
pub(super) fn number(lang: &str, number: usize) -> String {
    to_locale_string(number as f64, lang, &JsValue::UNDEFINED).unwrap_or_else(|_| number.to_string())
}

/// A percentage as `Intl.NumberFormat` writes it.
#[cfg(target_arch = "wasm32")]
pub(super) fn percent(lang: &str, percent: usize) -> String {
    let style = js_sys::Object::new();
    // Setting a member of a plain object cannot fail.
    let _ = js_sys::Reflect::set(&style, &"style".into(), &"percent".into());
    to_locale_string(percent as f64 / 100.0, lang, &style).unwrap_or_else(|_| format!("{percent}%"))
}

#[cfg(target_arch = "wasm32")]
#[wasm_bindgen]
extern "C" {
    /// Throws if `lang` is not a valid language tag.
    #[wasm_bindgen(js_namespace = ["Number", "prototype", "toLocaleString"], js_name = call, catch)]
    fn to_locale_string(number: f64, lang: &str, options: &JsValue) -> Result<String, JsValue>;
}
