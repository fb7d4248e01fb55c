//! `cargo xtask doc`: the documents as a book, with the reference of the crates beside it.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};

use crate::console::say;
use crate::pack::names;
use crate::steps::{self, StepLog, StepSpec};
use crate::{files, tools, workspace};

/// The chapters of each part: title, document. What links to a document outside of the book leads to the repository.
const PARTS: [(&str, &[(&str, &str)]); 4] = [
    (
        "Start",
        &[
            ("ask-user-question", "README.md"),
            ("An app of your own in Leptos", "app/AUTHOR.md"),
            ("The custom element", "crates/question-element/README.md"),
            ("Clients of MCP", "crates/question-mcp/README.md"),
            ("An agent without a framework", "crates/agent-chat/recipes/bare/README.md"),
            ("Agents of frameworks", "crates/agent-chat/recipes/README.md"),
        ],
    ),
    (
        "The server",
        &[
            ("question-server", "crates/question-server/README.md"),
            ("For authors of agents", "crates/question-server/AUTHOR.md"),
            ("For operators", "crates/question-server/OPERATOR.md"),
            ("Models", "crates/question-models/README.md"),
            ("Scripted agents", "crates/scripted-agent/README.md"),
        ],
    ),
    (
        "The crates",
        &[
            ("question-card", "crates/question-card/README.md"),
            ("agent-chat", "crates/agent-chat/README.md"),
            ("ask-user-question", "crates/ask-user-question/README.md"),
            ("ag-ui-stream", "crates/ag-ui-stream/README.md"),
            ("question-agent", "crates/question-agent/README.md"),
            ("question-compat", "crates/question-compat/README.md"),
            ("question-form", "crates/question-form/README.md"),
            ("json-tree", "crates/json-tree/README.md"),
            ("live-markdown", "crates/live-markdown/README.md"),
        ],
    ),
    (
        "Inside",
        &[
            ("Architecture, and how to add", "ARCHITECTURE.md"),
            ("Contributing", ".github/CONTRIBUTING.md"),
            ("Changes", "CHANGELOG.md"),
        ],
    ),
];

/// Makes `target/book`.
pub(crate) fn doc() -> Result<()> {
    steps::run_or_fail(&[
        StepSpec::runs("book", &[], book),
        StepSpec::builds("reference", &["book"], |log| {
            reference(log)?;
            files::copy(&workspace::target_dir().join("doc"), &output().join("reference"))
        }),
    ])?;
    say(&format!("{}", output().join("index.html").display()));
    Ok(())
}

fn output() -> PathBuf {
    workspace::root().join("target/book")
}

/// The reference of every crate, without a warning.
pub(crate) fn reference(log: &StepLog) -> Result<()> {
    // The example's card is the one of a server, which has no `MountedCard` to link to.
    let mut doc = workspace::linting_cargo(["doc", "--workspace", "--exclude", "ssr-chat", "--lib", "--no-deps"]);
    log.run(doc.env("RUSTDOCFLAGS", "--deny warnings"))
}

/// The documents as mdBook shows them.
pub(crate) fn book(log: &StepLog) -> Result<()> {
    let folder = workspace::scratch("book");
    files::remove(&folder)?;
    let mut summary = String::new();
    let mut pictures = BTreeSet::new();
    for (part, chapters) in PARTS {
        summary += &format!("# {part}\n\n");
        for (title, document) in chapters {
            let chapter = chapter_of(Path::new(document)).context("a chapter of the book")?;
            summary += &format!("- [{title}]({chapter})\n");
            let text = with_links(&workspace::read(document)?, Path::new(document), &mut pictures)?;
            files::write(&folder.join("src").join(chapter), text)?;
        }
        summary += "\n";
    }
    files::write(&folder.join("src/SUMMARY.md"), summary)?;
    for picture in &pictures {
        files::copy(&workspace::root().join(picture), &folder.join("src").join(file_name(picture)))?;
    }
    let repository = names::repository()?;
    let settings = format!(
        "book.title = \"ask-user-question\"\noutput.html.git-repository-url = \"{repository}\"\noutput.html.site-url = \"/book/\"\n"
    );
    files::write(&folder.join("book.toml"), settings)?;
    files::remove(&output())?;
    let mut mdbook = tools::mdbook().command("mdbook", log)?;
    log.run(mdbook.arg("build").arg(&folder).arg("--dest-dir").arg(output()))
}

/// The file of a document in the book: `crates-question-card.md` for `crates/question-card/README.md`, `index.md` for the first.
fn chapter_of(document: &Path) -> Option<String> {
    let in_book =
        |path: &Path| PARTS.iter().any(|(_, chapters)| chapters.iter().any(|(_, file)| Path::new(file) == path));
    let readme = document.join("README.md");
    let document = [document, &readme].into_iter().find(|path| in_book(path))?;
    let name = document.to_str()?.trim_end_matches("README.md").trim_end_matches(".md");
    let name = name.trim_matches(['/', '.']).replace('/', "-").to_lowercase();
    Some(format!("{}.md", if name.is_empty() { "index" } else { &name }))
}

/// A document's text whose relative links lead to chapters, to pictures beside them, or to the repository.
fn with_links(text: &str, document: &Path, pictures: &mut BTreeSet<PathBuf>) -> Result<String> {
    let mut parts = text.split("](");
    let mut linked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (link, rest) = part.split_once(')').context("a link ends")?;
        linked += &format!("]({}){rest}", target(link, document, pictures)?);
    }
    Ok(linked)
}

fn target(link: &str, document: &Path, pictures: &mut BTreeSet<PathBuf>) -> Result<String> {
    if link.starts_with('#') || link.contains("://") {
        return Ok(link.to_owned());
    }
    let (file, heading) = link.find('#').map_or((link, ""), |at| link.split_at(at));
    let path = normal(&document.with_file_name("").join(file));
    Ok(match chapter_of(&path) {
        Some(chapter) => format!("{chapter}{heading}"),
        None if path.extension().is_some_and(|ending| ending == "png") => {
            let name = file_name(&path);
            pictures.insert(path);
            name
        }
        None => format!("{}/blob/main/{}{heading}", names::repository()?, path.display()),
    })
}

/// The path without `..`.
fn normal(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut path, part| {
        if part == Component::ParentDir {
            path.pop();
        } else {
            path.push(part);
        }
        path
    })
}

fn file_name(picture: &Path) -> String {
    picture.to_string_lossy().replace('/', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_into_the_book_or_to_the_repository() {
        let mut pictures = BTreeSet::new();
        let mut to = |link: &str| target(link, Path::new("crates/agent-chat/README.md"), &mut pictures).unwrap();
        assert_eq!(to("../question-card/README.md#props"), "crates-question-card.md#props");
        assert_eq!(to("../question-card"), "crates-question-card.md");
        assert_eq!(to("../../README.md"), "index.md");
        assert_eq!(to("../../.github/CONTRIBUTING.md"), "github-contributing.md");
        assert!(to("src/lib.rs").ends_with("/blob/main/crates/agent-chat/src/lib.rs"));
        assert_eq!(to("https://docs.ag-ui.com"), "https://docs.ag-ui.com");
        assert_eq!(to("../../app/screenshot.png"), "app-screenshot.png");
        assert!(pictures.contains(Path::new("app/screenshot.png")));
    }
}
