//! Brackets of JSON that arrives in pieces.

#[derive(Debug, Default)]
pub(crate) struct Brackets {
    depth: usize,
    in_text: bool,
    is_escaped: bool,
    /// True once the outermost bracket is closed.
    pub(crate) are_closed: bool,
}

impl Brackets {
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' if self.in_text => self.is_escaped = true,
                b'"' => self.in_text = !self.in_text,
                _ if self.in_text => {}
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.are_closed |= self.depth == 0;
                }
                _ => {}
            }
        }
    }
}
