//! `cargo xtask pack`: what is published beside the crates, in one folder: the npm package of the card; and the program with the page inside,
//! as npm packages, as a wheel and as an archive.

mod archive;
mod card;
pub(crate) mod names;
mod npm;
mod program;
mod wheel;

pub(crate) use card::{VIEW, build_view};

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use crate::flags::Pack;
use crate::steps::{self, StepLog, StepSpec};
use crate::tools;
use crate::{files, page, size, workspace};
use names::{CARD, PROGRAM, Platform};
use program::Speed;

/// Makes all packages, or the named ones, and prints what a page loads of the card, and each package with its size and checksum.
pub(crate) fn pack(options: &Pack) -> Result<()> {
    let known = [CARD, PROGRAM].map(str::to_owned);
    let wanted = workspace::wanted(&known, &options.name)?;
    let platform = options.target.as_deref().map_or_else(Platform::here, Platform::of_target)?;
    ensure!(
        options.program.is_none() || options.target.is_some(),
        "--program needs the --target that it was built for, such as {}",
        platform.target
    );
    let folder = &folder();
    files::remove(folder)?;
    files::make(folder)?;
    let with_program = wanted.contains(&PROGRAM);
    let mut steps = match with_program && options.program.is_none() {
        true => Vec::from(size::steps_to_deploy()),
        false => vec![StepSpec::runs("tools", &[], page::bring_tools)],
    };
    if let Some(program) = options.program.as_deref().filter(|_| with_program) {
        steps.push(StepSpec::runs(PROGRAM, &[], move |log| pack_program(folder, platform, program, log)));
    } else if with_program {
        steps.push(StepSpec::runs(PROGRAM, &["page inside"], move |log| {
            pack_program(folder, platform, &program::build(platform, Speed::OfUsers, log)?, log)
        }));
    }
    if wanted.contains(&CARD) {
        steps.push(card_step());
        if !options.no_lint {
            steps.push(StepSpec::runs("linters", &[CARD], |log| card::lint(folder, log)));
        }
    }
    steps.push(StepSpec::runs("checksums", &wanted, |log| sum_up(folder, log)));
    steps::run_or_fail(&steps)?;
    for table in [card::WEIGHTS, TABLE] {
        print!("{}", fs::read_to_string(folder.join(table)).unwrap_or_default());
    }
    println!("{}", folder.display());
    Ok(())
}

/// The steps to the card's package as this command makes it, the last of which is [`CARD`].
pub(crate) fn card_steps<'a>() -> [StepSpec<'a>; 2] {
    [StepSpec::runs("tools", &[], page::bring_tools), card_step()]
}

fn card_step<'a>() -> StepSpec<'a> {
    StepSpec::runs(CARD, &["tools"], |log| card::build(&folder(), log))
}

/// The content of the card's package, and the package as npm takes it.
pub(crate) fn card() -> Result<(PathBuf, PathBuf)> {
    Ok((npm::content(&folder(), CARD), npm::tarball(&folder(), CARD)?))
}

/// Makes the card's package where the tests take it from.
pub(crate) fn card_for_tests(log: &StepLog) -> Result<()> {
    card::build(&folder_for_tests(), log)
}

/// The content of the card's package for the tests.
pub(crate) fn card_content_for_tests() -> PathBuf {
    npm::content(&folder_for_tests(), CARD)
}

/// Checks the card's package for the tests as the registry's users will.
pub(crate) fn lint_card_for_tests(log: &StepLog) -> Result<()> {
    card::lint(&folder_for_tests(), log)
}

/// Makes the program's packages for the tests, with their page and their view inside.
pub(crate) fn program_for_tests(log: &StepLog) -> Result<()> {
    page::put_inside(&page::dist(), &card_content_for_tests().join(VIEW))?;
    let platform = Platform::here()?;
    pack_program(&folder_for_tests(), platform, &program::build(platform, Speed::OfTests, log)?, log)
}

/// The folder of the packages that this command makes.
fn folder() -> PathBuf {
    workspace::scratch("packages")
}

/// The folder of the packages that the tests install.
pub(crate) fn folder_for_tests() -> PathBuf {
    workspace::scratch("packages-for-tests")
}

/// Makes every package of a built program. Completions, and so the archive, need a program that runs here.
fn pack_program(folder: &Path, platform: &Platform, program: &Path, log: &StepLog) -> Result<()> {
    program::check(platform, program)?;
    npm::pack_launcher(folder, log)?;
    npm::pack_platform(folder, platform, program, log)?;
    wheel::pack(folder, platform, program, log)?;
    if *platform == *Platform::here()? {
        archive::pack(folder, platform, program, log)?;
    }
    Ok(())
}

/// Writes the table of the packages in a folder: name, bytes and checksum.
fn sum_up(folder: &Path, log: &StepLog) -> Result<()> {
    let mut node = tools::script(SUM_UP, [folder], log)?;
    files::write(&folder.join(TABLE), log.output(&mut node)?)
}

const TABLE: &str = "packages.txt";

const SUM_UP: &str = r#"
import { createHash } from "node:crypto"; import fs from "node:fs"; import path from "node:path";
const folder = process.argv[1];
for (const name of fs.readdirSync(folder).filter((name) => /\.(tgz|whl|xz)$/.test(name)).sort()) {
  const bytes = fs.readFileSync(path.join(folder, name));
  const sum = createHash("sha256").update(bytes).digest("hex");
  console.log(`${name.padEnd(100)} ${String(bytes.length).padStart(10)}  ${sum}`);
}
"#;
