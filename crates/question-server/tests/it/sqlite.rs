//! The store behind the trait, in memory and on disk.

use crate::folder::Folder;
use crate::house::over_each_store;
use crate::socket::binary;
use ask_user_question::Limits;
use futures_util::future::join_all;
use question_agent::call::{ToolCall, ToolResult};
use question_agent::message::{AssistantMessage, Message, UserMessage};
use question_agent::registry::ToolContext;
use question_agent::{Conversation, Effect, Event, Timestamp, intercept};
use question_server::owner::Owner;
use question_server::store::{
    Commit, CommitError, Due, Lease, MemoryStore, Revision, SqliteStore, Store, Stored, StreamPosition,
};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::timeout;
use uuid::Uuid;

fn says(id: &str) -> Event {
    let message = UserMessage { id: id.to_owned(), text: format!("text of {id}"), ask: None };
    Event::UserMessage { messages: vec![message] }
}

fn calls(id: &str, names: [&str; 2]) -> Event {
    const ASK: &str =
        r#"{"questions":[{"question":"Which?","header":"Pick","options":[{"label":"One"},{"label":"Two"}]}]}"#;
    let call = |(index, name): (usize, &str)| ToolCall::new(format!("{id}-{index}"), name, ASK);
    Event::LlmResponse(AssistantMessage {
        id: id.to_owned(),
        text: String::new(),
        origin: None,
        tool_calls: names.into_iter().enumerate().map(call).collect(),
    })
}

/// The new messages among effects, in the order in which those brought them.
fn new_messages(effects: Vec<Effect>) -> Vec<Message> {
    let messages = effects.into_iter().flat_map(|effect| match effect {
        Effect::PersistMessage(message) => vec![message],
        Effect::PersistToolResults { results } => results.into_iter().map(Message::Tool).collect(),
        _ => Vec::new(),
    });
    messages.collect()
}

/// The change that such a conversation is, as a server makes it that works on it until then.
fn change<'a>(
    conversation: &'a Conversation,
    context: &'a ToolContext,
    messages: &'a [Message],
    revision: u64,
) -> Commit<'a> {
    let position = StreamPosition { since: Revision(1), frames: 10 * revision };
    let lease = conversation.state().is_at_work().then_some(Lease { holder: HOLDER, until: Timestamp(25) });
    let (revision, owner, state) = (Revision(revision), None, conversation.state());
    let (run, at) = (None, Timestamp(revision.0));
    Commit { revision, owner, peer: "", context, state, messages, position, lease, run, at }
}

pub(crate) const HOLDER: Uuid = Uuid::from_u128(7);

/// Plays events against a store and gives what it should have.
async fn play(store: &dyn Store, id: &str, owner: Option<&Owner>, events: Vec<Event>) -> Conversation {
    let mut conversation = Conversation::new();
    let mut base = None;
    for (revision, event) in (1..).zip(events) {
        let messages = new_messages(conversation.handle(event).expect("the event fits"));
        let context = plan_mode();
        let change = Commit { owner, ..change(&conversation, &context, &messages, revision) };
        store.commit(id, base, change).await.expect("it is stored");
        base = Some(Revision(revision));
    }
    conversation
}

/// A conversation in which a result goes in front of a message that came earlier.
fn answered_in_chat() -> Vec<Event> {
    let result = ToolResult::success("a-1", "done");
    let rest = [says_one("u2"), Event::ToolComplete { result }];
    asked(Some(Timestamp(1))).into_iter().chain(rest).collect()
}

/// A conversation that waits for an answer until then.
fn asked(expires_at: Option<Timestamp>) -> Vec<Event> {
    let answer = calls("a", ["AskUserQuestion", "other"]);
    let Event::LlmResponse(message) = &answer else {
        panic!("{answer:?} is no answer of a model");
    };
    let call = &message.tool_calls[0];
    let ask = intercept(&ToolContext::default(), &Limits::CODING, call);
    let pending = ask.into_event(call, expires_at).expect("it is an ask");
    vec![says("u1"), answer, pending]
}

