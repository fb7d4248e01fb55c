//! `cargo xtask bench`: measurements in a browser, in Node and of the server, which are reported and never asserted in a test.

use std::process::Command;
use std::sync::Mutex;

use anyhow::Result;

use crate::flags::BenchCmd;
use crate::steps::{self, Log, Step};
use crate::tools::{self, browsers, rustup};
use crate::workspace::{self, cargo};
use crate::{pack, page, serve};

/// Builds one part as users get it, measures it and prints the table.
pub(crate) fn bench(part: &BenchCmd) -> Result<()> {
    let table = &Mutex::new(String::new());
    let step = |needs, measurement: fn(&Log) -> Result<Command>| {
        Step::builds("measurement", needs, move |log| {
            let measurement = measurement(log)?;
            let mut table = table.lock().expect("one step writes it");
            log.run_reading(measurement, |line| table.extend([line, "\n"]))
        })
    };
    let [tools, page] = page::steps_for_release();
    steps::run_or_fail(&match part {
        BenchCmd::Card(_) => vec![tools, page, page::gallery_for_release(), step(&["gallery for release"], card)],
        BenchCmd::Element(_) => {
            let package = Step::runs("element package", &["tools"], pack::build_for_tests);
            vec![tools, package, step(&["element package"], element)]
        }
        BenchCmd::Page(_) => {
            let server = Step::builds("server", &[], |log| serve::build_server(true, log));
            vec![tools, page, server, step(&["page for release", "server"], first_visit)]
        }
        BenchCmd::Server(_) => vec![step(&[], server)],
        BenchCmd::Stream(_) => vec![tools, step(&["tools"], stream)],
    })?;
    print!("{}", table.lock().expect("one step wrote it"));
    Ok(())
}

/// The card, in the built gallery: fed with large arguments, answered, and a thousand times in one page.
fn card(log: &Log) -> Result<Command> {
    let mut node = in_chromium("crates/card-gallery/benches/card.mjs", log)?;
    node.arg(page::dist()?);
    Ok(node)
}

/// The custom element's first card, in a page that has nothing else.
fn element(log: &Log) -> Result<Command> {
    let mut node = in_chromium("crates/question-element/benches/element.mjs", log)?;
    node.arg(pack::package()?);
    Ok(node)
}

/// What a first visit of the page transfers, and when a person can see, read and write.
fn first_visit(log: &Log) -> Result<Command> {
    let mut node = in_chromium("app/benches/page.mjs", log)?;
    node.arg(workspace::server("server")).arg(page::dist()?);
    Ok(node)
}

/// What waiting costs, beside bare axum and bare SQLite, and what several servers on one Postgres do.
fn server(log: &Log) -> Result<Command> {
    let mut measurement = cargo(["bench", "--quiet", "--profile", "server", "--package", "question-server"]);
    measurement.env("POSTGRES_PROGRAMS", tools::postgres(log)?);
    Ok(measurement)
}

/// The stream reader as WebAssembly, made with the page's settings, and its JavaScript peers in one process of Node.
fn stream(log: &Log) -> Result<Command> {
    const EXAMPLE: &str = "stream_bench";
    rustup::wasm_target(log)?;
    log.run(cargo([
        "build",
        "--release",
        "--target",
        rustup::WASM,
        "--package",
        "ag-ui-stream",
        "--example",
        EXAMPLE,
    ]))?;
    let built = workspace::target_dir().join(rustup::WASM).join("release/examples");
    let folder = workspace::scratch_dir()?.join("bench");
    let mut bindgen = Command::new(tools::wasm_bindgen()?.folder(log)?.join("wasm-bindgen"));
    bindgen.args(["--target", "nodejs", "--out-dir"]).arg(&folder).arg(built.join(EXAMPLE).with_extension("wasm"));
    log.run(bindgen)?;
    let wasm = folder.join(format!("{EXAMPLE}_bg.wasm"));
    let mut opt = Command::new(tools::binaryen().folder(log)?.join("wasm-opt"));
    opt.args(page::wasm_opt_arguments()?).arg(&wasm).arg("--output").arg(&wasm);
    log.run(opt)?;

    let mut node = Command::new(tools::node(log)?);
    node.args([
        "--expose-gc",
        "--input-type=module",
        "--eval",
        &workspace::read("crates/ag-ui-stream/benches/stream.mjs")?,
    ]);
    // From a text, Node looks up packages in the folder that it runs in.
    node.arg(folder.join(EXAMPLE).with_extension("js")).current_dir(tools::stream_peers().folder(log)?);
    Ok(node)
}

/// A call of Node for a measurement, behind what starts Chromium and writes tables.
fn in_chromium(measurement: &str, log: &Log) -> Result<Command> {
    let chromium = browsers::chromium(log)?;
    // With dashes, Node would take them for its own.
    let arguments = browsers::chromium_arguments().map(|argument| argument.trim_start_matches("--")).join(" ");
    let program = [workspace::read("app/benches/chromium.mjs")?, workspace::read(measurement)?].join("\n");
    let mut node = Command::new(tools::node(log)?);
    node.args(["--input-type=module", "--eval", &program]).arg(chromium.program).arg(chromium.driver).arg(arguments);
    Ok(node)
}
