//! Programs that a release has built elsewhere.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::names::Platform;
use crate::files;
use crate::steps::StepLog;
use crate::tools::system;

/// Takes the program out of its archive, into a folder. Returns its path.
pub(crate) fn unpack_program(platform: &Platform, archive: &Path, folder: &Path, log: &StepLog) -> Result<PathBuf> {
    ensure!(archive.is_file(), "there is no {}", archive.display());
    files::make(folder)?;
    let mut python = Command::new(system::python(log)?);
    python.args(["-c", UNPACK]).arg(archive).arg(platform.program()).arg(folder);
    log.run(&mut python).with_context(|| format!("{} has no {}", archive.display(), platform.program()))?;
    Ok(folder.join(platform.program()))
}

/// Python reads each kind of archive that `dist` makes, also where there is no xz and no unzip.
const UNPACK: &str = r#"
import pathlib, sys, tarfile, zipfile
archive, program, folder = sys.argv[1:]
def is_program(name): return pathlib.PurePosixPath(name).name == program
if archive.endswith(".zip"):
    with zipfile.ZipFile(archive) as packed:
        content = next(packed.read(name) for name in packed.namelist() if is_program(name))
else:
    with tarfile.open(archive) as packed:
        content = next(packed.extractfile(entry).read() for entry in packed if entry.isfile() and is_program(entry.name))
file = pathlib.Path(folder, program)
file.write_bytes(content)
file.chmod(0o755)
"#;
