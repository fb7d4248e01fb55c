//! A recipe, followed by the lines of its README.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::table;
use crate::given;
use crate::processes::{Process, port_after};

/// An agent of another framework, as a user would set it up.
pub(super) struct Recipe {
    readme: String,
    /// A copy of the recipe's folder, in the user's cache, where its packages are.
    pub(super) folder: PathBuf,
}

impl Recipe {
    /// Copies the recipe of this name into the cache and follows its README up to the agent's start. A recipe that changed is copied
    /// afresh: other packages may be left over from it.
    pub(super) fn set_up(name: &str) -> Self {
        let (recipe, cache) = (recipes().join(name), Path::new(&given("XTASK_CACHE")).join("recipes"));
        let folder = cache.join(name);
        let files: Vec<_> = files_in(&recipe).collect();
        let is_kept = |file: &String| fs::read(recipe.join(file)).ok() == fs::read(folder.join(file)).ok();
        // The agent's program is read at each start, and the other files say what is installed.
        if !files.iter().all(|file| file.starts_with("agent.") || is_kept(file)) {
            let _ = fs::remove_dir_all(&folder);
        }
        fs::create_dir_all(&folder).expect("there is room on the disk");
        for file in files {
            fs::copy(recipe.join(&file), folder.join(&file)).expect("it can be copied");
        }
        fs::copy(recipes().join(MODEL), cache.join(MODEL)).expect("it can be copied");

        let readme = fs::read_to_string(recipe.join("README.md")).expect("each recipe has one");
        let recipe = Self { readme, folder };
        // Installed packages are left as they are.
        let done = recipe.shell(recipe.commands().0).status().expect("there is a shell");
        assert!(done.success(), "the packages of {name} can't be installed");
        recipe
    }

    /// Starts the agent behind the scripted model, on a free port. Returns the address where it answers as well.
    pub(super) fn start(&self) -> (Process, String) {
        // Its words go where those of the tests go.
        let start = format!("{} 2>&1 | tee -a /dev/stderr", self.commands().1.replace("8000", "0"));
        let announcement = |line: &str| port_after("ing on http://127.0.0.1:", line);
        let (process, port) = Process::listening(&mut self.shell(&start), announcement, START_LIMIT);
        let mut lines = self.readme.lines();
        let path = lines.find_map(|line| line.strip_prefix("cargo xtask serve --agent http://127.0.0.1:8000"));
        (process, format!("http://127.0.0.1:{port}{}", path.expect("the README has the page's command")))
    }

    /// The README's commands: what sets the agent up, and what starts it on port 8000.
    fn commands(&self) -> (&str, &str) {
        let (_, block) = self.readme.split_once("```sh\n").expect("the README has commands");
        let (block, _) = block.split_once("\n```").expect("a block has an end");
        block.rsplit_once('\n').expect("the last line starts the agent")
    }

    /// A shell that has this environment entered, and the Node of the tests.
    fn shell(&self, script: &str) -> Command {
        let (present, node) = (env::var_os("PATH").unwrap_or_default(), PathBuf::from(given("XTASK_NODE")));
        let present: Vec<_> = env::split_paths(&present).collect();
        let node = node.parent().filter(|folder| !present.iter().any(|known| known == folder));
        let first = [self.folder.join(".venv/bin")].into_iter().chain(node.map(Path::to_owned));
        let mut shell = Command::new("sh");
        shell.args(["-ec", script]).current_dir(&self.folder).envs(QUIET);
        shell.env("PATH", env::join_paths(first.chain(present)).expect("the cache's folder can be on the PATH"));
        shell
    }
}

/// True if the README of the recipes says `yes` under this heading.
pub(super) fn is_said_to_work(name: &str, heading: &str) -> bool {
    let readme = fs::read_to_string(recipes().join("README.md")).expect("it is there");
    let row = table::rows(&readme).find(|row| row["recipe"] == table::link(name));
    row.expect("each recipe has a row")[heading] == "yes"
}

fn recipes() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../agent-chat/recipes")
}

/// The names of the files in a folder, without what a user has installed there.
fn files_in(folder: &Path) -> impl Iterator<Item = String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|problem| panic!("{}: {problem}", folder.display()));
    let files = entries.flatten().filter(|entry| entry.path().is_file());
    files.map(|entry| entry.file_name().to_string_lossy().into_owned())
}

const MODEL: &str = "scripted_model.py";

/// Settings that keep agents from telemetry, and installers from notices that no reader sees.
const QUIET: [(&str, &str); 11] = [
    ("AGNO_TELEMETRY", "false"),
    ("ANONYMIZED_TELEMETRY", "false"),
    ("COPILOTKIT_TELEMETRY_DISABLED", "true"),
    ("CREWAI_DISABLE_TELEMETRY", "true"),
    ("LITELLM_LOCAL_MODEL_COST_MAP", "True"),
    ("MASTRA_TELEMETRY_DISABLED", "1"),
    ("NPM_CONFIG_AUDIT", "false"),
    ("NPM_CONFIG_FUND", "false"),
    ("OTEL_SDK_DISABLED", "true"),
    ("PIP_DISABLE_PIP_VERSION_CHECK", "1"),
    ("PIP_QUIET", "1"),
];

/// The most time that an agent may take to start: the largest loads for half a minute without a cache.
const START_LIMIT: Duration = Duration::from_secs(180);
