//! `cargo xtask size`: what the built page weighs, and whether that is more than it may.

mod budget;
mod crates;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::console::say;
use crate::page;
use crate::tools::Toolbox;
use crate::workspace;
use budget::Budget;

/// Builds the page for release, prints what each file and each crate weighs, and compares the files with the budget. What only the
/// gallery loads is not counted.
///
/// # Errors
///
/// A tool is missing and can't be brought, the build fails, or the budget can't be read.
pub(crate) fn size() -> Result<ExitCode> {
    let path = workspace::root().join("app/budget.txt");
    let budget = fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
    let budget = Budget::parse(&budget)?;
    let dist = page::build_for_release(&Toolbox::for_page(true)?)?;

    let files = weigh(&dist)?;
    println!("{:<28}{:>10}{:>10}{:>10}", "file", "raw", "gzip", "Brotli");
    for File { name, weights } in files.iter().chain([&together(&files)]) {
        let [raw, gzip, brotli] = weights;
        println!("{name:<28}{raw:>10}{gzip:>10}{brotli:>10}");
    }

    let named = workspace::target_dir().join("wasm-bindgen/release/app_bg.wasm");
    let program = fs::read(&named).with_context(|| format!("can't read {}", named.display()))?;
    let code = crates::code(&program).context("Trunk's program is no WebAssembly")?;
    println!("\n{:<28}{:>10}{:>10}", "code before wasm-opt", "raw", "functions");
    for part in crates::by_crate(&code) {
        println!("{:<28}{:>10}{:>10}", part.name, part.bytes, part.functions);
    }
    println!();

    let weights = files.iter().map(|file| (file.name.as_str(), file.brotli()));
    let complaints = budget.judge(&weights.collect::<Vec<_>>());
    for complaint in &complaints {
        say(complaint);
    }
    if complaints.is_empty() {
        say("Within app/budget.txt");
        Ok(ExitCode::SUCCESS)
    } else {
        Ok(ExitCode::FAILURE)
    }
}

/// A file of the page: as it is, by gzip, by Brotli.
struct File {
    name: String,
    weights: [u64; 3],
}

impl File {
    fn brotli(&self) -> u64 {
        self.weights[2]
    }
}

fn weigh(dist: &Path) -> Result<Vec<File>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dist)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        // Each file of the page is packed beside itself; folders are not.
        if !dist.join(format!("{name}.br")).is_file() {
            continue;
        }
        let mut weights = [0; 3];
        for (weight, ending) in weights.iter_mut().zip(["", ".gz", ".br"]) {
            *weight = fs::metadata(dist.join(format!("{name}{ending}")))?.len();
        }
        files.push(File { name: without_hash(&name), weights });
    }
    files.sort_by_key(|file| std::cmp::Reverse(file.brotli()));
    Ok(files)
}

fn together(files: &[File]) -> File {
    let mut weights = [0; 3];
    for file in files {
        for (all, weight) in weights.iter_mut().zip(file.weights) {
            *all += weight;
        }
    }
    File { name: budget::TOGETHER.to_owned(), weights }
}

/// A file's name without the hash of its content: `app-0123456789abcdef_bg.wasm` is `app_bg.wasm`. Trunk leaves zeros in front of a hash out.
fn without_hash(name: &str) -> String {
    let plain = name.rsplit_once('-').and_then(|(before, after)| {
        let hash = after.bytes().take_while(u8::is_ascii_hexdigit).count();
        (10..=16).contains(&hash).then(|| format!("{before}{}", &after[hash..]))
    });
    plain.unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::without_hash;

    #[test]
    fn a_name_is_known_without_its_hash() {
        for (name, plain) in [
            ("app-0123456789abcdef_bg.wasm", "app_bg.wasm"),
            ("app-123456789abcdef_bg.wasm", "app_bg.wasm"),
            ("app-123456789abcdef.js", "app.js"),
            ("question-card-0123456789abcdef.css", "question-card.css"),
            ("question-card.css", "question-card.css"),
            ("index.html", "index.html"),
        ] {
            assert_eq!(without_hash(name), plain);
        }
    }
}
