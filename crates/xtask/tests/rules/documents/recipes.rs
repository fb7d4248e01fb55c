//! The table of what works with agents of other frameworks. `tests/e2e/recipes.rs` compares it with the agents, here it is compared with
//! what the recipes pin.

#[path = "../../e2e/recipes/table.rs"]
mod table;

use std::fs;

use crate::{read, root};

#[test]
fn each_recipe_has_a_row_with_the_versions_that_it_pins() {
    let folder = root().join("crates/agent-chat/recipes");
    let readme = read(&folder.join("README.md"));
    let mut recipes = 0;
    for recipe in fs::read_dir(&folder).expect("there are recipes").flatten() {
        if !recipe.path().join("README.md").is_file() {
            continue;
        }
        recipes += 1;
        let link = table::link(&recipe.file_name().to_string_lossy());
        let row = table::rows(&readme).find(|row| row["recipe"] == link).unwrap_or_else(|| panic!("{link} has no row"));
        let pins: String = ["constraints.txt", "package.json"]
            .iter()
            .filter_map(|file| fs::read_to_string(recipe.path().join(file)).ok())
            .collect();
        if pins.is_empty() {
            assert_eq!(row["versions"], "no package", "{link} pins nothing");
            continue;
        }
        for told in row["versions"].split(", ") {
            let (package, version) = told.split_once(' ').expect("a package has a version");
            let lines = [format!("{package}=={version}"), format!("\"{package}\": \"{version}\"")];
            let is_pinned = pins.lines().any(|pin| lines.iter().any(|line| line == pin.trim().trim_end_matches(',')));
            assert!(is_pinned, "{link} pins another version than {told}: correct its row");
        }
    }
    assert_eq!(table::rows(&readme).count(), recipes, "each row is of a recipe");
}

#[test]
fn whatever_does_not_work_has_a_reason() {
    let readme = read(&root().join("crates/agent-chat/recipes/README.md"));
    let mut lacking = Vec::new();
    for row in table::rows(&readme) {
        let (_, name) = row["recipe"].trim_end_matches(')').split_once("](").expect("a row begins with a link");
        let cells = row.iter().filter(|(heading, cell)| !["recipe", "versions"].contains(heading) && **cell != "yes");
        lacking.extend(cells.map(|(heading, _)| format!("- {name}, {heading}")));
    }
    let (_, after) = readme.rsplit_once(" |\n").expect("there is a table");
    let mut reasons: Vec<_> = after.lines().filter_map(|line| line.split_once(": ")).map(|(what, _)| what).collect();
    lacking.sort();
    reasons.sort_unstable();
    assert_eq!(lacking, reasons);
}
