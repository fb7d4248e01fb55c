//! The languages that ship, each a sheet in the folder `languages`.

use super::Labels;
use json_tree::Json;

include!(concat!(env!("OUT_DIR"), "/languages.rs"));

/// The language of a tag, whatever its region or script (`de-AT`, `es_419`), if it ships.
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
    /// The words in the language of a tag; English if it does not ship. The sheet is read at each call, so keep the result. A program that
    /// calls it carries every language.
    #[must_use]
    pub fn for_lang(tag: &str) -> Self {
        let language = language_of(tag);
        match LANGUAGES.iter().position(|(tag, _)| Some(*tag) == language).unwrap_or_default() {
            0 => Self::ENGLISH,
            at => Json::parse(SHEETS[at - 1]).map_or(Self::ENGLISH, |sheet| Self::ENGLISH.with_tested(&sheet)),
        }
    }
}
