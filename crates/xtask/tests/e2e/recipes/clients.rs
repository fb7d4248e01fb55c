//! `CopilotKit`'s runtime in front of the server, with the packages of its recipe.

use std::path::Path;
use std::process::Command;

use super::recipe::Recipe;
use crate::given;

#[test]
fn copilotkits_runtime_takes_whole_conversations() {
    let recipe = Recipe::set_up("copilotkit");
    let mut node = Command::new(given("XTASK_NODE"));
    node.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../question-server/tests/clients/copilotkit.mjs"));
    let ended = node.arg(given("XTASK_SERVER")).arg(recipe.folder).status().expect("Node starts");
    assert!(ended.success(), "its words are above");
}
