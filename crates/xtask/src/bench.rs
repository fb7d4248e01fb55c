//! `cargo xtask bench`: measurements in a browser and in Node. They are printed and never asserted in a test.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::console::print;
use crate::flags::BenchCmd;
use crate::steps::{self, StepLog, StepSpec};
use crate::tools::{self, system};
use crate::{files, pack, page, serve, size, wasm, workspace};

/// Builds one part as users get it, measures it and prints the table.
pub(crate) fn bench(part: &BenchCmd) -> Result<()> {
    let table = &workspace::scratch("table.txt");
    let step = |needs, measurement: fn(&StepLog) -> Result<Command>| {
        StepSpec::builds("measurement", needs, move |log| files::write(table, log.output(&mut measurement(log)?)?))
    };
    let [tools, page] = size::steps_for_release();
    steps::run_or_fail(&match part {
        BenchCmd::Card(_) => vec![tools, page, page::gallery_for_release(), step(&["gallery for release"], card)],
        BenchCmd::Element(_) => {
            let package = StepSpec::runs("element package", &["tools"], pack::card_for_tests);
            vec![tools, package, step(&["element package"], element)]
        }
        BenchCmd::Page(_) => vec![tools, page, server(), step(&["page for release", "server"], first_visit)],
        BenchCmd::Stream(_) => vec![tools, step(&["tools"], stream)],
    })?;
    print(&fs::read_to_string(table)?);
    Ok(())
}

/// Makes the README's pictures: a still and a moving one of the page, and one of the card in a host of MCP's apps.
pub(crate) fn picture() -> Result<()> {
    let [tools, page] = size::steps_for_release();
    let paths = || [workspace::server("server"), page::dist(), workspace::root().join("app")];
    let film = move |log: &StepLog| log.run(&mut in_chromium("app/benches/picture.mjs", &paths(), log)?);
    let film = StepSpec::builds("picture", &["page for release", "server"], film);
    let host = |log: &StepLog| {
        let [pages, mcp] =
            ["question-element/tests/page", "question-mcp"].map(|it| workspace::root().join("crates").join(it));
        let card = pack::card_content_for_tests().join("card.html");
        let paths = [pages.join("host.html"), pages.join("host.js"), card, mcp.join("host.png")];
        log.run(&mut in_chromium("crates/question-mcp/benches/picture.mjs", &paths, log)?)
    };
    let host = StepSpec::builds("picture of a host", &["element package"], host);
    let package = StepSpec::runs("element package", &["tools"], pack::card_for_tests);
    steps::run_or_fail(&[tools, page, server(), package, film, host])
}

fn server() -> StepSpec<'static> {
    StepSpec::builds("server", &[], |log| serve::build_server(true, log))
}

/// Measures the card in the built gallery: with large arguments, when it is answered, and a thousand of them in one page.
fn card(log: &StepLog) -> Result<Command> {
    // Optimized like the page's program, so that the card is as fast as there.
    wasm::optimize(&page::dist().join("gallery/gallery_bg.wasm"), log)?;
    in_chromium("crates/card-gallery/benches/card.mjs", &[page::dist()], log)
}

/// Measures the custom element's first card in a page that has nothing else.
fn element(log: &StepLog) -> Result<Command> {
    in_chromium("crates/question-element/benches/element.mjs", &[pack::card_content_for_tests()], log)
}

/// Measures the first visit of the page: the bytes transferred, and the times until a person can see, read and write.
fn first_visit(log: &StepLog) -> Result<Command> {
    in_chromium("app/benches/page.mjs", &[workspace::server("server"), page::dist()], log)
}

/// Measures the stream reader, as WebAssembly with the page's settings, and its JavaScript peers in one Node process.
fn stream(log: &StepLog) -> Result<Command> {
    const EXAMPLE: &str = "stream_bench";
    let build = ["build", "--release", "--package", "ag-ui-stream", "--example", EXAMPLE];
    log.run(&mut wasm::cargo_for(build, log)?)?;
    let (built, folder) = (wasm::built(&format!("release/examples/{EXAMPLE}")), workspace::scratch("bench"));
    wasm::optimize(&wasm::bind("nodejs", &built, EXAMPLE, &folder, log)?, log)?;
    let mut node = tools::script(&workspace::read("crates/ag-ui-stream/benches/stream.mjs")?, [], log)?;
    // Node resolves the packages of a script without a file from its working folder.
    node.arg(folder.join(EXAMPLE).with_extension("js")).current_dir(tools::stream_peers().folder(log)?);
    node.env("NODE_OPTIONS", "--expose-gc");
    Ok(node)
}

/// A call of Node for a measurement. The code that starts Chromium and writes tables comes first.
fn in_chromium(measurement: &str, paths: &[PathBuf], log: &StepLog) -> Result<Command> {
    let chromium = system::chromium(log)?;
    // Node would take arguments with dashes for its own.
    let arguments = system::chromium_arguments().replace("--", "");
    let program = [workspace::read("app/benches/chromium.mjs")?, workspace::read(measurement)?].join("\n");
    let mut node = tools::script(&program, [&chromium.program, &chromium.driver], log)?;
    node.arg(arguments).args(paths);
    Ok(node)
}
