//! What the tokens of arguments add up to, so that nobody reads their text again.

use json_tree::{Json, Members, Token};
use std::borrow::Cow;

#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    /// What is not complete, from the outside in. A member whose value is not complete holds null.
    open: Vec<Json<'static>>,
    root: Option<Json<'static>>,
}

impl Tree {
    /// Takes the next token.
    pub(super) fn take(&mut self, token: &Token<'_>) {
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
            Some(Json::Object(members)) => {
                if let Some((_, member)) = members.last_mut() {
                    *member = complete;
                }
            }
            Some(Json::List(items)) => items.push(complete),
            _ => self.root = Some(complete),
        }
    }

    /// The value, where it is complete.
    pub(super) fn into_json(self) -> Option<Json<'static>> {
        self.root
    }
}
