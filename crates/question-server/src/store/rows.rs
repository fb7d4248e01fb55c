//! The rows of the tables: values for the database, and values read from its columns.

use crate::owner::Owner;
use crate::store::{Commit, Lease, Revision, StoreError, Stored};
use question_agent::registry::ToolContext;
use question_agent::stored::VERSION;
use question_agent::{Conversation, Timestamp};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlx::{ColumnIndex, Decode, Row, Type};

/// The values of a commit, which writes the conversation's row whole and new messages alone.
pub(super) fn values(id: &str, base: Option<Revision>, change: Commit<'_>) -> Result<Vec<SqlValue>, StoreError> {
    let context = match change.context {
        // An absent member is read as its default.
        context if *context == ToolContext::default() => "{}".to_owned(),
        context => json(context)?,
    };
    let owner = || change.owner.map(|owner| owner.as_str().to_owned()).into();
    let mut values = vec![
        id.into(),
        base.map_or_else(owner, SqlValue::from),
        i64::from(VERSION).into(),
        Some(json(change.state)?).into(),
        Some(context).into(),
        change.revision.into(),
        change.lease.map(|lease| lease.holder.to_string()).into(),
        change.due_at().into(),
        change.ended_at().into(),
        SqlValue::List(change.messages.iter().map(json).collect::<Result<_, _>>()?),
        change.run.map(str::to_owned).into(),
        change.waiting_since().into(),
        Some(json(&change.webhooks)?).into(),
        change.told.into(),
    ];
    // A change does not set the peer.
    if base.is_none() {
        values.push(change.peer.into());
    }
    Ok(values)
}

/// The conversation of a row, with its messages as one JSON array.
pub(super) fn stored(row: &impl Columns) -> Result<Stored, StoreError> {
    let version = u32::try_from(unsigned_number(row, 1)?).unwrap_or(u32::MAX);
    let messages = row.text(10)?.unwrap_or_else(|| "[]".to_owned());
    let conversation = Conversation::from_parts(version, parse(&text(row, 2)?)?, parse(&messages)?);
    let holder = row.text(5)?.and_then(|holder| holder.parse().ok());
    Ok(Stored {
        conversation: conversation.map_err(|error| StoreError::Other(error.into()))?,
        context: parse(&text(row, 3)?)?,
        owner: row.text(0)?.map(Owner::stored),
        revision: revision(row, 4)?,
        waiting_since: time(row, 9)?,
        ended_at: time(row, 7)?,
        lease: holder.zip(time(row, 6)?).map(|(holder, until)| Lease { holder, until }),
        run: row.text(8)?,
    })
}

/// A value of a statement.
#[derive(Clone, Debug)]
pub(super) enum SqlValue {
    Number(Option<i64>),
    Text(Option<String>),
    List(Vec<String>),
    Bytes(Vec<u8>),
}

impl From<i64> for SqlValue {
    fn from(number: i64) -> Self {
        Self::Number(Some(number))
    }
}

impl From<usize> for SqlValue {
    fn from(number: usize) -> Self {
        signed(number as u64).into()
    }
}

impl From<Revision> for SqlValue {
    fn from(revision: Revision) -> Self {
        signed(revision.0).into()
    }
}

impl From<Timestamp> for SqlValue {
    fn from(time: Timestamp) -> Self {
        signed(time.0).into()
    }
}

impl From<Option<Timestamp>> for SqlValue {
    fn from(time: Option<Timestamp>) -> Self {
        Self::Number(time.map(|time| signed(time.0)))
    }
}

impl From<&str> for SqlValue {
    fn from(text: &str) -> Self {
        Self::Text(Some(text.to_owned()))
    }
}

impl From<Option<String>> for SqlValue {
    fn from(text: Option<String>) -> Self {
        Self::Text(text)
    }
}

/// The columns of a row that was read.
pub(super) trait Columns {
    fn number(&self, column: usize) -> Result<Option<i64>, sqlx::Error>;
    fn text(&self, column: usize) -> Result<Option<String>, sqlx::Error>;
    fn bytes(&self, column: usize) -> Result<Option<Vec<u8>>, sqlx::Error>;
}

impl<R: Row> Columns for R
where
    usize: ColumnIndex<R>,
    for<'r> i64: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> String: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> Vec<u8>: Decode<'r, R::Database> + Type<R::Database>,
{
    fn number(&self, column: usize) -> Result<Option<i64>, sqlx::Error> {
        self.try_get(column)
    }

    fn text(&self, column: usize) -> Result<Option<String>, sqlx::Error> {
        self.try_get(column)
    }

    fn bytes(&self, column: usize) -> Result<Option<Vec<u8>>, sqlx::Error> {
        self.try_get(column)
    }
}

pub(super) fn unsigned_number(row: &impl Columns, column: usize) -> Result<u64, StoreError> {
    Ok(row.number(column)?.map(unsigned).unwrap_or_default())
}

pub(super) fn time(row: &impl Columns, column: usize) -> Result<Option<Timestamp>, StoreError> {
    Ok(row.number(column)?.map(unsigned).map(Timestamp))
}

pub(super) fn text(row: &impl Columns, column: usize) -> Result<String, StoreError> {
    Ok(row.text(column)?.unwrap_or_default())
}

pub(super) fn revision(row: &impl Columns, column: usize) -> Result<Revision, StoreError> {
    unsigned_number(row, column).map(Revision)
}

/// A number for a database, which has no unsigned ones.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(super) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

fn json(value: &impl Serialize) -> Result<String, StoreError> {
    Ok(serde_json::to_string(value)?)
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    Ok(serde_json::from_str(text)?)
}
