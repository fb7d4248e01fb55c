//! Patterns of JSON Schema: regular expressions that strangers wrote. Those of browsers go back and try again, which a pattern can make
//! last for ever; here all places of a text are followed at once, and the work is bounded.

use std::str::Chars;

/// The most places of the text that are looked at, summed over all parts of the pattern.
const MOST_WORK: usize = 1 << 20;
/// The most groups in groups.
const MOST_DEPTH: u8 = 16;

/// Returns false if the pattern describes no part of the text. What it says is not known if it has assertions, references or properties of
/// Unicode, or takes too much work: then it returns true, and the agent judges.
pub(super) fn may_match(pattern: &str, text: &str) -> bool {
    let mut parser = Parser { rest: pattern.chars(), depth: 0 };
    let Some(node) = parser.any().filter(|_| parser.rest.as_str().is_empty()) else {
        return true;
    };
    let text: Vec<u32> = text.chars().map(u32::from).collect();
    let anywhere = vec![true; text.len() + 1];
    let mut walk = Walk { text, left: MOST_WORK };
    walk.ends(&node, anywhere).is_none_or(|ends| ends.contains(&true))
}

/// Code points, as ranges.
type Class = Vec<(u32, u32)>;

enum Node {
    Start,
    End,
    One(Class),
    All(Vec<Self>),
    Any(Vec<Self>),
    Repeat(Box<Self>, usize, usize),
}

struct Parser<'p> {
    rest: Chars<'p>,
    depth: u8,
}

impl Parser<'_> {
    fn takes(&mut self, c: char) -> bool {
        let is_next = self.rest.as_str().starts_with(c);
        if is_next {
            self.rest.next();
        }
        is_next
    }

    /// Alternatives, up to the end of the group.
    fn any(&mut self) -> Option<Node> {
        let (mut any, mut all) = (Vec::new(), Vec::new());
        loop {
            if self.takes('|') {
                any.push(Node::All(std::mem::take(&mut all)));
            } else if matches!(self.rest.as_str().bytes().next(), None | Some(b')')) {
                any.push(Node::All(all));
                return Some(Node::Any(any));
            } else {
                let one = self.one()?;
                all.push(self.repeated(one)?);
            }
        }
    }

    fn one(&mut self) -> Option<Node> {
        Some(match self.rest.next()? {
            '^' => Node::Start,
            '$' => Node::End,
            '.' => Node::One(others(vec![(0xa, 0xa), (0xd, 0xd), (0x2028, 0x2029)])),
            '[' => Node::One(self.class()?),
            '\\' => Node::One(self.escaped()?),
            '(' => {
                if self.takes('?') && !self.takes(':') {
                    return None;
                }
                self.depth += 1;
                let group = if self.depth > MOST_DEPTH { None } else { self.any() }?;
                self.depth -= 1;
                return self.takes(')').then_some(group);
            }
            '*' | '+' | '?' | '{' | '}' | ']' => return None,
            c => Node::One(vec![(c.into(), c.into())]),
        })
    }

    fn repeated(&mut self, one: Node) -> Option<Node> {
        let (least, most) = if self.takes('*') {
            (0, usize::MAX)
        } else if self.takes('+') {
            (1, usize::MAX)
        } else if self.takes('?') {
            (0, 1)
        } else if self.takes('{') {
            let least = self.number()?;
            let most = match self.takes(',') {
                true if self.rest.as_str().starts_with('}') => usize::MAX,
                true => self.number()?,
                false => least,
            };
            if !self.takes('}') || most < least {
                return None;
            }
            (least, most)
        } else {
            return Some(one);
        };
        // How much is taken first makes no difference to whether there is a match.
        self.takes('?');
        Some(Node::Repeat(Box::new(one), least, most))
    }

    fn number(&mut self) -> Option<usize> {
        let rest = self.rest.as_str();
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, behind) = rest.split_at_checked(length)?;
        self.rest = behind.chars();
        digits.parse().ok()
    }

    fn class(&mut self) -> Option<Class> {
        let is_negated = self.takes('^');
        let mut class = Class::new();
        while !self.takes(']') {
            let first = self.member()?;
            let is_range = self.rest.as_str().starts_with('-') && !self.rest.as_str().starts_with("-]");
            match (&first[..], is_range) {
                ([(from, same)], true) if from == same => {
                    self.rest.next();
                    match self.member()?[..] {
                        [(to, same)] if to == same && *from <= to => class.push((*from, to)),
                        _ => return None,
                    }
                }
                (_, true) => return None,
                _ => class.extend(first),
            }
        }
        Some(if is_negated { others(class) } else { class })
    }

    fn member(&mut self) -> Option<Class> {
        match self.rest.next()? {
            '\\' => self.escaped(),
            c => Some(vec![(c.into(), c.into())]),
        }
    }

    /// What is behind a backslash.
    fn escaped(&mut self) -> Option<Class> {
        let c = self.rest.next()?;
        let class = match c.to_ascii_lowercase() {
            'd' => vec![(0x30, 0x39)],
            'w' => vec![(0x30, 0x39), (0x41, 0x5a), (0x5f, 0x5f), (0x61, 0x7a)],
            's' => vec![
                (0x9, 0xd),
                (0x20, 0x20),
                (0xa0, 0xa0),
                (0x1680, 0x1680),
                (0x2000, 0x200a),
                (0x2028, 0x2029),
                (0x202f, 0x202f),
                (0x205f, 0x205f),
                (0x3000, 0x3000),
                (0xfeff, 0xfeff),
            ],
            _ => {
                let c = match c {
                    'n' => 0xa,
                    'r' => 0xd,
                    't' => 0x9,
                    _ if c.is_ascii_alphanumeric() => return None,
                    _ => u32::from(c),
                };
                return Some(vec![(c, c)]);
            }
        };
        Some(if c.is_ascii_uppercase() { others(class) } else { class })
    }
}

