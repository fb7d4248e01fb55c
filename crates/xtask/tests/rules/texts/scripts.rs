//! Comments of files that are not Rust: scripts, types of JavaScript, styles and settings.

/// Endings of such files, and the mark that begins a comment at any place of a line.
const ENDINGS: [(&str, &str); 8] = [
    (".css", "/* "),
    (".js", "// "),
    (".jsx", "// "),
    (".mjs", "// "),
    (".py", "# "),
    (".toml", "# "),
    (".ts", "// "),
    (".yml", "# "),
];

/// The comments of a file, each with its line, from 1, if it is one of these. Lines that follow one another are one text.
pub(crate) fn comments(path: &str, content: &str) -> Vec<(usize, String)> {
    let Some((_, mark)) = ENDINGS.iter().find(|(ending, _)| path.ends_with(ending)) else { return Vec::new() };
    let mut comments: Vec<(usize, String)> = Vec::new();
    let (mut in_block, mut continues) = (false, false);
    for (at, line) in content.lines().enumerate() {
        let line = line.trim();
        let begins_block = *mark != "# " && line.starts_with("/*");
        let whole = begins_block || in_block || line.starts_with(mark.trim_end());
        in_block = (begins_block || in_block) && !line.contains("*/");
        let text = match line.split_once(mark) {
            _ if whole => line,
            Some((code, text)) if code.ends_with(' ') && !code.contains('"') => text,
            _ => {
                continues = false;
                continue;
            }
        };
        let text = text.trim_matches(['/', '*', '#', ' ']);
        match comments.last_mut() {
            Some((_, before)) if continues && whole => *before += &format!("\n{text}"),
            _ => comments.push((at + 1, text.to_owned())),
        }
        continues = whole;
    }
    comments
}

#[test]
fn comments_of_scripts_are_found() {
    let script = "// One,\n// two.\ncall(); // Three.\n/** Four,\n * five. */\nlet a = \"http:// b\";\n";
    let found = [(1, "One,\ntwo."), (3, "Three."), (4, "Four,\nfive.")];
    assert_eq!(comments("a.mjs", script), found.map(|(line, text)| (line, text.to_owned())));
    assert_eq!(comments("a.toml", "a = 1 # One.\n"), [(1, "One.".to_owned())]);
    assert_eq!(comments("a.json", "// One."), []);
}
