//! Builds again when the page to embed has changed: its macro sees changed files, but no new ones.

fn main() {
    println!("cargo:rerun-if-changed=page");
}
