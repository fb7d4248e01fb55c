//! Makes the list of languages from the folder `languages`: a new language is a file there. And the styles for programs, without what is
//! for people: every page that adopts them downloads them.

use json_tree::Json;
use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=languages");
    println!("cargo::rerun-if-changed=question-card.css");
    let mut files: Vec<_> = fs::read_dir("languages")
        .expect("the folder is part of the crate")
        .map(|entry| entry.expect("the folder can be read").path())
        .collect();
    files.sort();
    // English is in the table of words.
    let mut languages = vec![("en".to_owned(), "English".to_owned())];
    let mut sheets = Vec::new();
    for file in files {
        let sheet = fs::read_to_string(&file).expect("a sheet can be read");
        let sheet = Json::parse(&sheet).unwrap_or_else(|problem| panic!("{}: {problem}", file.display()));
        let mut sheet = sheet.into_static();
        let text =
            |name| sheet.get(name).and_then(Json::as_str).unwrap_or_else(|| panic!("{}: no {name}", file.display()));
        languages.push((text("lang").to_owned(), text("name").to_owned()));
        if let Json::Object(members) = &mut sheet {
            members.take("frame");
            members.take("page");
            members.take("view");
        }
        sheets.push(sheet.text());
    }
    let list = format!(
        "/// Every language that ships, by its tag and its own name, English first.\n\
         pub const LANGUAGES: &[(&str, &str)] = &{languages:?};\n\
         /// The sheets of all languages except English, without the words of pages.\n\
         const SHEETS: &[&str] = &{sheets:?};\n"
    );
    let folder = env::var_os("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&folder).join("languages.rs"), list).expect("the list is written");

    let styles = fs::read_to_string("question-card.css").expect("the styles are part of the crate");
    // In a checkout the file is a link into `style`; a package has its content.
    assert!(styles.len() > 1000, "git has checked out question-card.css as text: set core.symlinks to true");
    fs::write(Path::new(&folder).join("question-card.css"), without_comments(&styles)).expect("the styles are written");
}

/// The lines of a style sheet without comments and indentation. No text in it holds the sign of a comment.
fn without_comments(styles: &str) -> String {
    let mut parts = styles.split("/*");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    plain.extend(parts.map(|part| part.split_once("*/").expect("a comment has an end").1));
    plain.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}
