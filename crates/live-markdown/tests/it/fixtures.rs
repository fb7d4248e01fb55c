//! Texts in `test_data` with their trees. After an intended change, write the trees again with `UPDATE_FIXTURES=1 cargo test -p
//! live-markdown` and read the difference.

use crate::tree::read;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn texts_are_read_as_they_are_meant() {
    let mut count = 0;
    for (path, text) in texts() {
        let lines = read([text.as_str()]).lines();
        let expected = path.with_extension("txt");
        if std::env::var_os("UPDATE_FIXTURES").is_some() {
            fs::write(&expected, &lines).expect("the folder can be written to");
        }
        let expected =
            fs::read_to_string(&expected).unwrap_or_else(|problem| panic!("{}: {problem}", expected.display()));
        assert_eq!(lines, expected, "{}", path.display());
        count += 1;
    }
    assert!(count > 10, "the fixtures are gone");
}

#[test]
fn the_tree_does_not_depend_on_the_pieces() {
    for (path, text) in texts() {
        let whole = read([text.as_str()]).lines();
        let cuts: Vec<usize> = text.char_indices().map(|(index, _)| index).collect();
        let characters = text.split_inclusive(|_| true);
        assert_eq!(read(characters).lines(), whole, "{} by character", path.display());
        for cut in cuts {
            let (before, after) = text.split_at(cut);
            assert_eq!(read([before, after]).lines(), whole, "{} cut at {cut}", path.display());
        }
    }
}

fn texts() -> impl Iterator<Item = (PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data");
    let files = fs::read_dir(folder).expect("the fixtures are there");
    files
        .map(|file| file.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .map(|path| {
            let text = fs::read_to_string(&path).expect("fixtures are text");
            (path, text)
        })
}
