//! What Debian's package manager can bring.

use std::process::Command;

use anyhow::{Result, bail};

use super::search;
use crate::children;
use crate::console::say;

/// The system's package manager, where it may be used without asking anybody.
pub(crate) struct Apt {
    sudo: bool,
    /// Debian itself; derived systems have the same tool but sometimes other packages.
    pub(crate) debian: bool,
}

impl Apt {
    /// Apt, if this system has it and this user may use it: as root, or by a `sudo` that asks for no password.
    pub(crate) fn available() -> Option<Self> {
        if search::on_path("apt-get").is_empty() {
            return None;
        }
        let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
        let sudo = !is_root();
        if sudo && children::output_of(Command::new("sudo").args(["-n", "true"])).is_none() {
            return None;
        }
        Some(Self { sudo, debian: is_debian(&release) })
    }

    /// Installs packages.
    ///
    /// # Errors
    ///
    /// Apt fails, most often for want of a network.
    pub(crate) fn install(&self, packages: &[&str], takes: &str) -> Result<()> {
        let names = packages.join(" ");
        say(&format!("Installing {names} by apt, which takes about {takes}"));
        // Lists may be missing altogether in a fresh container; a failure shows in the next step.
        let _ = children::run(self.command().args(["update", "-qq"]))?;
        let mut install = self.command();
        install.args(["install", "-y", "-qq", "--no-install-recommends"]).args(packages);
        if !children::run(&mut install)?.success() {
            bail!("`apt-get install {names}` failed. Check the network, or install these packages and run this again");
        }
        Ok(())
    }

    fn command(&self) -> Command {
        let mut words = vec!["apt-get"];
        if self.sudo {
            words = vec!["sudo", "-n", "apt-get"];
        }
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).env("DEBIAN_FRONTEND", "noninteractive");
        command
    }
}

/// True if this user may do everything, which Chromium's sandbox refuses to live with.
pub(crate) fn is_root() -> bool {
    #[cfg(unix)]
    return nix::unistd::geteuid().is_root();
    #[cfg(not(unix))]
    return false;
}

fn is_debian(os_release: &str) -> bool {
    os_release.lines().any(|line| matches!(line, "ID=debian" | "ID=\"debian\"" | "ID=raspbian"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debian_is_told_from_systems_that_are_like_it() {
        assert!(is_debian("PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n"));
        assert!(!is_debian("ID=ubuntu\nID_LIKE=debian\n"));
        assert!(!is_debian(""));
    }
}
