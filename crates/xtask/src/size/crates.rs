//! Which crate the code of a WebAssembly program comes from, by the names that stand in it.

use std::collections::BTreeMap;

/// What one crate has brought, its generic code in the forms that others have asked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) bytes: usize,
    pub(super) functions: usize,
}

/// A function: its name, where it has one, and how long its code is.
pub(super) struct Function {
    name: String,
    bytes: usize,
}

/// The functions summed by their crates, the heaviest first.
pub(super) fn by_crate(code: &[Function]) -> Vec<Part> {
    let mut parts = BTreeMap::<&str, (usize, usize)>::new();
    for function in code {
        let part = parts.entry(owner(&function.name)).or_default();
        part.0 += function.bytes;
        part.1 += 1;
    }
    let parts = parts.into_iter().map(|(name, (bytes, functions))| Part { name: name.to_owned(), bytes, functions });
    let mut parts: Vec<_> = parts.collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.bytes));
    parts
}

/// The crate in a function's name. Code that drops something is counted where that something comes from.
fn owner(name: &str) -> &str {
    const NONE: &str = "(no crate's name)";
    if let Some(dropped) = name.strip_prefix("core::ptr::drop_in_place<") {
        return owner(dropped);
    }
    let mut name = name;
    while let Some(inner) =
        ["<", "&", "*", "(", "[", "dyn ", "mut ", "const "].iter().find_map(|sign| name.strip_prefix(sign))
    {
        name = inner;
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (first, rest) = name.split_at(name.find(|c| !is_part(c)).unwrap_or(name.len()));
    if !first.is_empty() && (rest.starts_with("::") || rest.starts_with('[')) {
        return first;
    }
    rest.split_once(" as ").map_or(NONE, |(_, implemented)| owner(implemented))
}

/// The functions of a program; `None` where it can't be read.
pub(super) fn code(program: &[u8]) -> Option<Vec<Function>> {
    let mut imports = 0;
    let mut lengths = Vec::new();
    let mut names = BTreeMap::new();
    let mut rest = Reader(program.strip_prefix(b"\0asm\x01\0\0\0")?);
    while let Some(id) = rest.byte() {
        let mut section = rest.part()?;
        match id {
            0 if section.part()?.0 == b"name" => names = section.function_names()?,
            2 => imports = section.imported_functions()?,
            10 => {
                for _ in 0..section.number()? {
                    lengths.push(section.part()?.0.len());
                }
            }
            _ => {}
        }
    }
    let function = |(index, bytes)| Function { name: names.remove(&(imports + index)).unwrap_or_default(), bytes };
    Some(lengths.into_iter().enumerate().map(function).collect())
}

/// Reads a binary program from its beginning.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(byte)
    }

    /// A number in LEB128.
    fn number(&mut self) -> Option<usize> {
        let mut number = 0;
        for shift in (0..usize::BITS).step_by(7) {
            let byte = self.byte()?;
            number |= usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// A length, and as many bytes.
    fn part(&mut self) -> Option<Self> {
        let length = self.number()?;
        let (part, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(Self(part))
    }

    fn imported_functions(&mut self) -> Option<usize> {
        let mut functions = 0;
        for _ in 0..self.number()? {
            // Where from, and which.
            let _ = (self.part()?, self.part()?);
            match self.byte()? {
                0 => {
                    self.number()?;
                    functions += 1;
                }
                kind => self.skip_import(kind)?,
            }
        }
        Some(functions)
    }

    /// What describes an import that is no function: a table, a memory, a global or a tag.
    fn skip_import(&mut self, kind: u8) -> Option<()> {
        const TABLE: u8 = 1;
        const MEMORY: u8 = 2;
        if matches!(kind, TABLE | MEMORY) {
            if kind == TABLE {
                self.byte()?;
            }
            let has_most = self.byte()? & 1 == 1;
            self.number()?;
            if has_most {
                self.number()?;
            }
        } else {
            self.byte()?;
            self.byte()?;
        }
        Some(())
    }

    fn function_names(&mut self) -> Option<BTreeMap<usize, String>> {
        const FUNCTIONS: u8 = 1;
        let mut names = BTreeMap::new();
        while let Some(id) = self.byte() {
            let mut list = self.part()?;
            if id != FUNCTIONS {
                continue;
            }
            for _ in 0..list.number()? {
                let index = list.number()?;
                let name = String::from_utf8_lossy(list.part()?.0).into_owned();
                names.insert(index, name);
            }
        }
        Some(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_functions_crate_is_in_its_name() {
        for (name, crate_name) in [
            ("app::main::he4704621e0442021", "app"),
            ("core[c5930c85a12de822]::str::run", "core"),
            ("<alloc::vec::Vec<T> as core::clone::Clone>::clone", "alloc"),
            ("<T as tachys::view::any_view::IntoAny>::into_any", "tachys"),
            ("<&mut dyn serde_json::ser::Formatter as core::fmt::Write>::x", "serde_json"),
            ("core::ptr::drop_in_place<app::words::Words>", "app"),
            ("core::ptr::drop_in_place<[tachys::dom::Node]>", "tachys"),
            ("memcpy", "(no crate's name)"),
            ("", "(no crate's name)"),
        ] {
            assert_eq!(owner(name), crate_name, "{name}");
        }
    }

    #[test]
    fn functions_are_found_with_their_names() {
        let mut program = b"\0asm\x01\0\0\0".to_vec();
        // A function, a memory and a function from outside.
        program.extend(b"\x02\x14\x03\x01e\x01f\x00\x00\x01e\x01m\x02\x00\x01\x01e\x01g\x00\x00");
        // Two functions of our own.
        program.extend(b"\x0a\x07\x02\x02\x00\x0b\x02\x00\x0b");
        program.extend(b"\x00\x13\x04name\x01\x0c\x02\x02\x04a::b\x03\x03c::");
        let code = code(&program).expect("it can be read");
        let found: Vec<_> = code.iter().map(|it| (it.name.as_str(), it.bytes)).collect();
        assert_eq!(found, [("a::b", 2), ("c::", 2)]);
        let heaviest = &by_crate(&code)[0];
        assert_eq!((heaviest.name.as_str(), heaviest.functions), ("a", 1));
    }

    #[test]
    fn what_is_cut_off_is_refused() {
        assert!(code(b"\0asm\x01\0\0\0\x0a\x07\x02").is_none());
        assert!(code(b"<!doctype html>").is_none());
    }
}
