//! A program and the JavaScript that starts it, as small as they get together.

mod likeness;
mod unread;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use crate::files;
use crate::steps::Log;
use crate::tools;

/// The names by which a program and its JavaScript know each other, and short ones for them: each import as module, name and short name,
/// each export as name and short name.
type ShortNames = BTreeMap<String, Vec<Vec<String>>>;

/// Makes a bound program as small as it gets, and has its JavaScript follow. `wasm-bindgen` has to have left the names of its functions.
pub(crate) fn shrink(program: &Path, script: &Path, log: &Log) -> Result<()> {
    let arguments = super::opt_arguments()?;
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let settings = || arguments.iter().filter(|argument| argument.starts_with("--enable-"));
    let opt = || tools::binaryen().command("wasm-opt", log);
    let as_text = |passes: &[&str]| -> Result<String> {
        let text = program.with_extension("wat");
        let mut opt = opt()?;
        log.run(opt.args(settings()).args(passes).args(["-g", "-S"]).arg(program).arg("--output").arg(&text))?;
        let read = fs::read_to_string(&text)?;
        files::remove(&text)?;
        Ok(read)
    };
    let text = as_text(&[])?;
    let last_texts = unread::last_texts(&text);
    files::write(program, without_the_unheard(&text))?;
    let text = as_text(&["--remove-unused-module-elements"])?;
    files::write(program, without_formatting(&text))?;
    let text = as_text(&arguments)?;
    files::write(program, likeness::ordered(&text))?;
    let mut opt = opt()?;
    // The levels let it write instructions as it does for an optimized program, which a text is not by itself.
    opt.args(settings()).args(["--optimize-level=2", "--shrink-level=2"]);
    opt.args(["--strip-debug", "--strip-producers", "--strip-target-features"]);
    opt.arg("--minify-imports-and-exports-and-modules").arg(program).arg("--output").arg(program);
    let names = serde_json::from_str(&log.output(&mut opt)?).context("wasm-opt does not tell the short names")?;
    let mut bytes = fs::read(program)?;
    unread::forget(&mut bytes, &as_text(&[])?, &last_texts)?;
    files::write(program, bytes)?;
    let script_now = without_unmade_classes(&fs::read_to_string(script)?);
    files::write(script, renamed(&script_now, &names)?)?;
    minify(script, log)
}

/// Takes out of JavaScript what only its readers need.
pub(crate) fn minify(script: &Path, log: &Log) -> Result<()> {
    let mut minify = tools::terser().command("terser", log)?;
    minify.args(["--module", "--compress", "passes=3,ecma=2022", "--mangle", "--output"]);
    log.run(minify.args([script, Path::new("--"), script]))
}

/// What the names of functions end with that say why a program ends, and do not return.
const LAST_WORDS: [&str; 11] = [
    "]::panicking::panic",
    "]::panicking::panic_fmt",
    "]::panicking::panic_bounds_check",
    "]::result::unwrap_failed",
    "]::option::expect_failed",
    "]::slice::index::slice_index_fail",
    "]::str::slice_error_fail",
    "]::cell::panic_already_borrowed",
    "]::cell::panic_already_mutably_borrowed",
    "]::raw_vec::capacity_overflow",
    "::assert_failed",
];

fn is_last_word(name: &str) -> bool {
    LAST_WORDS.iter().any(|word| name.ends_with(word))
}

/// What the names of functions end with that are called by [`FORMATS`] alone, or call it to tell of a panic.
const FORMATTED: [&str; 5] = [
    "]::fmt::Display>::fmt",
    "]::fmt::Debug>::fmt",
    "]::fmt::Write>::write_fmt",
    "]::panic::PanicPayload>::get",
    "]::panic::PanicPayload>::take_box",
];
/// What the name of the function ends with that puts a text together.
const FORMATS: &str = "]::fmt::write";

/// The classes of `wasm-streams`, which comes with Leptos: their names begin so, and nobody here makes one.
const UNMADE: &str = "IntoUnderlying";

/// A program, as text, that ends without a word where it panics, and has nothing for classes that nobody makes. Nobody would hear the word:
/// in a browser there is no standard error.
fn without_the_unheard(program: &str) -> String {
    let for_unmade = UNMADE.to_lowercase();
    let is_kept = |line: &&str| !line.starts_with(" (export ") || !line.contains(&for_unmade);
    without(program.lines().filter(is_kept), is_last_word)
}

/// A program, as text, without the code that formats, where nothing but panics has formatted. It stands in tables, so no tool sees that.
fn without_formatting(program: &str) -> String {
    let mut caller = "";
    let mut calls = BTreeMap::<&str, BTreeSet<&str>>::new();
    for line in program.lines() {
        caller = name_of(line).unwrap_or(caller);
        let called = line.trim().strip_prefix("(call $\"").and_then(|line| line.split('"').next());
        if let Some(called) = called {
            calls.entry(called).or_default().insert(caller);
        }
    }
    let is_unused =
        |name: &str| !calls.contains_key(name) && FORMATTED.iter().any(|formatted| name.ends_with(formatted));
    let mut formats = calls.iter().filter(|(name, _)| name.ends_with(FORMATS)).flat_map(|(_, callers)| callers);
    match formats.all(|caller| is_unused(caller)) {
        true => without(program.lines(), is_unused),
        false => program.to_owned(),
    }
}

