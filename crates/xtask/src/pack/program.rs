//! The program `question-server`: built once for all of its packages, or unpacked from the archive of a release, built elsewhere.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::names::{PROGRAM, Platform};
use crate::steps::StepLog;
use crate::tools::system;
use crate::{files, workspace};

/// The users of the program and its packages.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Audience {
    /// Optimized, and packed as small as possible.
    Users,
    /// Not optimized and packed quickly, which takes a fraction of the time. Everything else is the same.
    Tests,
}

/// The most bytes of the program, with the page inside.
const MOST: u64 = 33_000_000;

/// Builds the program for a platform, with the page that is in the server's crate.
pub(super) fn build(platform: &Platform, audience: Audience, log: &StepLog) -> Result<PathBuf> {
    system::rust_target(platform.target, log)?;
    if platform.is_static() {
        system::musl(log)?;
    }
    // The native build of the tests has built the macros and build scripts in the development profile already.
    let (profile, folder) = match audience {
        Audience::Users => ("dist", "dist"),
        Audience::Tests => ("dev", "debug"),
    };
    let mut build = workspace::cargo(["build", "--locked", "--profile", profile, "--package", PROGRAM]);
    log.run(build.args(["--target", platform.target]).env("CARGO_PROFILE_DEV_STRIP", "symbols"))?;
    let built = workspace::target_dir().join(platform.target).join(folder).join(platform.program());
    let bytes = fs::metadata(&built).with_context(|| format!("there is no {}", built.display()))?.len();
    ensure!(bytes <= MOST || audience == Audience::Tests, "the program has {bytes} bytes; at most {MOST}");
    Ok(built)
}

/// Checks what the names of the packages promise: Linux's program needs no library of the system.
pub(super) fn check(platform: &Platform, program: &Path) -> Result<()> {
    let bytes = fs::read(program).with_context(|| format!("can't read {}", program.display()))?;
    let needs_loader = || program_headers(&bytes).is_none_or(|mut kinds| kinds.any(|kind| kind == PT_INTERP));
    ensure!(
        !platform.is_static() || !needs_loader(),
        "{} is not a static program: it would not run on every Linux",
        program.display()
    );
    Ok(())
}

/// The types of the program headers of a 64-bit little-endian ELF file.
fn program_headers(elf: &[u8]) -> Option<impl Iterator<Item = u32>> {
    let number = |at: usize, len: usize| {
        let bytes = elf.get(at..at + len)?;
        Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte)))
    };
    elf.starts_with(b"\x7fELF\x02\x01").then_some(())?;
    let [table, size, count] = [number(32, 8)?, number(54, 2)?, number(56, 2)?];
    Some((0..count).filter_map(move |place| u32::try_from(number(table + place * size, 4)?).ok()))
}

/// The program header that names the dynamic loader.
const PT_INTERP: u32 = 3;

/// Copies a program, and makes it executable.
pub(super) fn copy_executable(program: &Path, to: &Path) -> Result<()> {
    files::copy(program, to)?;
    fs::set_permissions(to, fs::Permissions::from_mode(0o755)).context("can't make it executable")
}

/// Copies the README and the licences into a package.
pub(super) fn copy_texts(folder: &Path) -> Result<()> {
    files::copy(&workspace::root().join("crates").join(PROGRAM).join("README.md"), &folder.join("README.md"))?;
    copy_licences(folder)
}

pub(super) fn copy_licences(folder: &Path) -> Result<()> {
    ["LICENSE-APACHE", "LICENSE-MIT"]
        .iter()
        .try_for_each(|file| files::copy(&workspace::root().join(file), &folder.join(file)))
}

/// Unpacks the program from its archive into a folder. Returns its path.
pub(super) fn unpack(platform: &Platform, archive: &Path, folder: &Path, log: &StepLog) -> Result<PathBuf> {
    ensure!(archive.is_file(), "there is no {}", archive.display());
    files::make(folder)?;
    let mut python = Command::new(system::python(log)?);
    python.args(["-c", UNPACK]).arg(archive).arg(platform.program()).arg(folder);
    log.run(&mut python).with_context(|| format!("{} has no {}", archive.display(), platform.program()))?;
    Ok(folder.join(platform.program()))
}

/// By Python, which reads each kind of archive that `dist` makes, even on machines without xz or unzip.
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
