//! The files that other languages read: they say what the code says. After an intended change, write them again with
//! `UPDATE_FILES=1 cargo test -p ask-user-question` and read the difference.

use ask_user_question::Limits;
use ask_user_question::guidance::{Mode, text};
use ask_user_question::tool::tool_definition;
use std::fs;
use std::path::Path;

#[track_caller]
fn holds(file: &str, content: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if std::env::var_os("UPDATE_FILES").is_some() {
        fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        fs::write(&path, content).expect("it can be written");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, content, "{file}: if the change is meant, UPDATE_FILES=1 cargo test -p ask-user-question");
}

#[test]
fn each_profile_has_its_tool_and_its_guidance_in_files() {
    for (name, limits) in [("runtime", Limits::RUNTIME), ("coding", Limits::CODING), ("chat", Limits::CHAT)] {
        let tool = serde_json::to_string_pretty(&tool_definition(&limits)).expect("it serializes");
        holds(&format!("schemas/{name}.json"), &(tool + "\n"));
        holds(&format!("guidance/{name}.md"), &(text(&limits, Mode::Any) + "\n"));
    }
    holds("guidance/coding-plan.md", &(text(&Limits::CODING, Mode::Plan) + "\n"));
}