/// The lines of a program that ends where it comes to functions of such names.
fn without<'a>(program: impl Iterator<Item = &'a str>, is_cut: impl Fn(&str) -> bool) -> String {
    let mut rest = String::new();
    let mut is_inside = false;
    for line in program {
        is_inside &= line != " )";
        if !is_inside {
            rest.push_str(line);
            rest.push('\n');
        }
        if name_of(line).is_some_and(&is_cut) {
            rest.push_str("  (unreachable)\n");
            is_inside = true;
        }
    }
    rest
}

/// The name of the function that begins in this line.
fn name_of(line: &str) -> Option<&str> {
    line.strip_prefix(" (func $\"")?.split('"').next()
}

/// JavaScript without those classes, and what is done with them.
fn without_unmade_classes(script: &str) -> String {
    let begins = ["export class ", "if (Symbol.dispose) ", "const "].map(|begin| [begin, UNMADE].concat());
    let ends = ["}", ";", ";"];
    let mut rest = String::with_capacity(script.len());
    let mut end = None;
    for line in script.lines() {
        end = end.or_else(|| Some(ends[begins.iter().position(|begin| line.starts_with(begin))?]));
        match end {
            None => rest.extend([line, "\n"]),
            Some("}") if line != "}" => {}
            Some(last) if line.ends_with(last) => end = None,
            Some(_) => {}
        }
    }
    rest
}

/// The JavaScript beside a program whose imports and exports have short names now. The long ones end in hashes, which nothing packs.
fn renamed(script: &str, names: &ShortNames) -> Result<String> {
    let mut script = script.to_owned();
    let mut exports = Vec::new();
    for names in names.values().flatten() {
        match &names[..] {
            [module, name, short] => {
                let long = format!("{name}: function");
                ensure!(script.contains(&long), "the program's JavaScript has no {long}");
                script =
                    script.replace(&long, &format!("{short}: function")).replace(&format!("\"{module}\""), "\"a\"");
            }
            [name, short] => exports.push((name, short)),
            _ => bail!("neither an import nor an export: {names:?}"),
        }
    }
    // A name may begin with another one.
    exports.sort_by_key(|(name, _)| Reverse(name.len()));
    for (name, short) in exports {
        script = script.replace(&format!("wasm.{name}"), &format!("wasm.{short}"));
    }
    Ok(script)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_the_program_without_a_word() {
        let program = "(module\n (func $a (param $0 i32)\n  (call $\"core[0]::panicking::panic_fmt\")\n )\n (func $\"core[0]::panicking::panic_fmt\" (param $0 i32)\n  (local $1 i32)\n  (call $say)\n )\n)\n";
        let silent = program.replace("  (local $1 i32)\n  (call $say)\n", "  (unreachable)\n");
        assert_eq!(without_the_unheard(program), silent);
    }

    #[test]
    fn classes_that_nobody_makes_are_left_out() {
        let program = "(module\n (export \"card\" (func $a))\n (export \"intounderlyingsink_close\" (func $b))\n)\n";
        assert_eq!(without_the_unheard(program), "(module\n (export \"card\" (func $a))\n)\n");
        let script = "export class IntoUnderlyingSink {\n    free() {\n    }\n}\nif (Symbol.dispose) IntoUnderlyingSink.a = b;\n\nexport class Card {\n}\nconst IntoUnderlyingSinkEnd = (a)\n    ? { b: () => {} }\n    : c;\nlet d;\n";
        assert_eq!(without_unmade_classes(script), "\nexport class Card {\n}\nlet d;\n");
    }

    #[test]
    fn formatting_goes_where_nothing_but_panics_formats() {
        let function = |name: &str, calls: &str| format!(" (func $\"{name}\"\n  (call $\"{calls}\")\n )\n");
        let (number, write) = ("<u32 as core[0]::fmt::Display>::fmt", "core[0]::fmt::write");
        let payload = function("<std[0]::Words as core[0]::panic::PanicPayload>::get", write);
        let program = function(write, "a") + &function(number, "b") + &payload;
        let silent = program.replace("(call $\"b\")", "(unreachable)");
        let silent = silent.replace("get\"\n  (call $\"core[0]::fmt::write\")", "get\"\n  (unreachable)");
        assert_eq!(without_formatting(&program), silent);
        // The card itself writes a text so.
        let written = program.clone() + &function("card[0]::title", write);
        assert_eq!(without_formatting(&written), written);
        // It writes a number so, and nothing else.
        let shown = program + &function("card[0]::number", number);
        assert!(without_formatting(&shown).contains("(call $\"b\")"));
    }

    #[test]
    fn names_are_shortened_where_they_stand_for_the_program() {
        let texts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let names = ShortNames::from([
            ("imports".into(), vec![texts(&["./en_bg.js", "__wbg_body_5f", "B"])]),
            ("exports".into(), vec![texts(&["card", "c"]), texts(&["card_new", "d"])]),
        ]);
        let script = "__wbg_body_5f: function(card) { wasm.card_new(wasm.card) }, \"./en_bg.js\": import0";
        assert_eq!(renamed(script, &names).unwrap(), "B: function(card) { wasm.d(wasm.c) }, \"a\": import0");
        assert!(renamed("", &names).is_err(), "an import that nobody gives would end the program");
    }
}
