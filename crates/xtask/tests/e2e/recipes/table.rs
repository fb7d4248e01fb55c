//! The table of what works, in the README of the recipes.

use std::collections::BTreeMap;

/// Its rows: each cell by its heading.
pub(crate) fn rows(readme: &str) -> impl Iterator<Item = BTreeMap<&str, &str>> {
    let table = readme.lines().skip_while(|line| !line.starts_with("| recipe |")).take_while(|line| !line.is_empty());
    let mut rows = table.map(|line| line.trim_matches(['|', ' ']).split(" | "));
    let headings: Vec<_> = rows.next().into_iter().flatten().collect();
    rows.skip(1).map(move |cells| headings.iter().copied().zip(cells).collect())
}

/// The first cell of a recipe's row.
pub(crate) fn link(name: &str) -> String {
    format!("[{name}]({name})")
}
