//! Answers on the disk: the store beside bare SQLite that writes as many bytes.

use crate::{ABREAST, Outcome, median};
use ask_user_question::outcome::AnsweredBy;
use ask_user_question::{AskUserQuestion, Outcome as Ending, Reply};
use question_agent::call::ToolCall;
use question_agent::event::Response;
use question_agent::message::{AssistantMessage, Message, UserMessage};
use question_agent::registry::ToolContext;
use question_agent::{Conversation, Effect, Event, Timestamp};
use question_server::store::{Commit, Revision, SqliteStore, Store as _};
use sqlx::ConnectOptions as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Mutex;
use tokio::task::JoinSet;

/// The number of turns of each, beside the first rounds, which warm up.
const ROUNDS: usize = 40;

const WARM_UP: usize = 4;

/// The number of answers in a turn: few, so that the disk is the same for all turns of a round.
const ANSWERS: usize = 5 * ABREAST;

/// The states of one conversation after each event, with their new messages: the user's message, the call, the waiting question, its answer.
type Steps = Vec<(Conversation, Vec<Message>)>;

/// Measures and prints the table.
pub(crate) async fn measure(folder: &Path) -> Outcome<()> {
    let bare = Bare::open(&folder.join("bare.sqlite")).await?;
    let store = Arc::new(SqliteStore::open(&folder.join("store.sqlite")).await?);
    let steps = Arc::new(steps()?);
    let mut rounds = Vec::with_capacity(ROUNDS);
    for round in 0..WARM_UP + ROUNDS {
        let mut times = [0.0; 4];
        // In alternating order, so that none always follows the same.
        let order = if round % 2 == 0 { [0, 1, 2, 3] } else { [3, 2, 1, 0] };
        for which in order {
            times[which] = match which {
                0 => bare.inserts(1).await?,
                1 => answers(&store, &steps, &format!("alone-{round}"), 1).await?,
                2 => bare.inserts(ABREAST).await?,
                _ => answers(&store, &steps, &format!("abreast-{round}"), ABREAST).await?,
            };
        }
        if round >= WARM_UP {
            rounds.push(times);
        }
    }
    print(&rounds);
    Ok(())
}

fn print(rounds: &[[f64; 4]]) {
    let names = [
        "bare SQLite, one client".to_owned(),
        "the store, one client".to_owned(),
        format!("bare SQLite, {ABREAST} clients"),
        format!("the store, {ABREAST} clients"),
    ];
    println!(
        "| an answer on the disk (`synchronous=FULL`) | µs: median, least | time beside bare: median, least | answers a second at best |"
    );
    println!("|---|---|---|---|");
    for (index, name) in names.iter().enumerate() {
        let times = |of: usize| rounds.iter().map(move |times| times[of]);
        // A disk that others use makes some rounds slow and none fast.
        let least = |of: usize| times(of).fold(f64::INFINITY, f64::min);
        // With the same number of clients, and for the median of the same round.
        let bare = index - index % 2;
        let ratios = times(index).zip(times(bare)).map(|(time, bare)| time / bare);
        println!(
            "| {name} | {:.0}, {:.0} | {:.2}, {:.2} | {:.0} |",
            median(times(index).collect()),
            least(index),
            median(ratios.collect()),
            least(index) / least(bare),
            1e6 / least(index),
        );
    }
    println!();
}

/// The time of one answer, in microseconds, while this number of clients answer.
async fn answers(store: &Arc<SqliteStore>, steps: &Arc<Steps>, name: &str, clients: usize) -> Outcome<f64> {
    let waiting = steps.len() - 1;
    // The questions first, which are not measured.
    run(store, steps, name, ABREAST, 0..waiting).await?;
    let start = Instant::now();
    run(store, steps, name, clients, waiting..steps.len()).await?;
    Ok(start.elapsed().as_secs_f64() * 1e6 / ANSWERS as f64)
}

