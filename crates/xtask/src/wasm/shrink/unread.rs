//! What a program has in its memory from the start and never reads: why and where it would have panicked.

use std::collections::HashSet;
use std::ops::Range;

use anyhow::{Context, Result, ensure};

/// The texts that a program, as text, gives to the functions that panic, each with where it is and how long.
pub(super) fn last_texts(program: &str) -> Vec<[u32; 2]> {
    let lines: Vec<&str> = program.lines().map(str::trim_start).collect();
    let number = |line: &str| line.strip_prefix("(i32.const ")?.strip_suffix(')')?.parse().ok();
    let text = |lines: &[&str]| {
        let name = lines[0].strip_prefix("(call $\"")?.strip_suffix('"')?;
        let (at, length): (u32, u32) = (number(lines[1])?, number(lines[2])?);
        match name.ends_with("::panic_fmt") {
            // Twice the length and one more; other numbers are no length.
            true if length % 2 == 0 => None,
            true => Some([at, length / 2]),
            false => super::is_last_word(name).then_some([at, length]),
        }
    };
    lines.windows(3).filter_map(text).collect()
}

/// Puts zeros, which pack to nothing, over those of these texts that a program does not read. The same goes for places in sources.
/// `code` is the same program as text: what stands in no instruction and in no other data, nobody can ask for.
pub(super) fn forget(program: &mut [u8], code: &str, texts: &[[u32; 2]]) -> Result<()> {
    let mut data = Data::of(program)?;
    let known = literals(code);
    let read = |data: &Data<'_>, range: Range<u32>| {
        range.into_iter().any(|at| known.contains(&at) || data.words.contains(&at))
    };
    let mut dead: Vec<[u32; 2]> = texts.to_vec();
    for (at, file) in data.places_in_sources() {
        if !read(&data, at..at + 16) {
            data.clear(at, 16);
            dead.push(file);
        }
    }
    // What only those places pointed at is not pointed at by now.
    data.find_words();
    for [at, length] in dead {
        if !read(&data, at..at + length) {
            data.clear(at, length);
        }
    }
    Ok(())
}

/// Every number that may be an address in the code of a program.
fn literals(code: &str) -> HashSet<u32> {
    let of_code = code.lines().filter(|line| !line.starts_with(" (data "));
    let parts = of_code.flat_map(|line| line.split("i32.const ").skip(1).chain(line.split("offset=").skip(1)));
    parts.filter_map(|part| part.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()).collect()
}

/// The data that a program puts into its memory when it starts.
struct Data<'a> {
    program: &'a mut [u8],
    /// Where it goes in memory, and where it stands in the program.
    segments: Vec<(u32, Range<usize>)>,
    /// What may be addresses in it.
    words: HashSet<u32>,
}

impl<'a> Data<'a> {
    fn of(program: &'a mut [u8]) -> Result<Self> {
        let segments = segments(program).context("a program is made of sections")?;
        ensure!(!segments.is_empty(), "a program has data");
        let mut data = Self { program, segments, words: HashSet::new() };
        data.find_words();
        Ok(data)
    }

    /// Addresses lie at multiples of four.
    fn find_words(&mut self) {
        self.words = self.aligned().filter_map(|at| self.word(at)).collect();
    }

    fn aligned(&self) -> impl Iterator<Item = u32> {
        self.segments.iter().flat_map(|(start, range)| {
            (start.next_multiple_of(4)..start + u32::try_from(range.len()).unwrap_or(0)).step_by(4)
        })
    }

    fn bytes(&self, at: u32, length: u32) -> Option<Range<usize>> {
        self.segments.iter().find_map(|(start, range)| {
            let from = range.start + usize::try_from(at.checked_sub(*start)?).ok()?;
            let to = from.checked_add(usize::try_from(length).ok()?)?;
            (to <= range.end).then_some(from..to)
        })
    }

    fn word(&self, at: u32) -> Option<u32> {
        Some(u32::from_le_bytes(self.program[self.bytes(at, 4)?].try_into().ok()?))
    }

    /// Places in sources, with the names of their files: where and how long the name is, a line and a column.
    fn places_in_sources(&self) -> Vec<(u32, [u32; 2])> {
        let place = |at| {
            let [file, length, line, column] = [0, 4, 8, 12].map(|of| self.word(at + of));
            let (file, length) = (file?, length?);
            let name = self.bytes(file, length)?;
            let is_place = (1..50_000).contains(&line?) && (1..500).contains(&column?);
            (is_place && length < 300 && self.program[name].ends_with(b".rs")).then_some((at, [file, length]))
        };
        self.aligned().filter_map(place).collect()
    }

