//! Trunk, told how to build and serve the page of this workspace.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::children;
use crate::console::{colours, say};
use crate::tools::{self, Toolbox};
use crate::workspace;

/// Builds the page as for users into a folder of our own, with each file packed beside itself as `question-server` takes it, and
/// gives that folder.
///
/// # Errors
///
/// The build fails, or Node.js is missing and can't be brought.
pub(crate) fn build_for_release(toolbox: &Toolbox) -> Result<PathBuf> {
    let dist = workspace::scratch_dir()?.join("dist");
    say("Building the page for release, which takes about 3 minutes from nothing");
    let mut trunk = trunk(toolbox)?;
    trunk.args(["build", "--release", "--dist"]).arg(&dist);
    if !children::run(&mut trunk)?.success() {
        bail!("the page does not build; trunk says above why");
    }
    // Node has both compressions.
    let mut pack = Command::new(tools::node()?);
    pack.arg("--eval").arg(PACK).arg(&dist);
    if !children::run(&mut pack)?.success() {
        bail!("the built page can't be packed; Node.js says above why");
    }
    Ok(dist)
}

/// Trunk starts each build from an empty folder, so nothing here is packed yet.
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
pub(crate) struct Serving<'a> {
    /// The page's port.
    pub(crate) port: u16,
    /// The server's port.
    pub(crate) server_port: u16,
    pub(crate) release: bool,
    pub(crate) open: bool,
    /// Origins that the page may talk to beside its own.
    pub(crate) allow_agents: &'a [String],
}

/// The call of `trunk serve` that puts the page in front of the server.
///
/// # Errors
///
/// Trunk.toml can't be read or lacks what is to be replaced in it, or our copy can't be written.
pub(crate) fn trunk_serve(toolbox: &Toolbox, serving: &Serving<'_>) -> Result<Command> {
    let root = workspace::root();
    let scratch = workspace::scratch_dir()?;
    let path = root.join("Trunk.toml");
    let settings = fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
    let ours = scratch.join("Trunk.toml");
    fs::write(&ours, settings_for_serving(&settings, serving)?)
        .with_context(|| format!("can't write {}", ours.display()))?;

    let mut trunk = trunk(toolbox)?;
    trunk.arg("serve").arg("--config").arg(&ours);
    trunk.args(["--address", "127.0.0.1", "--port", &serving.port.to_string()]);
    if serving.release {
        trunk.arg("--release");
    }
    if serving.open {
        trunk.arg("--open");
    }
    // Trunk reads relative paths from where its settings lie, so all of them are given here once more, from the root. The
    // page's own folder keeps a build that is being served apart from one that a user has made for deployment.
    trunk.arg("--dist").arg(served_dir()?);
    for folder in ignored_folders(&settings).chain(["target"]) {
        let folder = root.join(folder);
        if folder.exists() {
            trunk.arg("--ignore").arg(folder);
        }
    }
    trunk.arg(root.join("index.html"));
    Ok(trunk)
}

/// True once a build of the page has succeeded, now or under an earlier `serve`.
///
/// # Errors
///
/// The folder for what we make can't be made.
pub(crate) fn is_served() -> Result<bool> {
    Ok(served_dir()?.join("index.html").is_file())
}

