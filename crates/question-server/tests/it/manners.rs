//! The manners in which vendors stream an answer, each as its model meant it.

use crate::http::{get, post, says};
use crate::openai::{TEXT, answering};
use crate::provider::Recorded;
use ag_ui_stream::reader::EndOutcome;
use futures_util::future::join_all;
use serde::Deserialize;
use serde_json::{Value, json};

/// Written after what vendors send, none of it recorded.
const MANNERS: &str = include_str!("openai/manners.json");

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Manner {
    manner: String,
    /// Chunks, and texts that stand as they are.
    body: Vec<Value>,
    /// The text of the agent.
    #[serde(default)]
    says: String,
    /// Its calls: names and arguments.
    #[serde(default)]
    calls: Vec<(String, String)>,
    /// The failure of the run, if it fails.
    error: Option<String>,
}

impl Manner {
    fn body(&self) -> String {
        let written = self.body.iter().map(|piece| match piece {
            Value::String(text) => text.clone(),
            chunk => format!("data: {chunk}\n\n"),
        });
        written.collect()
    }

    fn answers(&self) -> Vec<Recorded> {
        let answer = Recorded::stream(self.body());
        // A failure is tried again; after calls the model continues.
        match &self.error {
            Some(_) => vec![answer; 3],
            None => vec![answer, Recorded::stream(TEXT)],
        }
    }

    /// Fails with the difference, if it is read wrongly.
    async fn check(&self) -> Result<(), String> {
        let (server, _provider) = answering(self.answers()).await;
        let (_, end) = post(&server, "/agent", says("t", "u", "hi")).await.events();
        let error = end.error.map(|error| error.to_string());
        if error != self.error {
            return Err(format!("{}: it ends with {error:?}", self.manner));
        }
        if error.is_some() {
            assert_eq!(end.outcome, EndOutcome::Error);
            return Ok(());
        }
        let stored = get(&server, "/conversations/t").await.json();
        let answer = &stored["messages"][1];
        let made = answer["toolCalls"].as_array().into_iter().flatten();
        let made: Vec<Value> = made.map(|call| call["function"].clone()).collect();
        let meant = self.calls.iter();
        let meant: Vec<Value> = meant.map(|(name, arguments)| json!({"name": name, "arguments": arguments})).collect();
        let said = answer["content"].as_str().unwrap_or_default();
        if (said, &made) != (self.says.as_str(), &meant) {
            return Err(format!("{}: read as {answer}", self.manner));
        }
        Ok(())
    }
}

#[tokio::test]
async fn every_manner_of_streaming_is_read_as_it_was_meant() {
    let manners: Vec<Manner> = serde_json::from_str(MANNERS).expect("the table is legal");
    assert!(manners.len() > 32);
    let checked = join_all(manners.iter().map(Manner::check));
    let wrong: Vec<String> = checked.await.into_iter().filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