/// All code points that are in none of these ranges.
fn others(mut class: Class) -> Class {
    class.sort_unstable();
    let (mut others, mut next) = (Class::new(), 0);
    for (from, to) in class {
        if from > next {
            others.push((next, from - 1));
        }
        next = next.max(to + 1);
    }
    others.push((next, char::MAX.into()));
    others
}

struct Walk {
    text: Vec<u32>,
    /// The places that may still be looked at.
    left: usize,
}

impl Walk {
    /// The places where a part of the pattern may end that begins at one of these; `None` if that is too much work.
    fn ends(&mut self, node: &Node, mut at: Vec<bool>) -> Option<Vec<bool>> {
        self.left = self.left.checked_sub(at.len())?;
        match node {
            Node::Start => at.iter_mut().skip(1).for_each(|at| *at = false),
            Node::End => at.iter_mut().rev().skip(1).for_each(|at| *at = false),
            Node::One(class) => {
                let is_in = |c: &u32| class.iter().any(|(from, to)| (from..=to).contains(&c));
                at.pop();
                let ends = at.iter().zip(&self.text).map(|(at, c)| *at && is_in(c));
                return Some([false].into_iter().chain(ends).collect());
            }
            Node::All(nodes) => {
                for node in nodes {
                    at = self.ends(node, at)?;
                }
            }
            Node::Any(nodes) => {
                let mut all = vec![false; at.len()];
                for node in nodes {
                    add(&mut all, &mut self.ends(node, at.clone())?);
                }
                return Some(all);
            }
            Node::Repeat(node, least, most) => {
                for _ in 0..*least {
                    at = self.ends(node, at)?;
                }
                let (mut all, mut times) = (at.clone(), *least);
                while times < *most && at.contains(&true) {
                    at = self.ends(node, at)?;
                    add(&mut all, &mut at);
                    times += 1;
                }
                return Some(all);
            }
        }
        Some(at)
    }
}

/// Adds places to others, and leaves those that are new.
fn add(all: &mut [bool], more: &mut [bool]) {
    for (all, more) in all.iter_mut().zip(more) {
        *more &= !*all;
        *all |= *more;
    }
}
