//! `cargo xtask publish`: uploads what a release has built, as `.github/workflows/publish.yml` calls it. It skips what a registry has already, so
//! that a failed run can be repeated.

use std::env;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::console::say;
use crate::flags::{Publish, PublishCmd};
use crate::pack::names::{self, CARD, PLATFORMS, PROGRAM, Platform, REPOSITORY, VERSION};
use crate::pack::unpack_program;
use crate::steps::{self, StepLog, StepSpec};
use crate::tools::system;
use crate::{files, workspace};

/// Publishes to one registry. A dry run does all but the upload.
pub(crate) fn publish(options: &Publish) -> Result<()> {
    let step = match &options.subcommand {
        PublishCmd::Npm(npm) => StepSpec::runs("npm", &[], |log| publish_packages(&npm.from, npm.dry_run, log)),
        PublishCmd::Crates(crates) => StepSpec::runs("crates", &[], |log| publish_crates(crates.dry_run, log)),
        PublishCmd::Image(image) => StepSpec::runs("image", &[], |log| publish_image(&image.from, image.dry_run, log)),
    };
    steps::run_or_fail(&[step])
}

/// Publishes the npm packages in a folder, those that another one depends on first.
fn publish_packages(folder: &Path, dry_run: bool, log: &StepLog) -> Result<()> {
    let programs = PLATFORMS.iter().map(Platform::npm_package);
    for name in programs.chain([PROGRAM, CARD].map(str::to_owned)) {
        let file = std::path::absolute(folder.join(format!("{name}-{VERSION}.tgz")))?;
        if dry_run && !file.is_file() {
            say(&format!("no {name}: it is not in {}", folder.display()));
            continue;
        }
        ensure!(file.is_file(), "there is no {}", file.display());
        let npm = system::npm(log)?;
        let mut view = Command::new(&npm);
        if !dry_run
            && log.output(view.args(["view", &format!("{name}@{VERSION}"), "version"])).is_ok_and(|is| !is.is_empty())
        {
            say(&format!("{name} {VERSION} is published already"));
            continue;
        }
        log.doing(&name);
        let mut publish = Command::new(npm);
        publish.args(["publish", "--access", "public"]).arg(file);
        // Provenance needs the identity of a workflow, which a dry run elsewhere does not have.
        publish.arg(if dry_run { "--dry-run" } else { "--provenance" });
        log.run(&mut publish)?;
    }
    Ok(())
}

/// Publishes the crates, each after its dependencies. The server's crate has the built page inside.
pub(crate) fn publish_crates(dry_run: bool, log: &StepLog) -> Result<()> {
    let page = workspace::root().join("crates").join(PROGRAM).join("page/index.html");
    ensure!(dry_run || page.is_file(), "there is no {}: run `cargo xtask build` first", page.display());
    // The page is not in git, so cargo would refuse the folder as dirty.
    let mut publish = workspace::cargo(["publish", "--workspace", "--no-verify", "--allow-dirty"]);
    publish.args(dry_run.then_some("--dry-run"));
    if !dry_run {
        let crates = published_crates()?;
        let (there, missing): (Vec<_>, Vec<_>) = crates.iter().partition(|name| is_in_registry(name));
        if missing.is_empty() {
            return Ok(());
        }
        publish.args(there.into_iter().flat_map(|name| ["--exclude", name]));
    }
    log.run(&mut publish)
}

fn published_crates() -> Result<Vec<String>> {
    let mut folders = workspace::folders_with("crates", "Cargo.toml")?;
    let is_published = |folder: &String| {
        let manifest = workspace::read(&format!("crates/{folder}/Cargo.toml"));
        manifest.is_ok_and(|manifest| manifest.contains("\npublish = true\n"))
    };
    folders.retain(is_published);
    Ok(folders)
}

/// True if the registry has this version of the crate.
fn is_in_registry(name: &str) -> bool {
    // Run outside of the workspace, where cargo would report the local crate.
    let mut info = workspace::cargo(["info", "--quiet"]);
    info.arg(format!("{name}@{VERSION}")).current_dir(env::temp_dir());
    info.output().is_ok_and(|output| output.status.success())
}

/// Publishes the image with Linux's programs, from the archives in a folder.
fn publish_image(archives: &Path, dry_run: bool, log: &StepLog) -> Result<()> {
    let image = names::image();
    let context = workspace::scratch("image");
    let platforms = lay_out_image(archives, &context, dry_run, log)?;
    let mut build = Command::new("docker");
    build.args(["buildx", "build", "--push", "--platform", &platforms.join(",")]);
    build.args(["--tag", &format!("{image}:{VERSION}"), "--tag", &format!("{image}:latest")]);
    for (label, value) in [
        ("org.opencontainers.image.source", REPOSITORY),
        ("org.opencontainers.image.version", VERSION),
        ("io.modelcontextprotocol.server.name", &names::mcp_name()),
    ] {
        build.args(["--label", &format!("{label}={value}")]);
    }
    build.arg(&context);
    if dry_run {
        say(&format!("not run: {build:?}"));
        return Ok(());
    }
    log.run(&mut build)
}

/// Makes the folder that an image is built from: the Containerfile, and the program of each Linux platform in a folder with the platform's name.
/// Returns these names.
fn lay_out_image(archives: &Path, context: &Path, dry_run: bool, log: &StepLog) -> Result<Vec<String>> {
    files::remove(context)?;
    let containerfile = workspace::root().join("crates").join(PROGRAM).join("Containerfile");
    files::copy(&containerfile, &context.join("Dockerfile"))?;
    files::make(&context.join("data"))?;
    let mut platforms = Vec::new();
    for platform in PLATFORMS.iter().filter(|platform| platform.os == "linux") {
        let archive = archives.join(platform.archive());
        if dry_run && !archive.is_file() {
            say(&format!("no {}: it is not in {}", platform.archive(), archives.display()));
            continue;
        }
        let name = format!("linux/{}", if platform.cpu == "x64" { "amd64" } else { platform.cpu });
        unpack_program(platform, &archive, &context.join(&name), log)?;
        platforms.push(name);
    }
    ensure!(!platforms.is_empty(), "{} has no archive for Linux", archives.display());
    Ok(platforms)
}
