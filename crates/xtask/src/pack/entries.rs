//! The entries by which users find and install the kit: in the registry of MCP, as bundles of desktop hosts, and for shadcn's command line.

use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};

use super::names::{self, CARD, PROGRAM, Platform, REPOSITORY, VERSION};
use crate::steps::StepLog;
use crate::{files, tools};

const TITLE: &str = "Ask the user";
const DESCRIPTION: &str = "Asks the user questions with options, in a form of the client, a card or a page";

/// Writes the entry for the registry of MCP.
pub(super) fn write(folder: &Path) -> Result<()> {
    files::write(&folder.join("server.json"), pretty(&server()))
}

/// Makes the bundle of a platform, with this program. Its packer first checks the manifest against the schema.
pub(super) fn pack_bundle(folder: &Path, platform: &Platform, program: &Path, log: &StepLog) -> Result<()> {
    let content = folder.join("content/bundle");
    files::remove(&content)?;
    files::write(&content.join("manifest.json"), pretty(&bundle(platform)))?;
    super::program::copy_executable(program, &content.join("server").join(platform.program()))?;
    super::program::copy_licences(&content)?;
    let file = folder.join(format!("{}-{}.mcpb", platform.npm_package(), VERSION));
    let mut mcpb = tools::mcpb().command("mcpb", log)?;
    log.run(mcpb.arg("pack").arg(content).arg(file))
}

/// Checks an item against the schema of shadcn's command line.
pub(super) fn lint(item: &Path, log: &StepLog) -> Result<()> {
    let packages = tools::shadcn().folder(log)?;
    log.run(tools::script(CHECK_ITEM, [item], log)?.current_dir(packages))
}

/// The entry of the registry of MCP, which compares its name with `mcpName` of the npm package, with `mcp-name` in the README of the wheel and with a
/// label of the image.
fn server() -> Value {
    let package = |registry: &str, base: Option<&str>, identifier: &str, runtime: &str| {
        let mut package = json!({
            "registryType": registry,
            "identifier": identifier,
            "runtimeHint": runtime,
            "packageArguments": [{ "type": "positional", "value": "mcp" }],
            "transport": { "type": "stdio" },
        });
        if let Some(base) = base {
            package["registryBaseUrl"] = json!(base);
            package["version"] = json!(VERSION);
        }
        package
    };
    json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": names::mcp_name(),
        "title": TITLE,
        "description": DESCRIPTION,
        "repository": { "url": REPOSITORY, "source": "github", "subfolder": "crates/question-mcp" },
        "version": VERSION,
        "packages": [
            package("npm", Some("https://registry.npmjs.org"), PROGRAM, "npx"),
            package("pypi", Some("https://pypi.org"), PROGRAM, "uvx"),
            // An image has its version in its name.
            package("oci", None, &format!("{}:{VERSION}", names::image()), "docker"),
        ],
    })
}

/// The manifest of a bundle for desktop hosts.
fn bundle(platform: &Platform) -> Value {
    let program = format!("server/{}", platform.program());
    json!({
        "manifest_version": "0.3",
        "name": PROGRAM,
        "display_name": TITLE,
        "version": VERSION,
        "description": DESCRIPTION,
        "author": { "name": names::owner(), "url": REPOSITORY },
        "repository": { "type": "git", "url": REPOSITORY },
        "license": "MIT OR Apache-2.0",
        "server": {
            "type": "binary",
            "entry_point": program,
            "mcp_config": { "command": format!("${{__dirname}}/{program}"), "args": ["mcp"] },
        },
        "tools": [
            { "name": "ask_user_question", "description": DESCRIPTION },
            { "name": "wait_for_answer", "description": "Waits for the answer to a question that is open" },
        ],
        "compatibility": { "platforms": [platform.os] },
    })
}

/// The React component as a file that users copy, and the package that it needs.
pub(super) fn shadcn_item() -> String {
    let content = format!(
        "\"use client\";\n\nimport \"{CARD}/shadcn.css\";\n\nexport {{ QuestionCard }} from \"{CARD}/react\";\n"
    );
    pretty(&json!({
        "$schema": "https://ui.shadcn.com/schema/registry-item.json",
        "name": CARD,
        "type": "registry:ui",
        "title": "Question card",
        "description": "The card for the question that an agent asks, from the first byte of the call to the receipt",
        "dependencies": [format!("{CARD}@^{}", VERSION)],
        "files": [{ "path": format!("ui/{CARD}.tsx"), "type": "registry:ui", "content": content }],
    }))
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

const CHECK_ITEM: &str = r#"
import fs from "node:fs";
import { registryItemSchema } from "shadcn/schema";
registryItemSchema.parse(JSON.parse(fs.readFileSync(process.argv[1], "utf8")));
"#;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace;

    /// The schema is in `test_data`, as the registry publishes it under the address in its `$id`.
    #[test]
    fn the_entry_of_the_registry_fits_its_schema() {
        let schema = workspace::read("crates/xtask/test_data/server.schema.json").unwrap();
        let schema: Value = serde_json::from_str(&schema).unwrap();
        let entry = server();
        assert_eq!(entry["$schema"], schema["$id"]);
        let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
        compiler.enable_format_assertions();
        compiler.add_resource("server", schema).unwrap();
        let compiled = compiler.compile("server", &mut schemas).unwrap();
        schemas.validate(&entry, compiled).unwrap_or_else(|problem| panic!("{problem}"));

        let mut long = entry;
        long["description"] = json!("long ".repeat(21));
        assert!(schemas.validate(&long, compiled).is_err(), "the schema is not read");
    }
}
