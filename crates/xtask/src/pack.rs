//! `cargo xtask pack`: makes what is published beside the crates, in one folder. These are the npm package of the card; and the program with the page
//! inside, as npm packages, as a wheel and as an archive.

mod archive;
mod card;
mod deployed;
mod entries;
pub(crate) mod names;
mod npm;
mod program;
mod wheel;

pub(crate) use deployed::build;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use crate::console::{print, say};
use crate::flags::Pack;
use crate::steps::{self, StepLog, StepSpec};
use crate::{files, page, workspace};
use names::{CARD, PLATFORMS, PROGRAM, Platform};
use program::Audience;

/// Makes all packages, or the named ones. Prints the weight of the card's files, and the folder.
pub(crate) fn pack(options: &Pack) -> Result<()> {
    let known = [CARD, PROGRAM].map(str::to_owned);
    let wanted = workspace::wanted(&known, &options.name)?;
    let folder = &folder();
    if let Some(archives) = &options.archives {
        ensure!(
            archives.canonicalize().ok() != folder.canonicalize().ok(),
            "copy the archives: {} is emptied",
            folder.display()
        );
    }
    files::remove(folder)?;
    files::make(folder)?;
    let mut steps = vec![StepSpec::runs("tools", &[], page::bring_tools)];
    match &options.archives {
        _ if !wanted.contains(&PROGRAM) => {}
        Some(archives) => steps.push(StepSpec::runs(PROGRAM, &[], |log| pack_archived(folder, archives, log))),
        None => {
            steps = Vec::from(deployed::steps_to_deploy());
            steps.push(StepSpec::runs(PROGRAM, &["page inside"], |log| pack_built(folder, Audience::Users, log)));
        }
    }
    if wanted.contains(&CARD) {
        steps.push(card_step());
    }
    steps.push(StepSpec::runs("linters", &wanted, |log| lint(folder, &wanted, log)));
    steps.push(StepSpec::runs("entries", &[], |_| entries::write(folder)));
    steps::run_or_fail(&steps)?;
    if let Ok(weights) = fs::read_to_string(folder.join(card::WEIGHTS)) {
        print(&weights);
    }
    print(&folder.display().to_string());
    Ok(())
}

/// The steps that build the card's package as `cargo xtask pack` does. The last one is [`CARD`].
pub(crate) fn card_steps<'a>() -> [StepSpec<'a>; 2] {
    [StepSpec::runs("tools", &[], page::bring_tools), card_step()]
}

fn card_step<'a>() -> StepSpec<'a> {
    StepSpec::runs(CARD, &["tools"], |log| card::build(&folder(), log))
}

/// The content of the card's package, and its tarball.
pub(crate) fn card() -> (PathBuf, PathBuf) {
    (npm::content(&folder(), CARD), npm::tarball(&folder(), CARD))
}

/// Makes the card's package in the folder for the tests, and removes other versions from it.
pub(crate) fn card_for_tests(log: &StepLog) -> Result<()> {
    files::remove(&folder_for_tests())?;
    files::make(&folder_for_tests())?;
    card::build(&folder_for_tests(), log)
}

pub(crate) fn card_content_for_tests() -> PathBuf {
    npm::content(&folder_for_tests(), CARD)
}

/// Makes the program's packages for the tests, with the page and the view of the tests inside.
pub(crate) fn program_for_tests(log: &StepLog) -> Result<()> {
    page::put_inside(&page::dist(), &card_content_for_tests().join(card::VIEW))?;
    pack_built(&folder_for_tests(), Audience::Tests, log)?;
    lint(&folder_for_tests(), &[CARD, PROGRAM], log)
}

/// The folder of the packages that `cargo xtask pack` makes.
fn folder() -> PathBuf {
    workspace::scratch("packages")
}

/// The folder of the packages that the tests install.
pub(crate) fn folder_for_tests() -> PathBuf {
    workspace::scratch("packages-for-tests")
}

/// Builds the program for this machine's platform, and makes every package of it.
fn pack_built(folder: &Path, audience: Audience, log: &StepLog) -> Result<()> {
    let platform = Platform::here()?;
    let program = program::build(platform, audience, log)?;
    archive::pack(folder, platform, &program, audience, log)?;
    npm::pack_launcher(folder, log)?;
    pack_program(folder, platform, &program, log)
}

/// Makes the packages of every program whose archive `dist` has put into a folder.
fn pack_archived(folder: &Path, archives: &Path, log: &StepLog) -> Result<()> {
    npm::pack_launcher(folder, log)?;
    let (there, missing): (Vec<_>, Vec<_>) =
        PLATFORMS.iter().partition(|platform| archives.join(platform.archive()).is_file());
    ensure!(!there.is_empty(), "{} has no archive such as {}", archives.display(), PLATFORMS[0].archive());
    for platform in missing {
        say(&format!("no package for {}: {} has no {}", platform.target, archives.display(), platform.archive()));
    }
    for platform in there {
        let content = folder.join("content/programs").join(platform.target);
        let program = program::unpack(platform, &archives.join(platform.archive()), &content, log)?;
        pack_program(folder, platform, &program, log)?;
    }
    Ok(())
}

fn lint(folder: &Path, packages: &[&str], log: &StepLog) -> Result<()> {
    packages.iter().try_for_each(|&name| match name {
        CARD => card::lint(folder, log),
        name => npm::lint(folder, name, log),
    })
}

/// Makes the packages for registries, with this program.
fn pack_program(folder: &Path, platform: &Platform, program: &Path, log: &StepLog) -> Result<()> {
    program::check(platform, program)?;
    npm::pack_platform(folder, platform, program, log)?;
    wheel::pack(folder, platform, program, log)?;
    entries::pack_bundle(folder, platform, program, log)
}
