//! Trunk, which builds and serves the workspace's page.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::console::{colours, print};
use crate::flags::Serve;
use crate::steps::{self, StepLog, StepSpec};
use crate::{files, tools, wasm, workspace};

/// The step that builds the gallery beside the page in [`dist`]. Like the demo, it is not optimized for size, which takes half a minute, since no
/// user downloads it.
pub(crate) fn gallery_for_release<'a>() -> StepSpec<'a> {
    StepSpec::runs("gallery for release", &["page for release"], |log| {
        build_gallery(true, &dist().join("gallery"), log)
    })
}

/// The step that builds the demo from the same page.
pub(crate) fn demo_for_release<'a>() -> StepSpec<'a> {
    StepSpec::runs("demo for release", &["gallery for release"], |log| {
        build_demo(&dist(), &workspace::scratch("demo"), log).map(drop)
    })
}

/// Makes a copy of a built page that needs no server, since the front desk runs inside it. Returns the path of its program, which is still to be
/// optimized. Compressing the changed document is left to its host.
pub(crate) fn build_demo(page: &Path, folder: &Path, log: &StepLog) -> Result<PathBuf> {
    log.run(wasm::cargo_for(["build", "--release", "--package", "front-desk"], log)?.arg("--lib"))?;
    files::remove(folder)?;
    files::copy(page, folder)?;
    for packed in ["index.html.br", "index.html.gz"] {
        files::remove(&folder.join(packed))?;
    }
    let index = fs::read_to_string(page.join("index.html"))?;
    // Inserted before the page's own script, which asks for the settings.
    let script = "<script type=module src=./demo.js></script><script";
    files::write(&folder.join("index.html"), index.replacen("<script", script, 1))?;
    files::copy(&workspace::root().join("crates/front-desk/demo.js"), &folder.join("demo.js"))?;
    wasm::bind("web", &wasm::built("release/front_desk"), "desk", &folder.join("desk"), log)
}

/// Installs Trunk and the tools that it calls.
pub(crate) fn bring_tools(log: &StepLog) -> Result<()> {
    for tool in [tools::wasm_bindgen()?, tools::trunk()] {
        tool.folder(log)?;
    }
    tools::tidy()
}

/// The folder of the page that the tests use.
pub(crate) fn dist() -> PathBuf {
    workspace::scratch("dist")
}

/// Builds the page's program before Trunk does, to show cargo's progress.
pub(crate) fn build_program(release: bool, log: &StepLog) -> Result<()> {
    log.run(wasm::cargo_for(["build", "--package", "app"], log)?.args(release.then_some("--release")))?;
    if release {
        // Installed after the build, since only one tool is installed at a time. Trunk runs `wasm-opt`, and its hook runs esbuild and Node.
        tools::binaryen().folder(log)?;
        tools::esbuild().folder(log)?;
        tools::system::node(log)?;
    }
    Ok(())
}

/// Builds the gallery into a folder. The page's `boot.js` looks for it in `gallery` beside the page.
pub(crate) fn build_gallery(release: bool, folder: &Path, log: &StepLog) -> Result<()> {
    log.run(wasm::cargo_for(["build", "--package", "card-gallery"], log)?.args(release.then_some("--release")))?;
    let built = wasm::built(if release { "release/card-gallery" } else { "debug/card-gallery" });
    wasm::bind("web", &built, "gallery", folder, log).map(drop)
}

/// Runs `trunk build --release` into a folder that may be served under any path.
pub(crate) fn build_for_release(dist: &Path, log: &StepLog) -> Result<()> {
    build_program(true, log)?;
    log.doing("trunk build --release");
    let mut trunk = trunk()?;
    log.run(trunk.args(["build", "--release", "--public-url", "./", "--dist"]).arg(dist))
}

/// Copies a built page and the view for hosts of MCP into the server's crate, which embeds them. Equal files are left alone, so that cargo does not
/// build the program again.
pub(crate) fn put_inside(dist: &Path, view: &Path) -> Result<()> {
    put_into(&workspace::root().join("crates/question-server/page"), dist, view)
}

