//! `cargo xtask build`: builds the page to deploy, which is also inside the program.

use std::path::PathBuf;

use anyhow::Result;

use super::card;
use crate::console::print;
use crate::steps::{self, StepSpec};
use crate::{page, size, wasm, workspace};

/// Builds the page to deploy, and prints the weight of each file. With `demo`, also makes the folder `demo` from it.
pub(crate) fn build(demo: bool) -> Result<()> {
    let with_agent = workspace::root().join("demo");
    let mut wanted = Vec::from(steps_to_deploy());
    if demo {
        wanted.push(StepSpec::runs("demo", &["page"], |log| {
            wasm::optimize(&page::build_demo(&to_deploy(), &with_agent, log)?, log)
        }));
    }
    steps::run_or_fail(&wanted)?;
    let built = if demo { with_agent.clone() } else { to_deploy() };
    print(&built.display().to_string());
    Ok(())
}

/// The steps that build the page to deploy in `dist`, with the view for hosts of MCP. The last one copies both into the server's crate.
pub(crate) fn steps_to_deploy<'a>() -> [StepSpec<'a>; 4] {
    [
        StepSpec::runs("tools", &[], page::bring_tools),
        StepSpec::runs("page", &["tools"], |log| {
            page::build_for_release(&to_deploy(), log)?;
            size::weigh_page(&to_deploy(), log)
        }),
        StepSpec::runs("view", &["page"], |log| card::build_view(&to_deploy(), log)),
        StepSpec::runs("page inside", &["view"], |_| page::put_inside(&to_deploy(), &to_deploy().join(card::VIEW))),
    ]
}

fn to_deploy() -> PathBuf {
    workspace::root().join("dist")
}