fn says_one(id: &str) -> Event {
    let message = UserMessage { id: id.to_owned(), text: "One".to_owned(), ask: None };
    Event::UserMessage { messages: vec![message] }
}

fn plan_mode() -> ToolContext {
    ToolContext { plan_mode: true, ..ToolContext::default() }
}

async fn check(store: Arc<dyn Store>) {
    let store = &*store;
    assert_eq!(store.load("t").await, Ok(None));
    let owner = Owner::of("a token");
    let played = play(store, "t", Some(&owner), answered_in_chat()).await;
    let expected = Stored {
        waiting_since: None,
        ended_at: None,
        conversation: played,
        context: plan_mode(),
        owner: Some(owner),
        revision: Revision(5),
        position: StreamPosition { since: Revision(1), frames: 50 },
        lease: Some(Lease { holder: HOLDER, until: Timestamp(25) }),
        run: None,
    };
    assert_eq!(store.load("t").await, Ok(Some(expected)));
    play(store, "ü 🚗 '; --", None, vec![says("u")]).await;
    assert_eq!(store.count().await, Ok(2));
    let owner = Owner::of("a token");
    assert_eq!(store.count_of(&owner).await, Ok(1));
    assert_eq!(store.count_of(&Owner::of("another")).await, Ok(0));
}

/// Has a server begin to work on a conversation, which holds it until 25.
#[cfg(unix)]
pub(crate) async fn begins_to_work(store: &dyn Store, id: &str) {
    play(store, id, None, vec![says("u")]).await;
}

/// Checks the work that is due at each moment, and the time of the next look.
async fn check_due(store: &dyn Store) {
    for (id, expires_at) in [("late", Some(30)), ("soon", Some(20)), ("never", None)] {
        play(store, id, None, asked(expires_at.map(Timestamp))).await;
    }
    play(store, "works", None, vec![says("u")]).await;
    play(store, "stopped", None, vec![says("u"), Event::UserCancel { proceed: false }]).await;
    let due = async |now| store.due(Timestamp(now)).await.expect("it is read");
    for (now, over, next) in [
        (19, vec![], Some(20)),
        (20, vec!["soon"], Some(25)),
        (25, vec!["soon", "works"], Some(30)),
        (31, vec!["soon", "works", "late"], None),
    ] {
        let now_due = over.into_iter().map(str::to_owned).collect();
        assert_eq!(due(now).await, Due { now: now_due, next: next.map(Timestamp) }, "{now}");
    }
    let ids = ["works", "soon", "gone"].map(str::to_owned).to_vec();
    let others = Lease { holder: Uuid::from_u128(8), until: Timestamp(50) };
    store.renew(ids.clone(), others).await.expect("it is read");
    assert_eq!(due(25).await.now, ["soon", "works"], "it is not the other's");
    store.renew(ids, Lease { holder: HOLDER, ..others }).await.expect("it is written");
    assert_eq!(due(49).await.now, ["soon", "late"]);
    assert_eq!(due(50).await.now, ["soon", "late", "works"]);
}

/// Only one of all changes to the same revision is taken.
pub(crate) async fn check_conflicts(store: Arc<dyn Store>) {
    let mut conversation = Conversation::new();
    let messages = new_messages(conversation.handle(says("u0")).expect("it fits"));
    let rivals = |base: Option<Revision>, messages: Vec<Message>| {
        let revision = base.map_or(1, |base| base.0 + 1);
        let rivals = (0..32).map(|_| {
            let (store, conversation, messages) = (Arc::clone(&store), conversation.clone(), messages.clone());
            async move {
                let context = ToolContext::default();
                store.commit("contested", base, change(&conversation, &context, &messages, revision)).await
            }
        });
        join_all(rivals)
    };
    for (base, messages) in [(None, messages), (Some(Revision(1)), Vec::new()), (Some(Revision(2)), Vec::new())] {
        let outcomes = rivals(base, messages).await;
        let (taken, refused): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
        assert_eq!(taken.len(), 1, "{base:?}");
        assert!(refused.iter().all(|outcome| *outcome == Err(CommitError::Conflict)), "{refused:?}");
    }
    let stored = store.load("contested").await.expect("it is read").expect("it is there");
    assert_eq!((stored.revision, stored.conversation.messages().len()), (Revision(3), 1));
}

