//! `cargo xtask size`: what the built page weighs, and whether that is more than it may. And what each part of it would weigh alone.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::flags::SizeCmd;
use crate::steps::{self, Log, Step};
use crate::{files, page, wasm, workspace};

/// Weighs the page, or the small pages.
pub(crate) fn size(what: &SizeCmd) -> Result<()> {
    match what {
        SizeCmd::Whole(_) => whole_page(),
        SizeCmd::Parts(_) => small_pages(),
    }
}

/// Builds the page for release, prints what each file weighs, and compares that with the budget.
fn whole_page() -> Result<()> {
    let budget = workspace::read("app/budget.txt")?;
    steps::run_or_fail(&page::steps_for_release())?;
    let mut files = weigh(&page::dist())?;
    let together = files.iter().fold([0; 3], |sum, (_, weights)| [0, 1, 2].map(|at| sum[at] + weights[at]));
    files.sort_by_key(|(_, [_, _, brotli])| std::cmp::Reverse(*brotli));
    files.push(("together".into(), together));
    print("file", &files);
    let brotli = files.iter().map(|(name, [_, _, brotli])| (name.as_str(), *brotli)).collect();
    let complaints = judge(&budget, &brotli)?;
    if !complaints.is_empty() {
        bail!("{}", complaints.join("; "));
    }
    Ok(())
}

/// The small pages of the crate of that name: their names, the folder of the build that has each, and what they show or do.
const SMALL_PAGES: [(&str, &str, &str); 7] = [
    ("events", "examples/", "reads events"),
    ("thread", "examples/", "and keeps messages and state"),
    ("asks", "examples/", "and asks, and the way back"),
    ("card", "", "card in English, no extras"),
    ("card_languages", "", "card in five languages"),
    ("card_json", "", "card in English, reads JSON"),
    ("card_extras", "", "all of that, and all extras"),
];

/// Builds the small pages as the page is built, and prints what the program of each weighs.
fn small_pages() -> Result<()> {
    steps::run_or_fail(&[
        Step::runs("tools", &[], page::bring_tools),
        Step::runs("small pages", &["tools"], build_small_pages),
    ])?;
    let weights = weigh(&parts())?;
    let row = |(name, _, title): (&str, &str, &str)| {
        let program = format!("{name}_bg.wasm");
        let (_, weights) =
            weights.iter().find(|(file, _)| *file == program).with_context(|| format!("no {program}"))?;
        Ok((title.to_owned(), *weights))
    };
    print("small page that", &SMALL_PAGES.into_iter().map(row).collect::<Result<Vec<_>>>()?);
    Ok(())
}

fn build_small_pages(log: &Log) -> Result<()> {
    let build = ["build", "--release", "--package", "small-pages", "--bins", "--examples"];
    log.run(&mut wasm::cargo_for(build, log)?)?;
    files::remove(&parts())?;
    for (name, folder, _) in SMALL_PAGES {
        log.doing(name);
        let built = wasm::built(&format!("release/{folder}{name}"));
        let program = wasm::bind(&built, name, &parts(), log)?;
        wasm::shrink(&program, &parts().join(format!("{name}.js")), log)?;
    }
    wasm::pack(&parts(), log)
}

/// Where the small pages are built.
fn parts() -> PathBuf {
    workspace::scratch("parts")
}

fn print(title: &str, rows: &[(String, [u64; 3])]) {
    println!("{title:<30}{:>10}{:>10}{:>10}", "raw", "gzip", "Brotli");
    for (name, [raw, gzip, brotli]) in rows {
        println!("{name:<30}{raw:>10}{gzip:>10}{brotli:>10}");
    }
}

/// Each file of the page with its bytes as they are, by gzip and by Brotli.
fn weigh(dist: &Path) -> Result<Vec<(String, [u64; 3])>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dist).with_context(|| format!("can't read {}", dist.display()))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let weight = |ending| fs::metadata(dist.join(format!("{name}{ending}"))).map(|data| data.len());
        // Each file of the page is packed beside itself; folders and what is packed are not.
        if let (Ok(raw), Ok(gzip), Ok(brotli)) = (weight(""), weight(".gz"), weight(".br")) {
            files.push((without_hash(&name), [raw, gzip, brotli]));
        }
    }
    Ok(files)
}

/// What is over the lines of `budget`, each a name and the most bytes of Brotli, in a sentence each.
fn judge(budget: &str, files: &BTreeMap<&str, u64>) -> Result<Vec<String>> {
    let lines = budget.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let line = |line| -> Option<(&str, u64)> {
        let (name, most) = str::split_once(line, ' ')?;
        Some((name, most.trim().parse().ok()?))
    };
    let lines =
        lines.map(|text| line(text).with_context(|| format!("app/budget.txt: not a name and a number: {text}")));
    let budget: BTreeMap<&str, u64> = lines.collect::<Result<_>>()?;
    let over = files.iter().filter_map(|(name, weight)| match budget.get(name) {
        Some(most) if weight > most => {
            Some(format!("{name} weighs {weight} bytes of Brotli, {} more than app/budget.txt allows", weight - most))
        }
        Some(_) => None,
        None => Some(format!("{name} weighs {weight} bytes of Brotli and has no line in app/budget.txt")),
    });
    let gone = budget.keys().filter(|name| !files.contains_key(*name));
    Ok(over.chain(gone.map(|name| format!("{name} has a line in app/budget.txt and is not there"))).collect())
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
    use super::*;

    #[test]
    fn a_file_over_its_line_is_named_and_so_is_one_without() {
        let budget = "# Remark\na.wasm 100\na.css   20\n\ntogether 110\n";
        let judged = |files: &[(&str, u64)]| judge(budget, &files.iter().copied().collect()).unwrap();
        assert!(judged(&[("a.wasm", 100), ("a.css", 10), ("together", 110)]).is_empty());
        let over = ["a.wasm weighs 103 bytes of Brotli, 3 more than app/budget.txt allows"];
        assert_eq!(judged(&[("a.wasm", 103), ("a.css", 1), ("together", 104)]), over);
        let unlisted = "b.js weighs 2 bytes of Brotli and has no line in app/budget.txt";
        let gone = "a.css has a line in app/budget.txt and is not there";
        assert_eq!(judged(&[("a.wasm", 1), ("b.js", 2), ("together", 3)]), [unlisted, gone]);
        for text in ["a.wasm", "a.wasm many", "a.wasm -1"] {
            assert!(judge(text, &BTreeMap::new()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_name_is_known_without_its_hash() {
        for (name, plain) in [
            ("app-0123456789abcdef_bg.wasm", "app_bg.wasm"),
            ("app-123456789abcdef.js", "app.js"),
            ("question-card-0123456789abcdef.css", "question-card.css"),
            ("question-card.css", "question-card.css"),
            ("index.html", "index.html"),
        ] {
            assert_eq!(without_hash(name), plain);
        }
    }
}
