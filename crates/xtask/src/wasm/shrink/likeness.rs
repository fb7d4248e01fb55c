//! The functions of a program in an order in which a packer finds more that is alike.

use std::collections::{BTreeMap, BTreeSet};

/// A program, as text, with each function beside the one that is most like it.
pub(super) fn ordered(program: &str) -> String {
    let (mut before, mut functions, mut after) = (Vec::new(), Vec::<Vec<&str>>::new(), Vec::new());
    let mut is_inside = false;
    for line in program.lines() {
        if line.starts_with(" (func ") {
            is_inside = true;
            functions.push(Vec::new());
        }
        match functions.last_mut() {
            Some(function) if is_inside => function.push(line),
            Some(_) => after.push(line),
            None => before.push(line),
        }
        is_inside &= line != " )";
    }
    let order = order(&functions.iter().map(|lines| pairs(lines)).collect::<Vec<_>>());
    let functions = order.into_iter().flat_map(|at| &functions[at]);
    before.iter().chain(functions).chain(&after).flat_map(|line| [line, "\n"]).collect()
}

/// What is compared: each line of a function's code with the next, wherever they stand in it.
fn pairs<'a>(function: &[&'a str]) -> BTreeSet<[&'a str; 2]> {
    let code: Vec<_> = function.iter().skip(1).map(|line| line.trim()).collect();
    code.windows(2).map(|pair| [pair[0], pair[1]]).collect()
}

/// The order that goes from the largest to the one most like it, and on from there.
fn order<T: Ord>(functions: &[BTreeSet<T>]) -> Vec<usize> {
    let mut having = BTreeMap::<&T, Vec<usize>>::new();
    for (at, function) in functions.iter().enumerate() {
        for part in function {
            having.entry(part).or_default().push(at);
        }
    }
    let mut rest: Vec<usize> = (0..functions.len()).collect();
    let mut order = Vec::new();
    let mut next = (0..functions.len()).max_by_key(|at| functions[*at].len());
    while let Some(at) = next {
        rest.retain(|other| *other != at);
        order.push(at);
        let mut common = vec![0_u32; functions.len()];
        for others in functions[at].iter().map(|part| &having[part]) {
            others.iter().for_each(|other| common[*other] += 1);
        }
        let likeness = |other: usize| f64::from(common[other]) / (functions[other].len() as f64 + 1.0).sqrt();
        next = rest.iter().copied().max_by(|one, other| likeness(*one).total_cmp(&likeness(*other)));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_alike_stands_together_and_nothing_is_lost() {
        let function = |name: &str, code: &[&str]| {
            let code: String = code.iter().map(|line| format!("  {line}\n")).collect();
            format!(" (func ${name}\n{code} )\n")
        };
        let [one, like_one] = [function("a", &["(1)", "(2)", "(3)", "(4)"]), function("c", &["(2)", "(3)", "(4)"])];
        let [other, like_other] = [function("b", &["(7)", "(8)"]), function("d", &["(7)", "(8)", "(9)"])];
        let program = |functions: [&str; 4]| format!("(module\n (memory)\n{} (export)\n)\n", functions.concat());
        let written = program([&one, &other, &like_one, &like_other]);
        assert_eq!(ordered(&written), program([&one, &like_one, &like_other, &other]));
        assert_eq!(ordered("(module\n)\n"), "(module\n)\n");
    }
}