/// Forgets the page that an earlier `serve` built, so that [`is_served`] speaks of this one.
///
/// # Errors
///
/// The folder can't be removed.
pub(crate) fn forget_served() -> Result<()> {
    let folder = served_dir()?;
    match fs::remove_dir_all(&folder) {
        Err(problem) if problem.kind() != std::io::ErrorKind::NotFound => {
            Err(problem).with_context(|| format!("can't remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// What `wasm-opt` is told for the page.
///
/// # Errors
///
/// index.html can't be read or does not say.
pub(crate) fn wasm_opt_arguments() -> Result<Vec<String>> {
    let path = workspace::root().join("index.html");
    let html = fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
    wasm_opt_settings(&html).with_context(|| format!("{} does not tell wasm-opt's level", path.display()))
}

fn wasm_opt_settings(html: &str) -> Option<Vec<String>> {
    let value = |attribute: &str| {
        let (_, after) = html.split_once(&format!("{attribute}=\""))?;
        Some(after.split_once('"')?.0)
    };
    let level = format!("-O{}", value("data-wasm-opt")?);
    let parameters = value("data-wasm-opt-params").unwrap_or_default();
    let parameters = parameters.split_whitespace().map(str::to_owned);
    Some([level].into_iter().chain(parameters).collect())
}

fn served_dir() -> Result<PathBuf> {
    Ok(workspace::scratch_dir()?.join("served"))
}

fn trunk(toolbox: &Toolbox) -> Result<Command> {
    let mut trunk = toolbox.command("trunk")?;
    trunk.current_dir(workspace::root());
    // What it needs is there: it looks for nothing newer.
    trunk.env("TRUNK_SKIP_VERSION_CHECK", "true");
    // Its errors are about the page, not about itself.
    trunk.env("RUST_BACKTRACE", "0");
    // Trunk fails on the usual `NO_COLOR=1`, since it takes only `true` and `false`.
    trunk.env_remove("NO_COLOR").env("TRUNK_COLOR", if colours() { "always" } else { "never" });
    if colours() {
        trunk.env("CARGO_TERM_COLOR", "always");
    }
    Ok(trunk)
}

/// Trunk.toml with the server's real port, and with nonces, which only a server that writes the page anew can give.
fn settings_for_serving(settings: &str, serving: &Serving<'_>) -> Result<String> {
    let backend = format!("http://127.0.0.1:{}/", serving.server_port);
    // The server has judged them: it would not have started with anything that is no origin.
    let agents = serving.allow_agents.iter().map(|origin| format!(" {origin}"));
    let connect = format!("connect-src 'self'{}", agents.collect::<String>());
    let mut ours = settings.to_owned();
    for (what, with) in [(BACKEND, backend.as_str()), (NO_NONCE, "create_nonce = true"), (CONNECT, connect.as_str())] {
        if !ours.contains(what) {
            bail!("Trunk.toml is expected to contain `{what}`");
        }
        ours = ours.replace(what, with);
    }
    Ok(ours)
}

/// The folders that Trunk.toml tells the watcher to ignore.
fn ignored_folders(settings: &str) -> impl Iterator<Item = &str> {
    let list = settings.split_once("\nignore = [").map_or("", |(_, after)| after);
    let list = list.split_once(']').map_or("", |(list, _)| list);
    list.split('"').skip(1).step_by(2)
}

/// Where plain `trunk serve` looks for the server.
const BACKEND: &str = "http://127.0.0.1:8787/";
const NO_NONCE: &str = "create_nonce = false";
const CONNECT: &str = "connect-src 'self'";

/// The program of the server that cargo has built under `profile`'s folder.
pub(crate) fn server_program(folder: &str) -> PathBuf {
    let name = Path::new("question-server").with_extension(std::env::consts::EXE_EXTENSION);
    workspace::target_dir().join(folder).join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> String {
        fs::read_to_string(workspace::root().join("Trunk.toml")).expect("the workspace has a Trunk.toml")
    }

    fn serving(allow_agents: &[String]) -> Serving<'_> {
        Serving { port: 8080, server_port: 4321, release: false, open: false, allow_agents }
    }

    #[test]
    fn the_page_may_talk_to_the_agents_that_are_allowed_and_no_other() {
        let none = settings_for_serving(&settings(), &serving(&[])).unwrap();
        assert!(none.contains(r#""connect-src 'self'","#), "{none}");
        let agents = ["https://a.example", "http://localhost:9000"].map(str::to_owned);
        let some = settings_for_serving(&settings(), &serving(&agents)).unwrap();
        let policy = r#""connect-src 'self' https://a.example http://localhost:9000","#;
        assert!(some.contains(policy), "{some}");
    }

    #[test]
    fn every_route_goes_to_the_servers_real_port() {
        let ours = settings_for_serving(&settings(), &serving(&[])).unwrap();
        for route in ["agent", "conversations", "settings.json"] {
            assert!(ours.contains(&format!("backend = \"http://127.0.0.1:4321/{route}\"")), "{ours}");
        }
        assert!(!ours.contains(BACKEND), "{ours}");
        assert!(ours.contains("create_nonce = true"), "{ours}");
    }

    #[test]
    fn settings_that_do_not_fit_are_refused() {
        assert!(settings_for_serving("[build]\n", &serving(&[])).is_err());
    }

    #[test]
    fn what_the_page_tells_wasm_opt_is_read() {
        let html = r#"<link data-trunk data-wasm-opt="z" data-wasm-opt-params="--one --two">"#;
        let arguments = wasm_opt_settings(html).unwrap();
        assert_eq!(arguments, ["-Oz", "--one", "--two"]);
        assert_eq!(wasm_opt_settings("<link data-trunk>"), None);
        assert!(wasm_opt_arguments().unwrap().len() > 1);
    }

    #[test]
    fn the_watcher_ignores_what_exists_and_is_no_part_of_the_page() {
        let settings = settings();
        let ignored: Vec<_> = ignored_folders(&settings).collect();
        assert!(ignored.contains(&"crates/question-server"), "{ignored:?}");
        for folder in ignored {
            assert!(workspace::root().join(folder).is_dir(), "{folder} is gone, and trunk refuses what is not there");
        }
    }
}
