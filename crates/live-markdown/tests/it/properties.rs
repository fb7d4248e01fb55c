//! Properties of every text.

use crate::tree::read;
use proptest::collection::vec;
use proptest::prelude::*;

/// The parts of texts: all marks, words, and arbitrary characters.
fn text() -> impl Strategy<Value = String> {
    let marks = [
        "*",
        "**",
        "***",
        "_",
        "__",
        "`",
        "``",
        "```",
        "~~~",
        "[",
        "]",
        "](",
        "(",
        ")",
        "![",
        "!",
        "\\",
        "#",
        "## ",
        ">",
        "> ",
        "-",
        "- ",
        "+ ",
        "1. ",
        "2) ",
        "• ",
        "---",
        "|",
        "| ",
        "|\n|",
        "|---|\n",
        "\n",
        "\n\n",
        "\r\n",
        " ",
        "  ",
        "    ",
        "\t",
        "https://",
        "http",
        "h",
        "mailto:",
        "javascript:",
        "https://a.b/c",
        "<",
        "\"",
        "'",
        ".",
        ",",
        "é",
        "強",
        "😀",
        "\u{202e}",
        "\0",
    ];
    let piece = prop_oneof![
        6 => proptest::sample::select(marks.to_vec()).prop_map(str::to_owned),
        3 => "[a-z]{1,4}",
        1 => any::<char>().prop_map(String::from),
    ];
    vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

/// A text and where to cut it.
fn cut_text() -> impl Strategy<Value = Vec<String>> {
    (text(), vec(any::<proptest::sample::Index>(), 0..8)).prop_map(|(text, cuts)| {
        let places: Vec<usize> = text.char_indices().map(|(index, _)| index).chain([text.len()]).collect();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| *cut.get(&places)).chain([0, text.len()]).collect();
        cuts.sort_unstable();
        cuts.windows(2).map(|pair| text[pair[0]..pair[1]].to_owned()).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_pieces_make_no_difference(pieces in cut_text()) {
        let whole = pieces.concat();
        prop_assert_eq!(read(pieces.iter().map(String::as_str)).lines(), read([whole.as_str()]).lines());
        let characters = whole.split_inclusive(|_| true);
        prop_assert_eq!(read(characters).lines(), read([whole.as_str()]).lines());
    }

    /// Only marks go, and text in their place: the rest of a fence's line, a link's title, an item's number.
    #[test]
    fn no_word_and_no_sign_is_lost(pieces in vec(prop_oneof![
        proptest::sample::select(vec!["*", "**", "_", "`", "``", "[", "]", "!", "\\", "# ", "> ", "- ", "---", "|", "| a |\n|---|\n|", "\n", "\n\n", " ", "    ", "http", "https://", ".", ","])
            .prop_map(str::to_owned),
        "[a-zé強]{1,4}",
    ], 0..60)) {
        let text = pieces.concat();
        let words = |text: &str| text.chars().filter(|c| c.is_alphabetic() || "!.,:/".contains(*c)).collect::<String>();
        // Three and more backticks would make a fence.
        prop_assume!(!text.contains("```"));
        prop_assert_eq!(words(&read([text.as_str()]).text()), words(&text));
    }

    /// Links of any text lead to the web or to a mailbox.
    #[test]
    fn links_lead_nowhere_else(text in text()) {
        for line in read([text.as_str()]).lines().lines() {
            if let Some((_, address)) = line.trim_start().split_once(" to ").filter(|(name, _)| ["Link", "Address"].contains(name)) {
                prop_assert!(["https://", "http://", "mailto:"].iter().any(|scheme| address.starts_with(scheme)), "{}", address);
            }
        }
    }
}
