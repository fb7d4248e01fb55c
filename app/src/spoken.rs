//! Elements that say a word of the page, in the language that it has. Each names its word in an attribute, as those of `index.html` do.

use crate::nodes::{set, write};
use crate::shell::parts;
use crate::words::{Say, Words};
use web_sys::Element;

/// The attribute with the name of the word that is an element's text.
const TEXT: &str = "data-say";

/// The attribute with the name of the word that is an element's label.
const LABEL: &str = "data-name";

/// Makes an element say a word.
pub(crate) fn say(element: &Element, word: Say) {
    set(element, TEXT, word.name());
    write(element, Words::of_the_document().text(word));
}

/// Empties an element that may say a word, or says it.
pub(crate) fn say_if(element: &Element, word: Option<Say>) {
    match word {
        Some(word) => say(element, word),
        None => {
            // It fails only for invalid names.
            let _ = element.remove_attribute(TEXT);
            write(element, "");
        }
    }
}

/// Labels an element by a word.
pub(crate) fn label(element: &Element, word: Say) {
    set(element, LABEL, word.name());
    set(element, "aria-label", Words::of_the_document().text(word));
}

/// Makes all elements of the page say their words in this language.
pub(crate) fn speak_all(words: &Words) {
    for element in parts("[data-say], [data-name]") {
        let word = |attribute| element.get_attribute(attribute).and_then(|name| Say::named(&name));
        if let Some(word) = word(TEXT) {
            write(&element, words.text(word));
        }
        if let Some(word) = word(LABEL) {
            set(&element, "aria-label", words.text(word));
        }
    }
}
