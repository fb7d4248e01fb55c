//! The examples of a README.

/// The first code block of this language with `mark` in it.
pub(crate) fn block<'a>(readme: &'a str, language: &str, mark: &str) -> &'a str {
    let blocks = readme.split("\n```").skip(1).step_by(2).filter_map(|block| block.split_once('\n'));
    let mut blocks = blocks.filter(|(name, code)| name.split(',').next() == Some(language) && code.contains(mark));
    blocks.next().unwrap_or_else(|| panic!("the README has no {language} block with `{mark}`")).1
}
