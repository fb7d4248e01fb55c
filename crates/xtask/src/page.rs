//! Trunk, told how to build and serve the page of this workspace.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::json;

use crate::console::colours;
use crate::files;
use crate::steps::{Log, Step};
use crate::tools::{self, rustup};
use crate::workspace::{self, cargo};

/// The steps to the page as users get it, in [`dist`].
pub(crate) fn steps_for_release<'a>() -> [Step<'a>; 2] {
    [
        Step::runs("tools", &[], bring_tools),
        // In cargo's folder for releases, so beside what is built for development.
        Step::runs("page for release", &["tools"], build_for_release),
    ]
}

/// Brings what builds and serves the page.
pub(crate) fn bring_tools(log: &Log) -> Result<()> {
    for tool in [tools::wasm_bindgen()?, tools::trunk()] {
        tool.folder(log)?;
    }
    tools::tidy()
}

/// Builds the page's program, so that Trunk finds it.
pub(crate) fn build_program(release: bool, log: &Log) -> Result<()> {
    rustup::wasm_target(log)?;
    let mut build = cargo(["build", "--package", "app", "--target", rustup::WASM]);
    if release {
        build.arg("--release");
    }
    log.run(build)?;
    if release {
        // By now, the tools that take long may be there: one is brought at a time.
        tools::binaryen().folder(log)?;
    }
    Ok(())
}

/// Where the page as users get it is built, each file packed beside itself as `question-server` takes it.
pub(crate) fn dist() -> Result<PathBuf> {
    Ok(workspace::scratch_dir()?.join("dist"))
}

/// The step to the gallery beside the page in [`dist`].
pub(crate) fn gallery_for_release<'a>() -> Step<'a> {
    Step::runs("gallery for release", &["page for release"], |log| {
        let folder = dist()?.join("gallery");
        build_gallery(true, &folder, log)?;
        pack(&folder, log)
    })
}

/// Builds the gallery into a folder, where the page's `boot.js` looks for it: beside the page, as `gallery`.
///
/// # Errors
///
/// The build fails, or what it needs is missing and can't be brought.
pub(crate) fn build_gallery(release: bool, folder: &Path, log: &Log) -> Result<()> {
    rustup::wasm_target(log)?;
    let mut build = cargo(["build", "--package", "card-gallery", "--target", rustup::WASM]);
    build.args(release.then_some("--release"));
    log.run(build)?;
    let profile = if release { "release" } else { "debug" };
    let program = workspace::target_dir().join(rustup::WASM).join(profile).join("card-gallery.wasm");
    bind(&program, "gallery", folder, log)?;
    if release { optimize(&folder.join("gallery_bg.wasm"), log) } else { Ok(()) }
}

/// Makes of what rustc built a program of this name in a folder, beside the JavaScript that starts it.
pub(crate) fn bind(built: &Path, name: &str, folder: &Path, log: &Log) -> Result<()> {
    let mut bindgen = Command::new(tools::wasm_bindgen()?.folder(log)?.join("wasm-bindgen"));
    bindgen.args(["--target", "web", "--no-typescript", "--out-name", name, "--out-dir"]).arg(folder).arg(built);
    log.run(bindgen)
}

/// Makes a program as small as the page's.
pub(crate) fn optimize(wasm: &Path, log: &Log) -> Result<()> {
    let mut opt = Command::new(tools::binaryen().folder(log)?.join("wasm-opt"));
    opt.args(wasm_opt_arguments()?).arg(wasm).arg("--output").arg(wasm);
    log.run(opt)
}

fn build_for_release(log: &Log) -> Result<()> {
    build_program(true, log)?;
    let mut trunk = trunk()?;
    trunk.args(["build", "--release", "--dist"]).arg(dist()?);
    log.run(trunk)?;
    // Trunk starts each build from an empty folder, so nothing is packed yet.
    pack(&dist()?, log)
}

/// Packs each file of a folder beside itself. Node has both compressions.
pub(crate) fn pack(folder: &Path, log: &Log) -> Result<()> {
    log.doing("packs");
    tools::run_script(PACK, folder, log).map(drop)
}