    fn clear(&mut self, at: u32, length: u32) {
        if let Some(bytes) = self.bytes(at, length) {
            self.program[bytes].fill(0);
        }
    }
}

/// The segments of the data section: where each goes in memory, and where it stands in the program.
fn segments(program: &[u8]) -> Option<Vec<(u32, Range<usize>)>> {
    const DATA: u8 = 11;
    let mut at = 8;
    while at < program.len() {
        let id = program[at];
        at += 1;
        let end = usize::try_from(number(program, &mut at)?).ok()? + at;
        if id == DATA {
            let count = number(program, &mut at)?;
            return (0..count).map(|_| segment(program, &mut at)).collect();
        }
        at = end;
    }
    Some(Vec::new())
}

/// A segment whose place is told by a constant; there are no others.
fn segment(program: &[u8], at: &mut usize) -> Option<(u32, Range<usize>)> {
    const BEGIN: [u8; 2] = [0, 0x41];
    if program.get(*at..*at + 2)? != BEGIN {
        return None;
    }
    *at += 2;
    let place = u32::try_from(number(program, at)?).ok()?;
    // The end of the expression.
    *at += 1;
    let length = usize::try_from(number(program, at)?).ok()?;
    let bytes = *at..*at + length;
    *at += length;
    Some((place, bytes))
}

/// A number as WebAssembly writes it; one with a sign is taken to be positive, as addresses are.
fn number(program: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0;
    for shift in (0..63).step_by(7) {
        let byte = *program.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 127) << shift;
        if byte < 128 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program whose memory has these bytes from address 64 on.
    fn program(bytes: &[u8]) -> Vec<u8> {
        let length = u8::try_from(bytes.len()).unwrap();
        let segment = [&[1, 0, 0x41, 0xc0, 0, 0x0b, length][..], bytes].concat();
        let section = [&[11, u8::try_from(segment.len()).unwrap()][..], &segment].concat();
        [&b"\0asm\x01\0\0\0"[..], &section].concat()
    }

    /// The same bytes, after what is unread is forgotten.
    fn forgotten(bytes: &[u8], code: &str, texts: &[[u32; 2]]) -> Vec<u8> {
        let mut program = program(bytes);
        forget(&mut program, code, texts).unwrap();
        program.split_off(program.len() - bytes.len())
    }

    /// The name of a file at 64, and at 68 a place in it.
    const PLACE: &[u8] = b"a.rs\x40\0\0\0\x04\0\0\0\x07\0\0\0\x05\0\0\0";

    #[test]
    fn a_place_in_a_source_is_forgotten_where_nothing_leads_to_it() {
        assert_eq!(forgotten(PLACE, "(i32.const 64000)", &[]), [0; 20]);
        for leads in ["(i32.const 68)", "(i32.load offset=72", "(call $a (i32.const 1) (i32.const 68))"] {
            assert_eq!(forgotten(PLACE, leads, &[]), PLACE, "{leads}");
        }
        let pointed_at = [PLACE, &[68, 0, 0, 0]].concat();
        assert_eq!(forgotten(&pointed_at, "", &[]), pointed_at);
        let file_is_read = forgotten(PLACE, "(i32.const 64)", &[]);
        assert_eq!(file_is_read, [b"a.rs".as_slice(), &[0; 16]].concat());
    }

    #[test]
    fn a_last_text_is_forgotten_where_nothing_else_reads_it() {
        let call = |name, at, length| format!("  (call $\"{name}\"\n   (i32.const {at})\n   (i32.const {length})\n");
        let code = [
            call("core[0]::panicking::panic", 64, 3),
            call("say", 67, 2),
            call("core[0]::panicking::panic_fmt", 64, 7),
            call("core[0]::panicking::panic_fmt", 67, 2),
        ];
        let texts = last_texts(&code.concat());
        assert_eq!(texts, [[64, 3], [64, 3]]);
        assert_eq!(forgotten(b"no!yes", "(i32.const 67)", &texts), b"\0\0\0yes");
        assert_eq!(forgotten(b"no!yes", "(i32.const 65)", &texts), b"no!yes");
    }
}