async fn revision_of(store: &dyn Store, id: &str) -> Revision {
    store.load(id).await.expect("it is read").expect("it is there").revision
}

/// An ended conversation goes at its time, a waiting or working one stays, and no part of a deleted one comes back.
async fn check_deletion(store: Arc<dyn Store>) {
    let store = &*store;
    let stop = Event::UserCancel { proceed: false };
    play(store, "ended", None, vec![says("u"), stop.clone()]).await;
    play(store, "ended later", None, vec![says("u"), stop.clone(), says("u2"), stop]).await;
    play(store, "waits", None, asked(None)).await;
    play(store, "works", None, vec![says("u")]).await;
    assert_eq!(store.delete_ended(Timestamp(1)).await, Ok(Vec::new()));
    assert_eq!(store.delete_ended(Timestamp(2)).await, Ok(vec!["ended".to_owned()]));
    assert_eq!(store.delete_ended(Timestamp(100)).await, Ok(vec!["ended later".to_owned()]));
    let revision = revision_of(store, "waits").await;
    assert_eq!(store.delete("waits", revision.next()).await, Ok(false), "it was decided on other grounds");
    assert_eq!(store.delete("waits", revision).await, Ok(true));
    assert_eq!(store.delete("waits", revision).await, Ok(false));
    assert_eq!((store.load("waits").await, store.count().await), (Ok(None), Ok(1)));
    let anew = play(store, "waits", None, vec![says("u")]).await;
    let stored = store.load("waits").await.expect("it is read").expect("it is there");
    assert_eq!(stored.conversation, anew);
}

pub(crate) async fn each_store(check: impl AsyncFn(Arc<dyn Store>)) {
    check(Arc::new(MemoryStore::default())).await;
    let folder = Folder::new();
    check(Arc::new(SqliteStore::open(&folder.file()).expect("it is new"))).await;
}

over_each_store!(what_is_committed_is_read_again: check);
over_each_store!(of_many_who_decide_on_the_same_grounds_one_is_taken: check_conflicts);
over_each_store!(what_is_deleted_is_gone: check_deletion);

#[tokio::test]
async fn what_nobody_works_on_and_what_has_expired_is_due() {
    each_store(async |store| check_due(&*store).await).await;
}

#[tokio::test]
async fn what_was_deleted_is_not_to_be_read_in_the_file() {
    let folder = Folder::new();
    let store = SqliteStore::open(&folder.file()).expect("it is new");
    play(&store, "t", None, vec![says("unmistakable")]).await;
    assert_eq!(store.delete("t", revision_of(&store, "t").await).await, Ok(true));
    drop(store);
    let file = std::fs::read(folder.file()).expect("it is there");
    assert!(!String::from_utf8_lossy(&file).contains("unmistakable"));
}

#[tokio::test]
async fn leases_end_with_the_server_that_had_the_file() {
    let folder = Folder::new();
    let first = SqliteStore::open(&folder.file()).expect("it is new");
    play(&first, "works", None, vec![says("u")]).await;
    drop(first);
    let second = SqliteStore::open(&folder.file()).expect("nobody has it");
    assert_eq!(second.due(Timestamp(0)).await, Ok(Due { now: vec!["works".to_owned()], next: None }));
}

