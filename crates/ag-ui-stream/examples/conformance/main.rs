//! Checks the reader against a folder with conformance data:
//!
//! - `ag-ui/streams` (official streams with what they expect)
//! - `ag-ui/recorded` (real runs)
//! - `agents` (streams of other backends)
//! - `sse` (cases of web-platform-tests)

mod messages;
mod recorded;
mod run;
mod sse;
mod streams;

use run::Run;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The result of one case.
enum Verdict {
    Passed,
    /// Passed, with something to say.
    Noted(String),
    Skipped(String),
    Failed(String),
}

struct Row {
    group: &'static str,
    name: String,
    verdict: Verdict,
}

const USAGE: &str = "\
Checks the reader against a folder with conformance data, prints a row for each case and fails where one does.

Usage: conformance PATH

PATH is a folder with one of ag-ui/streams, ag-ui/recorded, agents or sse in it.";

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let path = match (arguments.next(), arguments.next()) {
        (Some(help), None) if help == "--help" || help == "-h" => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        (Some(path), None) => path,
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match check(Path::new(&path)) {
        Ok(rows) => print_table(&rows),
        Err(message) => {
            eprintln!("conformance: {message}");
            ExitCode::from(2)
        }
    }
}

fn check(path: &Path) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for file in files(&path.join("ag-ui/streams"), ".json")? {
        rows.push(row("stream", &file, streams::check(&read(&file)?)));
    }
    for file in files(&path.join("ag-ui/recorded"), ".events.json")? {
        let input = beside(&file, ".events.json", ".input.json")?;
        let run = Run::of_events(&input, read(&file)?.as_array().map_or(&[], Vec::as_slice));
        rows.push(row("recorded", &file, recorded::check(&name(&file), run)));
    }
    for file in files(&path.join("agents"), ".sse")? {
        let request = beside(&file, ".sse", ".request.json")?;
        let run = Run::of_bytes(&request, &read_bytes(&file)?);
        rows.push(row("agent", &file, recorded::check(&name(&file), run)));
    }
    for file in files(&path.join("sse"), ".json")? {
        for case in read(&file)?["cases"].as_array().into_iter().flatten() {
            let name = case["name"].as_str().unwrap_or_default();
            rows.push(Row { group: "sse", name: name.to_owned(), verdict: sse::check(case) });
        }
    }
    if rows.is_empty() { Err(format!("{} holds no cases", path.display())) } else { Ok(rows) }
}

fn row(group: &'static str, file: &Path, verdict: Verdict) -> Row {
    Row { group, name: name(file), verdict }
}

fn name(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

fn print_table(rows: &[Row]) -> ExitCode {
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or_default();
    let (mut passed, mut skipped, mut failed) = (0, 0, 0);
    for Row { group, name, verdict } in rows {
        let (word, note) = match verdict {
            Verdict::Passed => ("ok", ""),
            Verdict::Noted(note) => ("ok", note.as_str()),
            Verdict::Skipped(note) => ("skipped", note.as_str()),
            Verdict::Failed(note) => ("FAILED", note.as_str()),
        };
        match verdict {
            Verdict::Passed | Verdict::Noted(_) => passed += 1,
            Verdict::Skipped(_) => skipped += 1,
            Verdict::Failed(_) => failed += 1,
        }
        println!("{}", format!("{group:<9} {name:<width$}  {word:<7}  {note}").trim_end());
    }
    println!("\n{passed} passed, {skipped} skipped, {failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The files of a folder that end so, by name; none where there is no such folder.
fn files(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, String> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.to_string_lossy().ends_with(ending));
    files.sort();
    Ok(files)
}

/// The file beside a file that has another ending; null where there is none.
fn beside(file: &Path, ending: &str, other: &str) -> Result<Value, String> {
    let name = file.to_string_lossy();
    let name = name.strip_suffix(ending).unwrap_or(&name);
    let file = PathBuf::from(format!("{name}{other}"));
    if file.exists() { read(&file) } else { Ok(Value::Null) }
}

fn read(file: &Path) -> Result<Value, String> {
    serde_json::from_slice(&read_bytes(file)?).map_err(|error| format!("{}: {error}", file.display()))
}

/// Reads a file without its byte order mark.
fn read_bytes(file: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    if bytes.starts_with("\u{feff}".as_bytes()) {
        bytes.drain(..3);
    }
    Ok(bytes)
}
