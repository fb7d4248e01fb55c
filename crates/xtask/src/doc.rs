//! `cargo xtask doc`: the documents as a book, with the reference of the crates beside it.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};

use crate::console::say;
use crate::pack::names::REPOSITORY;
use crate::steps::{self, StepLog, StepSpec};
use crate::{files, tools, workspace};

/// The list of chapters, in the format of mdBook. Links to documents outside of the book lead to the repository.
const SUMMARY: &str = "crates/xtask/book/SUMMARY.md";

/// Makes `target/book`, with the reference of the crates.
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

/// Builds the reference of every crate, and fails at a warning.
pub(crate) fn reference(log: &StepLog) -> Result<()> {
    // The card of this example is that of a server, which has no `MountedCard` to link to.
    let mut doc = workspace::linting_cargo(["doc", "--workspace", "--exclude", "ssr-chat", "--lib", "--no-deps"]);
    log.run(doc.env("RUSTDOCFLAGS", "--deny warnings"))
}

/// Builds the book of the documents.
pub(crate) fn book(log: &StepLog) -> Result<()> {
    let folder = workspace::scratch("book");
    files::remove(&folder)?;
    let summary = workspace::read(SUMMARY)?;
    let mut links = Links { chapters: chapters(&summary), pictures: BTreeSet::new() };
    for document in &links.chapters.clone() {
        let text = links.within(&workspace::read(&document.to_string_lossy())?, document)?;
        files::write(&folder.join("src").join(name_of(document)), text)?;
    }
    files::write(&folder.join("src/SUMMARY.md"), links.within(&summary, Path::new(SUMMARY))?)?;
    for picture in &links.pictures {
        files::copy(&workspace::root().join(picture), &folder.join("src").join(name_of(picture)))?;
    }
    let settings = format!(
        "book.title = \"ask-user-question\"\noutput.html.git-repository-url = \"{REPOSITORY}\"\noutput.html.site-url = \"/book/\"\n"
    );
    files::write(&folder.join("book.toml"), settings)?;
    files::remove(&output())?;
    let mut mdbook = tools::mdbook().command("mdbook", log)?;
    log.run(mdbook.arg("build").arg(&folder).arg("--dest-dir").arg(output()))
}

/// The documents that a summary links to, as paths from the workspace's root.
fn chapters(summary: &str) -> Vec<PathBuf> {
    let links = summary.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    links.map(|link| normal(&Path::new(SUMMARY).with_file_name("").join(link))).collect()
}

/// The file name of a document or a picture in the book, which has no folders: `crates-question-card.md` for `crates/question-card/README.md`,
/// `index.md` for the first.
fn name_of(path: &Path) -> String {
    let name = path.to_string_lossy().trim_start_matches('.').replace('/', "-");
    match name.strip_suffix("README.md").map(|folder| folder.trim_end_matches('-')) {
        Some("") => "index.md".to_owned(),
        Some(folder) => format!("{folder}.md"),
        None if name.ends_with(".md") => name.to_lowercase(),
        None => name,
    }
}

/// Rewrites the links of documents for the book.
struct Links {
    chapters: Vec<PathBuf>,
    /// The pictures that the documents so far show.
    pictures: BTreeSet<PathBuf>,
}

impl Links {
    /// The text of a document, with its relative links rewritten to chapters, to pictures beside them, or to the repository.
    fn within(&mut self, text: &str, document: &Path) -> Result<String> {
        let mut parts = text.split("](");
        let mut linked = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (link, rest) = part.split_once(')').context("a link ends")?;
            linked += &format!("]({}){rest}", self.target(link, document));
        }
        Ok(linked)
    }

    fn target(&mut self, link: &str, document: &Path) -> String {
        if link.starts_with('#') || link.contains("://") {
            return link.to_owned();
        }
        let (file, heading) = link.find('#').map_or((link, ""), |at| link.split_at(at));
        let path = normal(&document.with_file_name("").join(file));
        let chapter = [path.clone(), path.join("README.md")].into_iter().find(|path| self.chapters.contains(path));
        match chapter {
            Some(chapter) => format!("{}{heading}", name_of(&chapter)),
            None if path.extension().is_some_and(|ending| ending == "png") => {
                let name = name_of(&path);
                self.pictures.insert(path);
                name
            }
            None => format!("{REPOSITORY}/blob/main/{}{heading}", path.display()),
        }
    }
}

/// Resolves `..` without the file system.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_into_the_book_or_to_the_repository() {
        let mut links = Links { chapters: chapters(&workspace::read(SUMMARY).unwrap()), pictures: BTreeSet::new() };
        let mut to = |link: &str| links.target(link, Path::new("crates/agent-chat/README.md"));
        assert_eq!(to("../question-card/README.md#props"), "crates-question-card.md#props");
        assert_eq!(to("../question-card"), "crates-question-card.md");
        assert_eq!(to("../../README.md"), "index.md");
        assert_eq!(to("../../.github/CONTRIBUTING.md"), "github-contributing.md");
        assert!(to("src/lib.rs").ends_with("/blob/main/crates/agent-chat/src/lib.rs"));
        assert_eq!(to("https://docs.ag-ui.com"), "https://docs.ag-ui.com");
        assert_eq!(to("../../app/screenshot.png"), "app-screenshot.png");
        assert!(links.pictures.contains(Path::new("app/screenshot.png")));
    }
}
