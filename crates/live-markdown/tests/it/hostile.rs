//! Texts that are made to be expensive.

use crate::tree::read;

/// Their length in bytes, about. Quadratic work would not end in reasonable time.
const LENGTH: usize = 30_000;

#[test]
fn no_text_costs_more_than_a_few_times_its_length() {
    let repeated = [
        "*",
        "**",
        "*a ",
        "**a ",
        "*a **b ",
        "_a *b ",
        "***a",
        "a*",
        "a**b",
        "`",
        "`a",
        "``a` ",
        "[",
        "[a",
        "[a](",
        "[a](b",
        "![",
        "![a](https://x",
        "[*a](https://x) ",
        "\\",
        "!",
        "h",
        "http",
        "https://",
        "https://x.",
        "https://x_",
        "https://x(",
        "https://x)",
        "](",
        "#",
        "# ",
        ">",
        "> ",
        "> a\n",
        "-",
        "- ",
        "- a\n",
        "  - a\n",
        "1",
        "1. ",
        "1. a\n",
        " ",
        "\t",
        "\n",
        " \n",
        "a\n",
        "a\n\n",
        "```",
        "```\n",
        "```\n`",
        "~",
        "`\n",
        "-\n",
        "---\n",
        "|",
        "|\n",
        "| a ",
        "|-",
        "|-\n",
        "|-|\n|",
        "\\|",
        "é",
        "\0",
        "\u{202e}",
    ];
    for unit in repeated {
        let text = unit.repeat(LENGTH / unit.len());
        check(unit, &text);
        check(&format!("paragraph of {unit:?}"), &format!("a {text} b"));
        check(&format!("table with {unit:?}"), &format!("| a |\n|---|\n| {text} |"));
        check(&format!("fence before {unit:?}"), &format!("```\n{text}"));
    }
}

#[test]
fn nesting_costs_no_more() {
    let nested = |before: &str, after: &str| {
        let times = LENGTH / (before.len() + after.len());
        before.repeat(times) + "a" + &after.repeat(times)
    };
    for (before, after) in
        [("*", "*"), ("**a ", " b**"), ("[", "](https://x)"), ("*a [", "](https://x) b*"), ("> ", ""), ("- ", "")]
    {
        check(&format!("{before:?} … {after:?}"), &nested(before, after));
    }
    let stairs: String = (0..240).map(|depth| " ".repeat(depth) + "- a\n").collect();
    check("stairs", &stairs);
}

#[track_caller]
fn check(what: &str, text: &str) {
    let pieces = text.split_inclusive(['a', '*', '\n']);
    let steps = read(pieces).steps;
    assert!(steps <= 8 * text.len() + 100, "{what}: {steps} steps for {} bytes", text.len());
}