#[tokio::test]
async fn it_is_there_when_the_file_is_opened_again() {
    let folder = Folder::new();
    let first = SqliteStore::open(&folder.file()).expect("it is new");
    let played = play(&first, "t", None, answered_in_chat()).await;
    drop(first);
    let second = SqliteStore::open(&folder.file()).expect("nobody has it");
    let stored = second.load("t").await.expect("it is read").expect("it is there");
    assert_eq!(stored.conversation, played);
}

#[tokio::test]
async fn many_at_once_are_all_there() {
    let folder = Folder::new();
    let store = SqliteStore::open(&folder.file()).expect("it is new");
    let names: Vec<String> = (0..200).map(|number| format!("t{number}")).collect();
    join_all(names.iter().map(|name| play(&store, name, None, answered_in_chat()))).await;
    assert_eq!(store.count().await, Ok(names.len()));
    for name in &names {
        let stored = store.load(name).await.expect("it is read").expect("it is there");
        assert_eq!(stored.conversation.messages().len(), 5);
    }
}

#[tokio::test]
async fn a_file_is_one_servers_alone() {
    let folder = Folder::new();
    let _first = SqliteStore::open(&folder.file()).expect("it is new");
    let error = SqliteStore::open_within(&folder.file(), Duration::ZERO).expect_err("it is taken");
    assert!(error.to_string().contains("another server"), "{error}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_that_was_taken_away_takes_nothing_more() {
    let folder = Folder::new();
    let store = SqliteStore::open(&folder.file()).expect("it is new");
    begins_to_work(&store, "t").await;
    let elsewhere = folder.path().join("elsewhere");
    std::fs::rename(folder.file(), &elsewhere).expect("it is there");
    let error = store.check().await.expect_err("it is gone").to_string();
    assert!(error.contains(&folder.file_name()) && error.contains("moved or deleted"), "{error}");
    std::fs::write(folder.file(), "another").expect("there is a disk");
    store.check().await.expect_err("it is another");
    std::fs::rename(elsewhere, folder.file()).expect("it is there");
    assert_eq!(store.check().await, Ok(()));
    std::fs::remove_file(folder.file()).expect("it is there");
    store.delete("t", Revision(1)).await.expect_err("nobody finds that again");
}

#[test]
fn what_is_no_database_is_left_alone() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.file().parent().expect("it lies in a folder")).expect("there is a disk");
    let text = "Dear diary, ".repeat(1_000);
    std::fs::write(folder.file(), &text).expect("there is a disk");
    let error = SqliteStore::open(&folder.file()).expect_err("it is a diary");
    assert!(error.to_string().contains("no database"), "{error}");
    assert_eq!(std::fs::read_to_string(folder.file()).ok(), Some(text));
}

#[cfg(unix)]
#[tokio::test]
async fn the_file_is_for_its_user_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    let store = SqliteStore::open(&folder.file()).expect("it is new");
    play(&store, "t", None, vec![says("u")]).await;
    let entries = std::fs::read_dir(folder.file().parent().expect("it lies in a folder"));
    let files: Vec<_> = entries.expect("it is there").flatten().collect();
    assert!(files.len() >= 2, "the file and its log");
    for file in files {
        let mode = file.metadata().expect("it is there").permissions().mode();
        assert_eq!(mode & 0o077, 0, "{file:?}");
    }
}

#[tokio::test]
async fn a_damaged_file_is_left_alone_and_named() {
    let folder = Folder::new();
    let store = SqliteStore::open(&folder.file()).expect("it is new");
    // At once, so that they share the waits for the disk.
    let names: Vec<String> = (0..100).map(|number| format!("t{number}")).collect();
    join_all(names.iter().map(|name| play(&store, name, None, answered_in_chat()))).await;
    drop(store);
    let mut file = std::fs::read(folder.file()).expect("it is there");
    let page = 4096;
    assert!(file.len() > 10 * page, "there is something to damage");
    for at in [3 * page, file.len() - page] {
        file[at..at + page].fill(b'x');
    }
    std::fs::write(folder.file(), &file).expect("there is a disk");
    let mut command = binary(&["--port", "0", "--database", &folder.file_name()]);
    let ended = timeout(Duration::from_secs(20), command.output()).await;
    let output = ended.expect("it does not start").expect("there is one");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains(&folder.file_name()) && said.contains("damaged"), "{said}");
    assert_eq!(std::fs::read(folder.file()).ok(), Some(file));
}