fn put_into(inside: &Path, dist: &Path, view: &Path) -> Result<()> {
    files::make(inside)?;
    files::remove_others(inside, dist, &[OsStr::new(".gitignore"), view.file_name().unwrap_or_default()])?;
    for entry in fs::read_dir(dist)? {
        let file = entry?.path();
        // The gallery is only for tests.
        if !file.ends_with("gallery") {
            files::copy(&file, &inside.join(file.file_name().unwrap_or_default()))?;
        }
    }
    files::copy(view, &inside.join(view.file_name().unwrap_or_default()))
}

/// The call of `trunk serve`, which serves the page and forwards requests to the server.
pub(crate) fn trunk_serve(options: &Serve, [port, server_port]: [u16; 2], folder: &Path) -> Result<Command> {
    let settings = workspace::read("Trunk.toml")?;
    let ours = folder.join("Trunk.toml");
    let gallery = options.gallery.then(|| workspace::scratch("gallery"));
    files::write(&ours, settings_for_serving(&settings, server_port, &options.allow_agent, gallery.as_deref())?)?;

    let mut trunk = trunk()?;
    trunk.arg("serve").arg("--config").arg(&ours);
    trunk.args(["--address", "127.0.0.1", "--port", &port.to_string()]);
    trunk.args(options.release.then_some("--release")).args(options.open.then_some("--open"));
    // Trunk resolves relative paths from the folder of its settings, so all of them are repeated here, as absolute ones. The separate folder keeps a
    // served build apart from one that a user has made for deployment.
    trunk.arg("--dist").arg(folder.join("dist"));
    for folder in ignored_folders(&settings).chain(["target"]) {
        trunk.arg("--ignore").arg(workspace::root().join(folder));
    }
    trunk.arg(workspace::root().join("index.html"));
    Ok(trunk)
}

/// `cargo xtask tools`: installs Trunk and the tools that it calls, and prints the line that puts them on the PATH of a shell.
pub(crate) fn tools() -> Result<()> {
    let bring = |log: &StepLog| {
        bring_tools(log)?;
        tools::binaryen().folder(log)?;
        tools::esbuild().folder(log).map(drop)
    };
    steps::run_or_fail(&[StepSpec::runs("tools", &[], bring)])?;
    print(&format!("export PATH='{}':\"$PATH\"", env::join_paths(folders()?)?.display()));
    Ok(())
}

/// A `PATH` with Trunk and the tools that it calls in front, after [`bring_tools`].
pub(crate) fn path() -> Result<OsString> {
    let present = env::var_os("PATH").unwrap_or_default();
    env::join_paths(folders()?.into_iter().chain(env::split_paths(&present)))
        .context("the cache's folder can't be put on the PATH; set ASK_TOOLS_DIR")
}

/// The folders of Trunk and of the tools that it calls.
fn folders() -> Result<Vec<PathBuf>> {
    let tools = [tools::wasm_bindgen()?, tools::trunk(), tools::binaryen(), tools::esbuild()];
    let mut folders = tools.iter().filter_map(|tool| tool.folder_here().transpose()).collect::<Result<Vec<_>>>()?;
    // Folders of the cache come first: a folder of the PATH with one tool may have another one that is too old.
    let cache = tools::cache()?;
    folders.sort_by_key(|folder| !folder.starts_with(&cache));
    Ok(folders)
}

/// A call of Trunk, after [`bring_tools`] and [`build_program`].
fn trunk() -> Result<Command> {
    let path = path()?;
    let program = which::which_in_global("trunk", Some(&path))?.next().context("there is no `trunk`")?;
    let mut trunk = Command::new(program);
    trunk.env("PATH", path).current_dir(workspace::root());
    // Trunk's errors are about the page, so its own backtrace does not help.
    trunk.env("RUST_BACKTRACE", "0");
    // Trunk fails on the usual `NO_COLOR=1`, since it takes only `true` and `false`.
    trunk.env_remove("NO_COLOR").env("TRUNK_COLOR", if colours() { "always" } else { "never" });
    // A Trunk of the PATH may have been built with the check that the pinned one lacks.
    trunk.env("TRUNK_SKIP_VERSION_CHECK", "true");
    Ok(trunk)
}

