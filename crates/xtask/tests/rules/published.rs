//! The crates that are published have what a registry shows of them.

use std::fs;
use std::path::PathBuf;

use crate::{read, root, tracked};

#[test]
fn a_published_crate_has_what_its_page_in_a_registry_shows() {
    let published = published();
    assert!(published.iter().any(|folder| folder.ends_with("question-card")) && published.len() > 3, "{published:?}");
    for folder in published {
        let manifest = read(&folder.join("Cargo.toml"));
        for key in ["description", "documentation", "readme", "keywords", "categories", "include"] {
            assert!(manifest.contains(&format!("\n{key} = ")), "{} has no {key}", folder.display());
        }
        assert!(manifest.contains("\nrepository.workspace = true\n"), "{} has no repository", folder.display());
        for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
            assert!(folder.join(file).is_file(), "{} has no {file}", folder.display());
        }
    }
}

/// A registry shows the README without the repository around it.
#[test]
fn a_published_readme_links_to_nothing_beside_it() {
    // Npm shows the element's.
    for folder in published().into_iter().chain([crates().join("question-element")]) {
        let readme = read(&folder.join("README.md"));
        let definitions = readme.lines().filter(|line| line.starts_with('[')).map(|line| line.split("]: ").nth(1));
        let links = readme.split("](").skip(1).map(|rest| rest.split(')').next()).chain(definitions).flatten();
        for link in links {
            assert!(link.starts_with("https://") || link.starts_with('#'), "{}: {link}", folder.display());
        }
    }
}

/// Who reads a package's documents has its examples, too.
#[test]
fn a_published_crate_has_the_examples_that_its_documents_name() {
    for folder in published() {
        let documents = ["README.md", "AUTHOR.md", "OPERATOR.md"].map(|name| fs::read_to_string(folder.join(name)));
        let names_some = |text: &String| {
            ["`examples/", "example `", "examples `", "--example "].iter().any(|way| text.contains(way))
        };
        if documents.iter().flatten().any(names_some) {
            let manifest = read(&folder.join("Cargo.toml"));
            let included = manifest.lines().find(|line| line.starts_with("include = ")).unwrap_or_default();
            assert!(included.contains("\"/examples\""), "{} leaves its examples out", folder.display());
        }
    }
}

/// React Server Components take a module with hooks for the server's otherwise, and Next.js fails to build the page.
#[test]
fn the_component_for_react_is_one_of_the_client() {
    assert!(read(&crates().join("question-element/js/react.js")).starts_with("\"use client\";\n"));
}

/// The owner sets it once.
#[test]
fn the_repositorys_address_stands_in_one_place() {
    let manifest = read(&root().join("Cargo.toml"));
    let (_, after) = manifest.split_once("\nrepository = \"https://").expect("there is one");
    let address = after.split('"').next().unwrap_or_default();
    let names_it = |file: &&String| {
        *file != "Cargo.toml" && fs::read_to_string(root().join(file)).is_ok_and(|text| text.contains(address))
    };
    assert_eq!(tracked().iter().filter(names_it).collect::<Vec<_>>(), [""; 0]);
}

/// `dist generate` writes it, and `dist plan` compares all of it; this is what they would find soonest.
#[test]
fn the_workflow_of_a_release_has_what_its_settings_name() {
    let manifest = read(&root().join("Cargo.toml"));
    let (_, settings) = manifest.split_once("[workspace.metadata.dist]").expect("there are settings of dist");
    let workflows = root().join(".github/workflows");
    let release = read(&workflows.join("release.yml"));
    let between = |text: &str, open: &str| {
        text.split(open).skip(1).filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())).collect::<Vec<_>>()
    };
    let version = &between(settings, "cargo-dist-version = \"")[0];
    assert!(release.contains(&format!("/v{version}/")), "release.yml is of another dist than {version}");
    let jobs = between(settings, "\"./");
    assert!(jobs.len() > 3, "{jobs:?}");
    for job in jobs {
        assert!(workflows.join(format!("{job}.yml")).is_file(), "there is no {job}.yml");
        assert!(release.contains(&format!("/{job}.yml\n")), "release.yml does not call {job}.yml");
    }
    let setup = read(&root().join(".github/build-setup.yml"));
    let steps: Vec<_> = setup.lines().filter_map(|line| line.strip_prefix("- name: ")).collect();
    assert!(!steps.is_empty());
    for step in steps {
        assert!(release.contains(&format!("- name: \"{step}\"\n")), "release.yml has no step `{step}`");
    }
}

fn published() -> Vec<PathBuf> {
    let folders = fs::read_dir(crates()).expect("there are crates").map(|entry| entry.expect("it can be read").path());
    folders.filter(|folder| read(&folder.join("Cargo.toml")).contains("\npublish = true\n")).collect()
}

fn crates() -> PathBuf {
    root().join("crates")
}