#[cfg(unix)]
#[test]
fn a_file_with_two_names_is_refused_under_both() {
    let folder = Folder::new();
    drop(SqliteStore::open(&folder.file()).expect("it is new"));
    let other = folder.path().join("other.sqlite");
    std::fs::hard_link(folder.file(), &other).expect("there is a disk");
    for name in [&folder.file(), &other] {
        let error = SqliteStore::open(name).expect_err("another server may have it").to_string();
        assert!(error.contains("hard links"), "{error}");
    }
    std::fs::remove_file(other).expect("it is there");
    SqliteStore::open(&folder.file()).expect("it has one name");
}

#[tokio::test]
async fn what_is_deleted_is_in_no_file_any_more() {
    let folder = Folder::new();
    let store = SqliteStore::open(&folder.file()).expect("it is new");
    begins_to_work(&store, "a-name-to-look-for").await;
    let has_it = || {
        let files = std::fs::read_dir(folder.file().parent().expect("it has one")).expect("it is there").flatten();
        files
            .filter(|file| {
                let bytes = std::fs::read(file.path()).unwrap_or_default();
                bytes.windows(18).any(|window| window == b"a-name-to-look-for")
            })
            .count()
    };
    assert!(has_it() > 0);
    let revision = revision_of(&store, "a-name-to-look-for").await;
    assert_eq!(store.delete("a-name-to-look-for", revision).await, Ok(true));
    assert_eq!(has_it(), 0, "while the server goes on");
}

#[tokio::test]
async fn of_two_backups_to_one_name_one_is_whole_and_one_is_refused() {
    let folder = Folder::new();
    let store = SqliteStore::open(&folder.file()).expect("it is new");
    begins_to_work(&store, "t").await;
    let (from, to) = (folder.file(), folder.path().join("copy.sqlite"));
    let backups: Vec<_> = (0..8)
        .map(|_| {
            let (from, to) = (from.clone(), to.clone());
            std::thread::spawn(move || SqliteStore::back_up(&from, &to))
        })
        .collect();
    let done = backups.into_iter().map(|backup| backup.join().expect("it does not panic"));
    let (taken, refused): (Vec<_>, Vec<_>) = done.partition(Result::is_ok);
    assert_eq!((taken.len(), refused.len()), (1, 7));
    assert!(refused.iter().all(|why| why.as_ref().is_err_and(|why| why.to_string().contains("exists"))), "{refused:?}");
    let left = std::fs::read_dir(folder.path()).expect("it is there").flatten();
    let left: Vec<_> = left.filter(|file| file.path().extension().is_some_and(|end| end == "part")).collect();
    assert!(left.is_empty(), "{left:?}");
    let copy = SqliteStore::open(&to).expect("it is whole");
    assert!(copy.load("t").await.expect("it is read").is_some());
}

#[tokio::test]
async fn a_backup_under_way_holds_back_a_deletion_alone() {
    let folder = Folder::new();
    let store = SqliteStore::open(&folder.file()).expect("it is new");
    for id in ["t", "other"] {
        begins_to_work(&store, id).await;
    }
    let reader = rusqlite::Connection::open(folder.file()).expect("it is there");
    reader.execute_batch("BEGIN; SELECT count(*) FROM conversation").expect("it is read");
    let revision = store.load("t").await.expect("it is read").expect("it is there").revision;
    assert_eq!(store.delete("t", revision).await, Ok(true));
    let before = Instant::now();
    for _ in 0..3 {
        assert_eq!(store.check().await, Ok(()));
    }
    assert!(before.elapsed() < Duration::from_secs(4), "{:?}", before.elapsed());
    drop(reader);
}