/// Trunk.toml with the server's actual port, and with nonces, which need a server that writes the page for each request.
fn settings_for_serving(
    settings: &str,
    server_port: u16,
    allow_agents: &[String],
    gallery: Option<&Path>,
) -> Result<String> {
    let backend = format!("http://127.0.0.1:{server_port}/");
    // The server has checked these origins, and would not have started with an invalid one.
    let connect = [&["connect-src 'self'".to_owned()], allow_agents].concat().join(" ");
    let mut ours = settings.to_owned();
    for (plain, with) in
        [(BACKEND, backend.as_str()), ("create_nonce = false", "create_nonce = true"), ("connect-src 'self'", &connect)]
    {
        ensure!(ours.contains(plain), "Trunk.toml is expected to contain `{plain}`");
        ours = ours.replace(plain, with);
    }
    if let Some(gallery) = gallery {
        // Trunk begins each build with an empty folder. A JSON string is also a TOML string.
        let folder = json!(gallery.to_string_lossy());
        ours += &format!(
            "\n[[hooks]]\nstage = \"post_build\"\ncommand = \"sh\"\ncommand_arguments = [\"-c\", '{COPY}', {folder}]\n"
        );
    }
    Ok(ours)
}

/// The folders that Trunk.toml excludes from watching.
fn ignored_folders(settings: &str) -> impl Iterator<Item = &str> {
    let (_, list) = settings.split_once("\nignore = [").unwrap_or_default();
    list.split(']').next().unwrap_or_default().split('"').skip(1).step_by(2)
}

/// Copies the folder in its first argument into Trunk's build.
const COPY: &str = r#"cp -r "$0" "$TRUNK_STAGING_DIR""#;
/// The address of the server that Trunk.toml names.
const BACKEND: &str = "http://127.0.0.1:8787/";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_gone_from_a_built_page_goes_from_the_servers_crate_and_equal_files_keep_their_times() {
        let folder = workspace::scratch("a test of the page inside");
        files::remove(&folder).unwrap();
        let (inside, dist) = (folder.join("inside"), folder.join("dist"));
        let view = folder.join("card.html");
        for file in ["dist/index.html", "dist/snippets/kept/a.js", "dist/snippets/gone/b.js", "dist/gallery/c.js"] {
            files::write(&folder.join(file), "1").unwrap();
        }
        files::write(&view, "view").unwrap();
        files::write(&inside.join(".gitignore"), "*").unwrap();
        put_into(&inside, &dist, &view).unwrap();
        assert!(inside.join("snippets/gone/b.js").is_file() && !inside.join("gallery").exists());

        let time = |file: &str| fs::metadata(inside.join(file)).unwrap().modified().unwrap();
        let stays = ["index.html", "snippets/kept/a.js", "card.html", ".gitignore"];
        let times = stays.map(time);
        files::remove(&dist.join("snippets/gone")).unwrap();
        files::write(&inside.join("snippets/kept/old.js"), "1").unwrap();
        put_into(&inside, &dist, &view).unwrap();
        assert_eq!(stays.map(time), times);
        for gone in ["snippets/gone", "snippets/kept/old.js"] {
            assert!(!inside.join(gone).exists(), "{gone}");
        }
        files::remove(&folder).unwrap();
    }

    #[test]
    fn trunk_gets_the_servers_port_nonces_allowed_agents_and_the_gallery() {
        let text = workspace::read("Trunk.toml").unwrap();
        let plain = settings_for_serving(&text, 4321, &[], None).unwrap();
        for route in ["agent", "conversations", "push", "settings.json"] {
            assert!(plain.contains(&format!("backend = \"http://127.0.0.1:4321/{route}\"")), "{plain}");
        }
        assert!(plain.contains("create_nonce = true") && plain.contains(r#""connect-src 'self'","#), "{plain}");
        assert!(!plain.contains(BACKEND) && !plain.contains(COPY), "{plain}");

        let allow_agents = ["https://a.example".to_owned(), "http://localhost:9000".to_owned()];
        let all = settings_for_serving(&text, 1, &allow_agents, Some(Path::new("/a \"b\"/gallery"))).unwrap();
        assert!(all.contains(r#""connect-src 'self' https://a.example http://localhost:9000","#), "{all}");
        assert!(all.ends_with("'cp -r \"$0\" \"$TRUNK_STAGING_DIR\"', \"/a \\\"b\\\"/gallery\"]\n"), "{all}");
        assert!(settings_for_serving("[build]\n", 1, &[], None).is_err(), "other settings do not fit");
    }
}
