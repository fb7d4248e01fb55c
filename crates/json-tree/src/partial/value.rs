use super::Token;
use crate::{Json, Members};
use std::borrow::{Borrow, Cow};

/// The value of the tokens of a [`PartialParser`](super::PartialParser), so that their text is not parsed again.
///
/// ```
/// use json_tree::{PartialParser, PartialValue};
/// let (mut parser, mut value) = (PartialParser::default(), PartialValue::default());
/// parser.feed(r#"{"city":"Rome","note":"by tr"#, |token| value.take(&token))?;
/// assert_eq!(value.so_far().unwrap().text(), r#"{"city":"Rome","note":"by tr"}"#);
/// parser.feed(r#"ain"}"#, |token| value.take(&token))?;
/// assert_eq!(value.into_json().unwrap().text(), r#"{"city":"Rome","note":"by train"}"#);
/// # Ok::<(), json_tree::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct PartialValue {
    /// The values that are not complete, from the outside in. A member whose value is not complete holds null.
    open: Vec<Json<'static>>,
    root: Option<Json<'static>>,
    /// The last token was a key.
    is_key: bool,
}

impl PartialValue {
    /// Takes the next token, given as it is or by reference.
    // It is generic so that it is as small, or as fast, as the program of its caller.
    pub fn take<'t>(&mut self, token: impl Borrow<Token<'t>>) {
        let token = token.borrow();
        self.is_key = matches!(token, Token::Key(_));
        let complete = match token {
            Token::ObjectStart => return self.open.push(Json::Object(Members::new())),
            Token::ArrayStart => return self.open.push(Json::List(Vec::new())),
            Token::StringStart => return self.open.push(Json::Text(Cow::Borrowed(""))),
            Token::Key(name) => {
                if let Some(Json::Object(members)) = self.open.last_mut() {
                    members.push(((*name).to_owned().into(), Json::Null));
                }
                return;
            }
            Token::Text(fragment) => {
                if let Some(Json::Text(text)) = self.open.last_mut() {
                    text.to_mut().push_str(fragment);
                }
                return;
            }
            Token::ObjectEnd | Token::ArrayEnd | Token::StringEnd => self.open.pop().unwrap_or_default(),
            Token::Number(number) => Json::Number(number.clone().into_static()),
            Token::Bool(value) => Json::Bool(*value),
            Token::Null => Json::Null,
        };
        match self.open.last_mut() {
            Some(Json::Object(members)) => put(members, complete),
            Some(Json::List(items)) => items.push(complete),
            _ => self.root = Some(complete),
        }
    }

    /// Returns a copy of the value so far, with strings and containers that are still growing, or `None` if nothing began.
    #[must_use]
    pub fn so_far(&self) -> Option<Json<'static>> {
        let mut inner = self.root.clone();
        for open in self.open.iter().rev() {
            let mut outer = open.clone();
            match (&mut outer, inner) {
                (Json::Object(members), None) if self.is_key => drop(members.pop()),
                (Json::Object(members), Some(inner)) => put(members, inner),
                (Json::List(items), inner) => items.extend(inner),
                _ => {}
            }
            inner = Some(outer);
        }
        inner
    }

    /// Returns the value, if it is complete.
    #[must_use]
    pub fn into_json(self) -> Option<Json<'static>> {
        self.root
    }
}

/// Sets the value of the last member.
fn put(members: &mut Members<'static>, value: Json<'static>) {
    if let Some((_, member)) = members.last_mut() {
        *member = value;
    }
}
