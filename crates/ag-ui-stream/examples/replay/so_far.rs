//! The value of JSON that is still arriving.

use json_tree::{Json, Token};

/// The tokens so far, as JSON text that ends where the last of them does.
#[derive(Clone, Default)]
pub(crate) struct SoFar {
    text: String,
    /// What closes the open containers and the open string, from the outside in.
    ends: Vec<char>,
    /// The start of the last key, if its value has not begun.
    key: Option<usize>,
}

impl SoFar {
    pub(crate) fn take(&mut self, token: &Token<'_>) {
        match token {
            Token::ObjectEnd | Token::ArrayEnd | Token::StringEnd => return self.text.extend(self.ends.pop()),
            Token::Text(fragment) => {
                let quoted = Json::from(*fragment).text();
                return self.text.push_str(&quoted[1..quoted.len() - 1]);
            }
            _ => self.key = None,
        }
        let start = self.text.len();
        if !matches!(self.text.bytes().next_back(), None | Some(b'{' | b'[' | b':')) {
            self.text.push(',');
        }
        match token {
            Token::ObjectStart => self.open('{', '}'),
            Token::ArrayStart => self.open('[', ']'),
            Token::StringStart => self.open('"', '"'),
            Token::Key(name) => {
                self.text += &(Json::from(*name).text() + ":");
                self.key = Some(start);
            }
            Token::Number(number) => self.text += number.text(),
            Token::Bool(value) => self.text += if *value { "true" } else { "false" },
            _ => self.text += "null",
        }
    }

    fn open(&mut self, start: char, end: char) {
        self.text.push(start);
        self.ends.push(end);
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.ends.is_empty() && !self.text.is_empty()
    }

    /// The value, with what is open closed; `None` if nothing began.
    pub(crate) fn json(&self) -> Option<Json<'static>> {
        let mut text = self.text[..self.key.unwrap_or(self.text.len())].to_owned();
        text.extend(self.ends.iter().rev());
        Json::parse(&text).ok().map(Json::into_static)
    }
}
