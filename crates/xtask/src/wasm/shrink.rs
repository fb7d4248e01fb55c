//! A program and the JavaScript that starts it, as small as they get together.

mod unread;

use std::cmp::Reverse;
use std::collections::BTreeMap;
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
    let opt = || tools::binaryen().command("wasm-opt", log);
    let as_text = || -> Result<String> {
        let settings = arguments.iter().filter(|argument| argument.starts_with("--enable-"));
        let text = program.with_extension("wat");
        log.run(opt()?.args(settings).args(["-g", "-S"]).arg(program).arg("--output").arg(&text))?;
        let read = fs::read_to_string(&text)?;
        files::remove(&text)?;
        Ok(read)
    };
    let text = as_text()?;
    let last_texts = unread::last_texts(&text, is_last_word);
    files::write(program, without_the_unheard(&text))?;
    let mut opt = opt()?;
    opt.args(&arguments).args(["--strip-debug", "--strip-producers", "--strip-target-features"]);
    opt.arg("--minify-imports-and-exports-and-modules").arg(program).arg("--output").arg(program);
    let names = serde_json::from_str(&log.output(&mut opt)?).context("wasm-opt does not tell the short names")?;
    let mut bytes = fs::read(program)?;
    unread::forget(&mut bytes, &as_text()?, &last_texts)?;
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

/// The classes of `wasm-streams`, which comes with Leptos: their names begin so, and nobody here makes one.
const UNMADE: &str = "IntoUnderlying";

/// A program, as text, that ends without a word where it panics, and has nothing for classes that nobody makes. Nobody would hear the word:
/// in a browser there is no standard error.
fn without_the_unheard(program: &str) -> String {
    let for_unmade = UNMADE.to_lowercase();
    let mut silent = String::with_capacity(program.len());
    let mut is_cut = false;
    for line in program.lines() {
        if line == " )" {
            is_cut = false;
        }
        let is_for_unmade = line.starts_with(" (export ") && line.contains(&for_unmade);
        if !is_cut && !is_for_unmade {
            silent.push_str(line);
            silent.push('\n');
        }
        let name = line.strip_prefix(" (func $\"").and_then(|line| line.split('"').next());
        if name.is_some_and(is_last_word) {
            silent.push_str("  (unreachable)\n");
            is_cut = true;
        }
    }
    silent
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
