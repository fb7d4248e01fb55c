//! The wheel, with the program as a script. It is written directly, since maturin would build the program again and cannot take one that another
//! machine has built.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::names::{self, PROGRAM, Platform, REPOSITORY, VERSION};
use super::program;
use crate::steps::StepLog;
use crate::tools::system;
use crate::{files, workspace};

pub(super) fn pack(folder: &Path, platform: &Platform, program: &Path, log: &StepLog) -> Result<()> {
    let distribution = format!("{}-{VERSION}", PROGRAM.replace('-', "_"));
    let content = folder.join("content/wheel");
    files::remove(&content)?;
    let info = content.join(format!("{distribution}.dist-info"));
    files::write(&info.join("METADATA"), metadata()?)?;
    let tags: String = platform.wheel.split('.').map(|tag| format!("Tag: py3-none-{tag}\n")).collect();
    let wheel = format!("Wheel-Version: 1.0\nGenerator: xtask {VERSION}\nRoot-Is-Purelib: false\n{tags}");
    files::write(&info.join("WHEEL"), wheel)?;
    program::copy_licences(&info.join("licenses"))?;
    let scripts = content.join(format!("{distribution}.data/scripts"));
    program::copy_executable(program, &scripts.join(platform.program()))?;
    let wheel = folder.join(format!("{distribution}-py3-none-{}.whl", platform.wheel));
    log.run(Command::new(system::python(log)?).args(["-c", ZIP]).arg(&content).arg(&info).arg(wheel))
}

fn metadata() -> Result<String> {
    let readme = workspace::read("crates/question-server/README.md")?;
    let name = names::mcp_name();
    Ok(format!(
        "Metadata-Version: 2.4\nName: {PROGRAM}\nVersion: {VERSION}\nSummary: Asks people for agents: the page, the AG-UI and REST server \
         and the MCP server in one program\nKeywords: agent,ag-ui,mcp,human-in-the-loop\nLicense-Expression: MIT OR Apache-2.0\n\
         License-File: LICENSE-APACHE\nLicense-File: LICENSE-MIT\nRequires-Python: >=3.8\nProject-URL: Repository, {REPOSITORY}\n\
         Description-Content-Type: text/markdown\n\n{readme}\n<!-- mcp-name: {name} -->\n"
    ))
}

/// Zips a folder reproducibly, with the record of its files.
const ZIP: &str = r#"
import base64, hashlib, pathlib, sys, zipfile
content, info, wheel = map(pathlib.Path, sys.argv[1:])
record = info.relative_to(content).as_posix() + "/RECORD"
with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
    def add(name, data, mode):
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, (0o100000 | mode) << 16
        packed.writestr(entry, data)
    lines = []
    for file in sorted(file for file in content.rglob("*") if file.is_file()):
        name, data = file.relative_to(content).as_posix(), file.read_bytes()
        add(name, data, 0o755 if "/scripts/" in name else 0o644)
        sum = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={sum},{len(data)}\n")
    add(record, "".join([*lines, f"{record},,\n"]), 0o644)
"#;