async fn run(
    store: &Arc<SqliteStore>,
    steps: &Arc<Steps>,
    name: &str,
    clients: usize,
    which: std::ops::Range<usize>,
) -> Outcome<()> {
    let mut working = JoinSet::new();
    for client in 0..clients {
        let (store, steps) = (Arc::clone(store), Arc::clone(steps));
        let (name, which) = (name.to_owned(), which.clone());
        working.spawn(async move {
            for number in (client..ANSWERS).step_by(clients) {
                for step in which.clone() {
                    let (conversation, messages) = &steps[step];
                    let revision = Revision(step as u64);
                    let base = step.checked_sub(1).map(|before| Revision(before as u64));
                    let change = Commit {
                        revision,
                        owner: None,
                        peer: "",
                        context: &ToolContext::default(),
                        state: conversation.state(),
                        messages,
                        webhooks: &[],
                        told: "[]",
                        lease: None,
                        run: None,
                        at: Timestamp(revision.0),
                    };
                    let stored = store.commit(&format!("{name}-{number}"), base, change).await;
                    stored.map_err(|error| format!("{error:?}"))?;
                }
            }
            Ok::<(), String>(())
        });
    }
    while let Some(client) = working.join_next().await {
        client??;
    }
    Ok(())
}

/// One insert of the bytes that an answer has.
struct Bare {
    database: Mutex<SqliteConnection>,
    text: String,
}

impl Bare {
    async fn open(file: &Path) -> Outcome<Arc<Self>> {
        let options = SqliteConnectOptions::new().filename(file).create_if_missing(true);
        let options =
            options.pragma("locking_mode", "EXCLUSIVE").pragma("journal_mode", "WAL").pragma("synchronous", "FULL");
        let mut database = options.connect().await?;
        sqlx::raw_sql("CREATE TABLE answer (text TEXT NOT NULL) STRICT").execute(&mut database).await?;
        let steps = steps()?;
        let (conversation, messages) = steps.last().ok_or("there are steps")?;
        let mut text = serde_json::to_string(conversation.state())?;
        text.push_str(&serde_json::to_string(messages)?);
        Ok(Arc::new(Self { database: Mutex::new(database), text }))
    }

    /// The time of one insert, in microseconds, while this number of clients insert.
    async fn inserts(self: &Arc<Self>, clients: usize) -> Outcome<f64> {
        let start = Instant::now();
        let mut working = JoinSet::new();
        for _ in 0..clients {
            let bare = Arc::clone(self);
            working.spawn(async move {
                for _ in 0..ANSWERS / clients {
                    let insert = sqlx::query("INSERT INTO answer VALUES ($1)").bind(bare.text.clone());
                    insert.execute(&mut *bare.database.lock().await).await?;
                }
                Ok::<(), sqlx::Error>(())
            });
        }
        while let Some(client) = working.join_next().await {
            client??;
        }
        Ok(start.elapsed().as_secs_f64() * 1e6 / ANSWERS as f64)
    }
}

fn steps() -> Outcome<Steps> {
    const ARGUMENTS: &str = r#"{"questions":[{"question":"Which service do you need?","header":"Service","options":[{"label":"Oil change","description":"About 45 minutes"},{"label":"Brake service","description":"Pads and discs, checked and replaced as needed"}]}]}"#;
    let ask: AskUserQuestion = serde_json::from_str(ARGUMENTS)?;
    let answer = serde_json::json!({"answers": {"Which service do you need?": "Brake service"}});
    let reply = Reply::parse(&ask, &answer).map_err(|violations| format!("{violations:?}"))?;
    let call = "call_0123456789abcdef0123456789abcdef".to_owned();
    let events = [
        Event::UserMessage { messages: vec![UserMessage::new("u", "I need my car looked at")] },
        Event::LlmResponse(AssistantMessage {
            id: "a".to_owned(),
            text: String::new(),
            origin: None,
            tool_calls: vec![ToolCall::new(&call, "ask_user_question", ARGUMENTS)],
        }),
        Event::AskUserQuestionPending { tool_use_id: call.clone(), questions: ask, expires_at: None },
        Event::UserQuestionResponse(Response::new(
            call,
            "11111111-2222-4333-8444-555555555555",
            AnsweredBy::Card,
            Ending::Answered(reply),
        )),
    ];
    let mut conversation = Conversation::new();
    let mut steps = Vec::new();
    for event in events {
        let mut messages = Vec::new();
        for effect in conversation.handle(event)? {
            match effect {
                Effect::PersistMessage(message) => messages.push(message),
                Effect::PersistToolResults { results } => messages.extend(results.into_iter().map(Message::Tool)),
                _ => {}
            }
        }
        steps.push((conversation.clone(), messages));
    }
    Ok(steps)
}
