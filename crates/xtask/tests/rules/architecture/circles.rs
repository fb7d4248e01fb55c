//! A file can be read alone: no circle of files that name one another within a crate.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{USES, code, sources};
use crate::root;

/// A module, as the names from its crate down to it.
type Module = Vec<String>;

#[test]
fn no_file_leads_back_to_itself() {
    let mut circles = BTreeMap::new();
    for (folder, _) in USES {
        let folder = root().join(folder).join("src");
        let arrows = arrows(&folder);
        for start in arrows.keys() {
            let reached = reached(&arrows, start);
            if reached.contains(start) {
                let others = reached.iter().filter(|other| self::reached(&arrows, other).contains(start));
                let others: Vec<_> = others.map(|other| other.join("::")).collect();
                let crate_name = folder.strip_prefix(root()).expect("it is in the workspace").display();
                let name = if start.is_empty() { "lib".to_owned() } else { start.join("::") };
                circles.insert(format!("{crate_name} {name}"), others.join(" "));
            }
        }
    }
    assert!(circles.is_empty(), "these files name one another; move what both need into a third: {circles:#?}");
}

/// The modules that each module of a crate names. A re-export leads on to where the item is, so it is none of them.
fn arrows(folder: &Path) -> BTreeMap<Module, BTreeSet<Module>> {
    let mut modules = BTreeMap::new();
    for file in sources(folder) {
        let inside = file.strip_prefix(folder).expect("it is in its folder").with_extension("");
        let names: Module = inside.iter().map(|name| name.to_string_lossy().into_owned()).collect();
        let is_root = names == ["lib"] || names == ["main"];
        if !names.iter().any(|name| name == "tests") {
            modules.entry(if is_root { Module::new() } else { names }).or_insert_with(|| shipped(&file));
        }
    }
    let named = |module: &Module, code: &str| {
        let paths = paths(code).into_iter().filter_map(|path| leads_to(&modules, module, &path));
        paths.filter(|target| target != module).collect()
    };
    modules.iter().map(|(module, code)| (module.clone(), named(module, code))).collect()
}

/// The code of a file without its tests and its re-exports.
fn shipped(file: &Path) -> String {
    let code = code(file);
    let code = code.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let mut pieces = code.split("\npub");
    let mut shipped = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let item = piece.strip_prefix('(').and_then(|rest| rest.split_once(')')).map_or(piece, |(_, item)| item);
        let is_re_export = item.starts_with(" use ");
        let rest = if is_re_export { item.split_once(';').map_or("", |(_, rest)| rest) } else { item };
        shipped = shipped + "\n" + rest;
    }
    shipped
}

/// The paths in a code; a `use` with braces has one for each item.
fn paths(code: &str) -> Vec<Vec<&str>> {
    let (mut paths, mut open) = (Vec::<Vec<&str>>::new(), Vec::<Vec<&str>>::new());
    let (mut rest, mut before) = (code, "");
    let is_in_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    while let Some(first) = rest.chars().next() {
        let length = match first {
            _ if is_in_word(first) => rest.find(|letter| !is_in_word(letter)).unwrap_or(rest.len()),
            ':' if rest.starts_with("::") => 2,
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        rest = after;
        match (before, token) {
            _ if first.is_whitespace() => continue,
            ("::", "{") => open.extend(paths.pop()),
            ("use", "{") => open.push(Vec::new()),
            (_, "}") => drop(open.pop()),
            ("::", word) if is_in_word(first) || word == "*" => paths.last_mut().expect("a path goes on").push(word),
            (_, word) if is_in_word(first) => {
                let prefix = open.last().cloned().unwrap_or_default();
                paths.push([prefix, vec![word]].concat());
            }
            _ => {}
        }
        before = token;
    }
    paths
}

/// The module that a path in `module` leads to.
fn leads_to(modules: &BTreeMap<Module, String>, module: &Module, path: &[&str]) -> Option<Module> {
    let ups = path.iter().take_while(|name| **name == "super").count();
    let (mut target, rest) = match path {
        [] | [_] => return None,
        ["crate", rest @ ..] => (Module::new(), rest),
        ["self", rest @ ..] => (module.clone(), rest),
        _ if ups > 0 => (module[..module.len().checked_sub(ups)?].to_vec(), &path[ups..]),
        [child, ..] if modules.contains_key(&join(module, child)) => (module.clone(), path),
        _ => return None,
    };
    for name in rest {
        let inner = join(&target, name);
        if !modules.contains_key(&inner) {
            break;
        }
        target = inner;
    }
    Some(target)
}

fn join(module: &Module, name: &str) -> Module {
    [module.as_slice(), &[name.to_owned()]].concat()
}

/// All modules to which arrows lead from this one.
fn reached(arrows: &BTreeMap<Module, BTreeSet<Module>>, start: &Module) -> BTreeSet<Module> {
    let (mut reached, mut left) = (BTreeSet::new(), vec![start]);
    while let Some(module) = left.pop() {
        left.extend(arrows[module].iter().filter(|target| reached.insert((*target).clone())));
    }
    reached
}

#[test]
fn paths_of_a_source_are_found() {
    let code = "use super::{a::{self, B}, c};\nfn f() { crate::d::e(); g.h(); Vec::<i>::new() }";
    let found = paths(code).into_iter().map(|path| path.join("::")).filter(|path| path.contains("::"));
    let expected = ["super::a::self", "super::a::B", "super::c", "crate::d::e", "i::new"];
    assert_eq!(found.collect::<Vec<_>>(), expected);
}