const PACK: &str = r#"
const fs = require("node:fs"), path = require("node:path"), zlib = require("node:zlib");
const dist = process.argv[1];
const best = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 11 } };
for (const name of fs.readdirSync(dist, { recursive: true })) {
  const file = path.join(dist, name);
  if (!fs.statSync(file).isFile()) continue;
  const bytes = fs.readFileSync(file);
  fs.writeFileSync(file + ".gz", zlib.gzipSync(bytes, { level: 9 }));
  fs.writeFileSync(file + ".br", zlib.brotliCompressSync(bytes, best));
}
"#;

/// How `trunk serve` is to run.
#[derive(Debug, Default)]
pub(crate) struct Serving {
    /// The page's port.
    pub(crate) port: u16,
    /// The server's port.
    pub(crate) server_port: u16,
    pub(crate) release: bool,
    pub(crate) open: bool,
    /// Origins that the page may talk to beside its own.
    pub(crate) allow_agents: Vec<String>,
    /// Where the gallery was built, if it is to be there.
    pub(crate) gallery: Option<PathBuf>,
}

/// The call of `trunk serve` that puts the page in front of the server.
pub(crate) fn trunk_serve(serving: &Serving, folder: &Path) -> Result<Command> {
    let settings = workspace::read("Trunk.toml")?;
    let ours = folder.join("Trunk.toml");
    files::write(&ours, settings_for_serving(&settings, serving)?)?;

    let mut trunk = trunk()?;
    trunk.arg("serve").arg("--config").arg(&ours);
    trunk.args(["--address", "127.0.0.1", "--port", &serving.port.to_string()]);
    for (flag, wanted) in [("--release", serving.release), ("--open", serving.open)] {
        trunk.args(wanted.then_some(flag));
    }
    // Trunk reads relative paths from where its settings lie, so all of them are given here once more, from the root. The page's own
    // folder keeps a build that is being served apart from one that a user has made for deployment.
    trunk.arg("--dist").arg(folder.join("dist"));
    for folder in ignored_folders(&settings).chain(["target"]) {
        trunk.arg("--ignore").arg(workspace::root().join(folder));
    }
    trunk.arg(workspace::root().join("index.html"));
    Ok(trunk)
}

/// What `wasm-opt` is told for the page.
pub(crate) fn wasm_opt_arguments() -> Result<Vec<String>> {
    wasm_opt_settings(&workspace::read("index.html")?).context("index.html does not tell wasm-opt's level")
}

fn wasm_opt_settings(html: &str) -> Option<Vec<String>> {
    let value = |attribute: &str| {
        let (_, after) = html.split_once(&format!("{attribute}=\""))?;
        Some(after.split_once('"')?.0)
    };
    let level = format!("-O{}", value("data-wasm-opt")?);
    let parameters = value("data-wasm-opt-params").unwrap_or_default();
    Some([level].into_iter().chain(parameters.split_whitespace().map(str::to_owned)).collect())
}

/// A call of Trunk, after [`bring_tools`] and [`build_program`].
fn trunk() -> Result<Command> {
    let tools = [tools::wasm_bindgen()?, tools::trunk(), tools::binaryen()];
    let mut folders = tools.iter().filter_map(|tool| tool.folder_here().transpose()).collect::<Result<Vec<_>>>()?;
    // A folder of the PATH that has one tool may have another one that is too old.
    let cache = tools::cache()?;
    folders.sort_by_key(|folder| !folder.starts_with(&cache));
    let mut trunk = tools::command("trunk", &folders)?;
    trunk.current_dir(workspace::root());
    // Its errors are about the page, not about itself.
    trunk.env("RUST_BACKTRACE", "0");
    // Trunk fails on the usual `NO_COLOR=1`, since it takes only `true` and `false`.
    trunk.env_remove("NO_COLOR").env("TRUNK_COLOR", if colours() { "always" } else { "never" });
    // A Trunk of the PATH may have been built with the check that the pinned one lacks.
    trunk.env("TRUNK_SKIP_VERSION_CHECK", "true");
    Ok(trunk)
}

