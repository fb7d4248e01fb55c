//! The languages that ship, each a sheet in the folder `languages`.

use super::Labels;
use json_tree::Json;
use std::sync::OnceLock;

include!(concat!(env!("OUT_DIR"), "/languages.rs"));

/// The shipped language of a tag, whatever its region or script (`de-AT`, `es_419`); `None` if that is not shipped.
///
/// ```
/// assert_eq!(question_card::language_of("de-AT"), Some("de"));
/// assert_eq!(question_card::language_of("tlh"), None);
/// ```
#[must_use]
pub fn language_of(tag: &str) -> Option<&'static str> {
    let language = tag.split(['-', '_']).next().unwrap_or_default();
    LANGUAGES.iter().map(|(tag, _)| *tag).find(|tag| tag.eq_ignore_ascii_case(language))
}

impl Labels {
    /// The words in the language of a tag, or in English if that is not shipped. Each language is parsed once. A program that calls this
    /// carries every language.
    #[must_use]
    pub fn for_lang(tag: &str) -> Self {
        let language = language_of(tag);
        match LANGUAGES.iter().position(|(tag, _)| Some(*tag) == language).unwrap_or_default() {
            0 => Self::ENGLISH,
            at => READ[at - 1].get_or_init(|| read(SHEETS[at - 1])).clone(),
        }
    }
}

static READ: [OnceLock<Labels>; SHEETS.len()] = [const { OnceLock::new() }; SHEETS.len()];

fn read(sheet: &str) -> Labels {
    Json::parse(sheet).map_or(Labels::ENGLISH, |sheet| Labels::ENGLISH.with_tested(&sheet))
}
