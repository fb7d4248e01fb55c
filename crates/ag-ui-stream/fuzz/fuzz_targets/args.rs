//! Arguments in any pieces are what `serde_json` makes of the whole.
#![no_main]

use ag_ui_stream::args::ArgsValue;
use ask_user_question::json;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|text: &str| {
    let expected = json::parse(text).ok();
    let characters: Vec<String> = text.chars().map(String::from).collect();
    let whole = read([text]);
    assert_eq!(whole.0, expected, "{:?}", whole.1);
    assert_eq!(read(characters.iter().map(String::as_str)), whole);
});

/// The complete value, or the offset at which it cannot become one.
fn read<'a>(pieces: impl IntoIterator<Item = &'a str>) -> (Option<Value>, Option<usize>) {
    let mut arguments = ArgsValue::default();
    let fed = pieces
        .into_iter()
        .try_for_each(|piece| arguments.feed(piece));
    match fed.and_then(|()| arguments.finish()) {
        Ok(()) => (arguments.into_value(), None),
        Err(error) => (None, Some(error.offset)),
    }
}