/// Trunk.toml with the server's real port, and with nonces, which only a server that writes the page for each request can give.
fn settings_for_serving(settings: &str, serving: &Serving) -> Result<String> {
    let backend = format!("http://127.0.0.1:{}/", serving.server_port);
    // The server has judged them: it would not have started with anything that is no origin.
    let connect = ["connect-src 'self'"].into_iter().chain(serving.allow_agents.iter().map(String::as_str));
    let connect = connect.collect::<Vec<_>>().join(" ");
    let mut ours = settings.to_owned();
    for (plain, with) in
        [(BACKEND, backend.as_str()), ("create_nonce = false", "create_nonce = true"), ("connect-src 'self'", &connect)]
    {
        if !ours.contains(plain) {
            bail!("Trunk.toml is expected to contain `{plain}`");
        }
        ours = ours.replace(plain, with);
    }
    if let Some(gallery) = &serving.gallery {
        // Trunk begins each build in an empty folder. A string of JSON is one of TOML.
        let folder = json!(gallery.to_string_lossy());
        ours += &format!(
            "\n[[hooks]]\nstage = \"post_build\"\ncommand = \"sh\"\ncommand_arguments = [\"-c\", '{COPY}', {folder}]\n"
        );
    }
    Ok(ours)
}

/// The folders that Trunk.toml tells the watcher to ignore.
fn ignored_folders(settings: &str) -> impl Iterator<Item = &str> {
    let (_, list) = settings.split_once("\nignore = [").unwrap_or_default();
    list.split(']').next().unwrap_or_default().split('"').skip(1).step_by(2)
}

/// Brings the folder that it is given into what Trunk builds.
const COPY: &str = r#"cp -r "$0" "$TRUNK_STAGING_DIR""#;
/// Where plain `trunk serve` looks for the server.
const BACKEND: &str = "http://127.0.0.1:8787/";

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(allow_agents: &[&str]) -> String {
        let settings = workspace::read("Trunk.toml").unwrap();
        let allow_agents = allow_agents.iter().map(|&origin| origin.to_owned()).collect();
        settings_for_serving(&settings, &Serving { server_port: 4321, allow_agents, ..Serving::default() }).unwrap()
    }

    #[test]
    fn the_page_may_talk_to_the_agents_that_are_allowed_and_no_other() {
        assert!(settings(&[]).contains(r#""connect-src 'self'","#));
        let some = settings(&["https://a.example", "http://localhost:9000"]);
        assert!(some.contains(r#""connect-src 'self' https://a.example http://localhost:9000","#), "{some}");
    }

    #[test]
    fn the_gallery_is_brought_into_each_build_where_it_is_wanted() {
        assert!(!settings(&[]).contains("post_build"));
        let text = workspace::read("Trunk.toml").unwrap();
        let serving = Serving { gallery: Some("/a \"b\"/gallery".into()), ..Serving::default() };
        let ours = settings_for_serving(&text, &serving).unwrap();
        assert!(
            ours.ends_with(
                r#"'cp -r "$0" "$TRUNK_STAGING_DIR"', "/a \"b\"/gallery"]
"#
            ),
            "{ours}"
        );
    }

    #[test]
    fn every_route_goes_to_the_servers_real_port() {
        let ours = settings(&[]);
        for route in ["agent", "conversations", "settings.json"] {
            assert!(ours.contains(&format!("backend = \"http://127.0.0.1:4321/{route}\"")), "{ours}");
        }
        assert!(!ours.contains(BACKEND) && ours.contains("create_nonce = true"), "{ours}");
        assert!(settings_for_serving("[build]\n", &Serving::default()).is_err(), "other settings do not fit");
    }

    #[test]
    fn what_the_page_tells_wasm_opt_is_read() {
        let html = r#"<link data-trunk data-wasm-opt="z" data-wasm-opt-params="--one --two">"#;
        assert_eq!(wasm_opt_settings(html).unwrap(), ["-Oz", "--one", "--two"]);
        assert_eq!(wasm_opt_settings("<link data-trunk>"), None);
        assert!(wasm_opt_arguments().unwrap().len() > 1);
    }

    #[test]
    fn the_watcher_ignores_what_exists_and_is_no_part_of_the_page() {
        let settings = workspace::read("Trunk.toml").unwrap();
        let ignored: Vec<_> = ignored_folders(&settings).collect();
        assert!(ignored.contains(&"crates/question-server"), "{ignored:?}");
        for folder in ignored {
            assert!(workspace::root().join(folder).is_dir(), "{folder} is gone, and trunk refuses what is not there");
        }
    }
}
