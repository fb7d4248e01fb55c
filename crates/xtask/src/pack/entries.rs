//! The entries by which users find and install the kit: in the registry of MCP, as links of editors, as bundles of desktop hosts, and for shadcn's
//! command line.

use std::path::Path;

use anyhow::Result;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::names::{self, CARD, PROGRAM, Platform, REPOSITORY, VERSION};
use crate::steps::StepLog;
use crate::{files, tools};

/// The name under which hosts of MCP list the server.
const SERVER: &str = "question";
const TITLE: &str = "Ask the user";
const DESCRIPTION: &str = "Asks the user questions with options, in a form of the client, a card or a page";

/// Writes the entries that need no program: for the registry of MCP, for shadcn, and the links of editors.
pub(super) fn write(folder: &Path) -> Result<()> {
    let texts = [
        ("server.json", pretty(&server())),
        ("registry.json", pretty(&shadcn_registry())),
        ("question-card.json", shadcn_item()),
        ("install-links.md", install_links()),
    ];
    texts.into_iter().try_for_each(|(name, text)| files::write(&folder.join(name), text))
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
    let mut item = shadcn_summary();
    item["$schema"] = json!("https://ui.shadcn.com/schema/registry-item.json");
    item["files"][0]["content"] = json!(format!(
        "\"use client\";\n\nimport \"{CARD}/shadcn.css\";\n\nexport {{ QuestionCard }} from \"{CARD}/react\";\n"
    ));
    pretty(&item)
}

/// The list of items, without the content of their files.
fn shadcn_registry() -> Value {
    json!({
        "$schema": "https://ui.shadcn.com/schema/registry.json",
        "name": CARD,
        "homepage": REPOSITORY,
        "items": [shadcn_summary()],
    })
}

fn shadcn_summary() -> Value {
    json!({
        "name": CARD,
        "type": "registry:ui",
        "title": "Question card",
        "description": "The card for the question that an agent asks, from the first byte of the call to the receipt",
        "dependencies": [format!("{CARD}@^{}", VERSION)],
        "files": [{ "path": format!("ui/{CARD}.tsx"), "type": "registry:ui" }],
    })
}

/// The links that install the server in an editor, as README files show them.
fn install_links() -> String {
    let settings = json!({ "args": ["-y", PROGRAM, "mcp"], "command": "npx" }).to_string();
    let for_vs_code = utf8_percent_encode(&settings, NON_ALPHANUMERIC);
    let for_cursor = BASE64_STANDARD.encode(&settings);
    let for_cursor = utf8_percent_encode(&for_cursor, NON_ALPHANUMERIC);
    format!(
        "[Install in VS Code](https://vscode.dev/redirect/mcp/install?name={SERVER}&config={for_vs_code}),\n\
         [install in Cursor](https://cursor.com/en/install-mcp?name={SERVER}&config={for_cursor})\n"
    )
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

    #[test]
    fn the_readme_has_the_links_of_editors() {
        let readme = workspace::read("crates/question-mcp/README.md").unwrap();
        assert!(readme.contains(install_links().trim_end()), "{}", install_links());
    }
}
