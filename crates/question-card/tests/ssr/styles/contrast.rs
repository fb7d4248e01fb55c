//! Colours stand out from what they are drawn on, in both schemes, with the card's own and with the page's.

use super::{PAGE_TOKENS, css};
use std::collections::BTreeMap;

/// The contrast that ordinary eyesight needs for text, and for edges (WCAG 1.4.3, 1.4.11).
const TEXT: f64 = 4.5;
const EDGE: f64 = 3.0;

#[test]
fn the_colours_of_the_card_stand_out() {
    check_card(&colours(&css(), "--_qc-"));
}

#[test]
fn the_colours_that_the_page_gives_the_card_stand_out() {
    let page = colours(PAGE_TOKENS, "--ui-");
    let mut given = colours(&css(), "--_qc-");
    let gives = |line: &'static str| line.trim().strip_prefix("--qc-")?.split_once(": var(--ui-");
    for (name, of_page) in PAGE_TOKENS.lines().filter_map(gives) {
        if let Some(colours) = page.get(of_page.trim_end_matches(");")) {
            given.insert(name.to_owned(), *colours);
        }
    }
    check_card(&given);
}

#[track_caller]
fn check_card(colours: &Colours) {
    let texts = ["fg", "muted", "danger", "warning", "success", "chip-fg"];
    for surface in ["bg", "row-hover-bg", "row-selected-bg", "inert-bg"] {
        check_all(colours, &texts, surface, TEXT);
        check_all(colours, &["control-border", "accent"], surface, EDGE);
    }
    check_all(colours, &["focus"], "bg", EDGE);
    check_all(colours, &["fg", "danger"], "danger-bg", TEXT);
    check_all(colours, &["chip-fg"], "chip-bg", TEXT);
    check_all(colours, &["on-accent"], "accent", TEXT);
    check_all(colours, &["on-accent"], "accent-hover", TEXT);
}

#[test]
fn the_colours_of_the_page_stand_out() {
    let texts = ["fg", "muted", "danger", "warning", "success", "accent-strong"];
    let colours = colours(PAGE_TOKENS, "--ui-");
    for surface in ["bg", "surface", "sunken", "hover", "bubble", "accent-soft"] {
        check_all(&colours, &texts, surface, TEXT);
    }
    for surface in ["bg", "surface"] {
        check_all(&colours, &["control-border", "focus", "accent"], surface, EDGE);
    }
    check_all(&colours, &["on-accent"], "accent", TEXT);
    check_all(&colours, &["on-accent"], "accent-strong", TEXT);
}

type Colours = BTreeMap<String, [u32; 2]>;

/// The tokens that are a light and a dark colour. One that a page may set counts with the one that it has without.
fn colours(css: &str, prefix: &str) -> Colours {
    let token = |line: &str| {
        let (name, value) = line.trim().strip_prefix(prefix)?.split_once(':')?;
        let mut both = value.split_once("light-dark(")?.1.split([',', ')']);
        let mut colour = || u32::from_str_radix(both.next()?.trim().strip_prefix('#')?, 16).ok();
        Some((name.to_owned(), [colour()?, colour()?]))
    };
    css.lines().filter_map(token).collect()
}

#[track_caller]
fn check_all(colours: &Colours, drawn: &[&str], surface: &str, least: f64) {
    for name in drawn {
        for (scheme, index) in [("light", 0), ("dark", 1)] {
            let contrast = contrast(colours[*name][index], colours[surface][index]);
            assert!(contrast >= least, "{name} on {surface}, {scheme}: {contrast:.2}");
        }
    }
}

fn contrast(one: u32, other: u32) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// The relative luminance of an sRGB colour, as WCAG defines it.
fn luminance(colour: u32) -> f64 {
    let part = |shift: u32| {
        let value = f64::from((colour >> shift) & 0xff) / 255.0;
        match value {
            ..=0.04045 => value / 12.92,
            _ => ((value + 0.055) / 1.055).powf(2.4),
        }
    };
    0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0)
}
