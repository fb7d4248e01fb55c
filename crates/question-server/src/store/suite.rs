//! Checks of the promises of `Store`, for the tests of a store of your own.
//!
//! [`check`] runs all of them. Each one fails by a panic, as tests do, and needs an empty store.

use super::{
    Commit, CommitError, DueKind, Entry, FileHead, FilePart, FileRoom, Lease, NewFile, NewPushSubscription, NewWebhook,
    PushSubscription, Revision, Store, Stored, StoredFile, Webhook,
};
use crate::owner::Owner;
use ask_user_question::Limits;
use futures_util::future::join_all;
use question_agent::call::{ToolCall, ToolResult};
use question_agent::message::{AssistantMessage, Message, UserMessage};
use question_agent::registry::ToolContext;
use question_agent::{Conversation, Effect, Event, Timestamp, intercept};
use std::sync::Arc;
use uuid::Uuid;

/// Checks empty stores, one for each part.
pub async fn check(empty: impl AsyncFn() -> Arc<dyn Store>) {
    check_commits(empty().await).await;
    check_conflicts(empty().await).await;
    check_entries(empty().await).await;
    check_deletion(empty().await).await;
    check_webhooks(empty().await).await;
    check_due(empty().await).await;
    check_files(empty().await).await;
    check_push(empty().await).await;
}

/// A subscription is one owner's, and each owner has a bounded number. The key of the servers never changes.
pub async fn check_push(store: Arc<dyn Store>) {
    assert_eq!(store.secret("a", vec![1, 2]).await.ok(), Some(vec![1, 2]));
    assert_eq!(store.secret("a", vec![3]).await.ok(), Some(vec![1, 2]), "another server is later");
    assert_eq!(store.secret("b", vec![3]).await.ok(), Some(vec![3]), "another name");
    let (ann, bob) = (Owner::of("ann"), Owner::of("bob"));
    let browser = |endpoint: &str| PushSubscription {
        endpoint: endpoint.to_owned(),
        p256dh: format!("key of {endpoint}"),
        auth: "secret".to_owned(),
    };
    let put = async |endpoint: &str, owner: &Owner, at: u64| {
        let new =
            NewPushSubscription { subscription: browser(endpoint), owner: owner.clone(), at: Timestamp(at), most: 2 };
        store.put_push_subscription(new).await.expect("it is stored");
    };
    let of = async |owner: &Owner| store.push_subscriptions(owner).await.expect("they are read");
    put("a", &ann, 1).await;
    put("b", &ann, 2).await;
    put("a", &ann, 3).await;
    assert_eq!(of(&ann).await, [browser("b"), browser("a")], "it came again");
    put("c", &ann, 4).await;
    assert_eq!(of(&ann).await, [browser("a"), browser("c")], "the oldest goes");
    put("c", &bob, 5).await;
    assert_eq!(
        (of(&ann).await, of(&bob).await),
        (vec![browser("a")], vec![browser("c")]),
        "the browser has another owner"
    );
    assert_eq!(store.count_push_subscriptions().await.ok(), Some(2));
    store.delete_push_subscription("c", Some(&ann)).await.expect("there is nothing to remove");
    assert_eq!(store.push_subscription("c").await.ok().flatten(), Some(browser("c")), "it is another's");
    store.delete_push_subscription("c", Some(&bob)).await.expect("it is removed");
    store.delete_push_subscription("a", None).await.expect("it is removed");
    assert_eq!((of(&ann).await.len(), store.push_subscription("c").await.ok()), (0, Some(None)));
}

/// A message of a user.
pub fn says(id: &str) -> Event {
    let message = UserMessage::new(id, format!("text of {id}"));
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

/// A commit of this conversation by [`HOLDER`], whose lease lasts until 25 if the conversation is at work.
fn change<'a>(
    conversation: &'a Conversation,
    context: &'a ToolContext,
    messages: &'a [Message],
    revision: u64,
) -> Commit<'a> {
    let lease = conversation.state().is_at_work().then_some(Lease { holder: HOLDER, until: Timestamp(25) });
    let (revision, owner, state) = (Revision(revision), None, conversation.state());
    let (told, run, at) = ("[]", None, Timestamp(revision.0));
    Commit { revision, owner, peer: "", context, state, messages, webhooks: &[], told, lease, run, at }
}

/// The server that works on the conversations of [`play`].
pub const HOLDER: Uuid = Uuid::from_u128(7);

/// Commits events to a store. Returns the conversation that the store should have.
pub async fn play(store: &dyn Store, id: &str, owner: Option<&Owner>, events: Vec<Event>) -> Conversation {
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
pub fn answered_in_chat() -> Vec<Event> {
    let result = ToolResult::success("a-1", "done");
    let rest = [says_one("u2"), Event::ToolComplete { result }];
    asked(Some(Timestamp(1))).into_iter().chain(rest).collect()
}

/// A conversation that waits for an answer until `expires_at`.
pub fn asked(expires_at: Option<Timestamp>) -> Vec<Event> {
    let answer = calls("a", ["AskUserQuestion", "other"]);
    let Event::LlmResponse(message) = &answer else {
        panic!("{answer:?} is no answer of a model");
    };
    let call = &message.tool_calls[0];
    let pending = intercept(&ToolContext::default(), &Limits::CODING, call, expires_at).expect("it is an ask");
    vec![says("u1"), answer, pending]
}

fn says_one(id: &str) -> Event {
    let message = UserMessage::new(id, "One");
    Event::UserMessage { messages: vec![message] }
}

fn plan_mode() -> ToolContext {
    ToolContext { plan_mode: true, ..ToolContext::default() }
}

/// Commits are loaded as they were stored, and counted.
pub async fn check_commits(store: Arc<dyn Store>) {
    let store = &*store;
    assert_eq!(store.load("t").await.expect("it is read"), None);
    let owner = Owner::of("a token");
    let played = play(store, "t", Some(&owner), answered_in_chat()).await;
    let expected = Stored {
        waiting_since: None,
        ended_at: None,
        conversation: played,
        context: plan_mode(),
        owner: Some(owner),
        revision: Revision(5),
        lease: Some(Lease { holder: HOLDER, until: Timestamp(25) }),
        run: None,
    };
    assert_eq!(store.load("t").await.expect("it is read"), Some(expected));
    play(store, "ü 🚗 '; --", None, vec![says("u")]).await;
    assert_eq!(store.count().await.expect("it is read"), 2);
    let owner = Owner::of("a token");
    assert_eq!(store.count_of(&owner).await.expect("it is read"), 1);
    assert_eq!(store.count_of(&Owner::of("another")).await.expect("it is read"), 0);
    assert_eq!(store.owner("t").await.ok(), Some(Some(Some(owner))));
    assert_eq!(store.owner("ü 🚗 '; --").await.ok(), Some(Some(None)), "it has none");
    assert_eq!(store.owner("x").await.ok(), Some(None), "there is no conversation");
}

/// Has [`HOLDER`] begin to work on a conversation, with a lease until 25.
pub async fn begins_to_work(store: &dyn Store, id: &str) {
    play(store, id, None, vec![says("u")]).await;
}

/// Work is due at its time. One claim gets it at a time, and no kind is in the way of another.
pub async fn check_due(store: Arc<dyn Store>) {
    let store = &*store;
    for (id, expires_at) in [("late", Some(30)), ("soon", Some(20)), ("never", None)] {
        play(store, id, None, asked(expires_at.map(Timestamp))).await;
    }
    for id in ["works", "works too"] {
        begins_to_work(store, id).await;
    }
    play(store, "stopped", None, vec![says("u"), Event::UserCancel { proceed: false }]).await;
    let due = async |kind, now, most| {
        let mut due = store.due(kind, Timestamp(now), most).await.expect("it is read");
        due.claimed.sort();
        (due.claimed, due.next.map(|next| next.0))
    };
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(due(DueKind::Expire, 19, 9).await, (names(&[]), Some(20)));
    assert_eq!(due(DueKind::Resume, 24, 9).await, (names(&[]), Some(25)));
    let others = Lease { holder: Uuid::from_u128(8), until: Timestamp(50) };
    store.renew(names(&["works", "soon", "gone"]), others).await.expect("it is read");
    assert_eq!(
        due(DueKind::Resume, 25, 1).await,
        (names(&["works"]), Some(25)),
        "it is not the other's, and more are due"
    );
    assert_eq!(due(DueKind::Resume, 26, 1).await, (names(&["works too"]), Some(26)));
    let claimed = due(DueKind::Resume, 27, 1).await;
    assert!(claimed.0.is_empty() && claimed.1 > Some(27), "both are claimed: {claimed:?}");
    assert_eq!(due(DueKind::Expire, 31, 9).await.0, ["late", "soon"]);
    assert_eq!(due(DueKind::Expire, 31, 9).await.0, names(&[]));
    let held = Lease { holder: HOLDER, until: Timestamp(1_000_000) };
    store.renew(names(&["works"]), held).await.expect("it is written");
    assert_eq!(due(DueKind::Resume, 100_000, 9).await.0, ["works", "works too"], "a claim ends, and the lease with it");
    assert_eq!(due(DueKind::Expire, 100_000, 9).await.0.len(), 2);
    play(store, "renewed", None, vec![says("u")]).await;
    store.renew(names(&["renewed"]), held).await.expect("it is written");
    assert_eq!(due(DueKind::Resume, 200_000, 9).await.0, ["works", "works too"]);
    assert_eq!(due(DueKind::Resume, 1_000_000, 9).await.0, ["renewed", "works", "works too"]);
}

/// Only one of all changes to the same revision is taken.
pub async fn check_conflicts(store: Arc<dyn Store>) {
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
        assert!(refused.iter().all(|outcome| matches!(outcome, Err(CommitError::Conflict))), "{refused:?}");
    }
    let stored = store.load("contested").await.expect("it is read").expect("it is there");
    assert_eq!((stored.revision, stored.conversation.messages().len()), (Revision(3), 1));
}

/// What is told of a commit is stored with it, read from any revision on, and gone with the conversation.
pub async fn check_entries(store: Arc<dyn Store>) {
    let (store, context) = (&*store, ToolContext::default());
    let mut conversation = Conversation::new();
    let messages = new_messages(conversation.handle(says("u")).expect("it fits"));
    let entries = async |after| store.entries("t", Revision(after), 1000).await.expect("it is read");
    for (revision, run) in [(7, Some("one")), (8, Some("two")), (9, None)] {
        let messages = if revision == 7 { &*messages } else { &[] };
        let told = format!(r#"[{{"told": {revision}, "ü": "'"}}]"#);
        let change = Commit { told: &told, run, ..change(&conversation, &context, messages, revision) };
        let base = (revision > 7).then(|| Revision(revision - 1));
        let refused = store.commit("t", Some(Revision(100)), change).await;
        assert!(matches!(refused, Err(CommitError::Conflict)), "nothing of it is told");
        store.commit("t", base, change).await.expect("it is stored");
        let run = run.map(str::to_owned);
        assert_eq!(entries(revision - 1).await, [Entry { revision: Revision(revision), run, told }]);
    }
    let revisions: Vec<u64> = entries(0).await.iter().map(|entry| entry.revision.0).collect();
    assert_eq!(revisions, [7, 8, 9]);
    assert_eq!(entries(9).await, []);
    let bytes: usize = entries(7).await.iter().map(|entry| entry.told.len()).sum();
    for (most, read) in [(bytes, 2), (bytes - 1, 0)] {
        let entries = store.entries("t", Revision(7), most).await.expect("it is read");
        assert_eq!(entries.len(), read, "all of them or none");
    }
    assert!(store.delete("t", Revision(9)).await.expect("it is read"));
    assert_eq!(entries(0).await, []);
}

/// The revision of a stored conversation.
pub async fn revision_of(store: &dyn Store, id: &str) -> Revision {
    store.load(id).await.expect("it is read").expect("it is there").revision
}

/// An ended conversation goes at its time, a waiting or working one stays, and no part of a deleted one comes back.
pub async fn check_deletion(store: Arc<dyn Store>) {
    let store = &*store;
    let stop = Event::UserCancel { proceed: false };
    play(store, "ended", None, vec![says("u"), stop.clone()]).await;
    play(store, "ended later", None, vec![says("u"), stop.clone(), says("u2"), stop]).await;
    play(store, "waits", None, asked(None)).await;
    play(store, "works", None, vec![says("u")]).await;
    assert_eq!(store.delete_ended(Timestamp(1)).await.expect("it is read"), [""; 0]);
    assert_eq!(store.delete_ended(Timestamp(2)).await.expect("it is read"), vec!["ended".to_owned()]);
    assert_eq!(store.delete_ended(Timestamp(100)).await.expect("it is read"), vec!["ended later".to_owned()]);
    let revision = revision_of(store, "waits").await;
    assert!(!store.delete("waits", revision.next()).await.expect("it is read"), "it was decided on other grounds");
    assert!(store.delete("waits", revision).await.expect("it is read"));
    assert!(!store.delete("waits", revision).await.expect("it is read"));
    assert_eq!(store.load("waits").await.expect("it is read"), None);
    assert_eq!(store.count().await.expect("it is read"), 1);
    let anew = play(store, "waits", None, vec![says("u")]).await;
    let stored = store.load("waits").await.expect("it is read").expect("it is there");
    assert_eq!(stored.conversation, anew);
}

/// A webhook is stored with its commit alone. One claim gets it at a time, until it is delivered or its conversation is gone.
pub async fn check_webhooks(store: Arc<dyn Store>) {
    let (store, base) = (&*store, Some(Revision(3)));
    let mut conversation = play(store, "t", None, asked(None)).await;
    let result = ToolResult::success("a-0", "done");
    let messages = new_messages(conversation.handle(Event::UserCancel { proceed: false }).expect("it fits"));
    let webhook = |id: &str, at| {
        let (id, url) = (id.to_owned(), "https://jobs.example/answers".to_owned());
        NewWebhook { id, url, body: format!(r#"{{"toolCallId": "{}"}}"#, result.tool_use_id), at: Timestamp(at) }
    };
    let (context, webhooks) = (ToolContext::default(), [webhook("a", 10), webhook("b", 20)]);
    let change = Commit { webhooks: &webhooks, ..change(&conversation, &context, &messages, 4) };
    assert!(matches!(store.commit("t", Some(Revision(2)), change).await, Err(CommitError::Conflict)));
    let claim = async |now, most| {
        let due = store.claim_webhooks(Timestamp(now), Timestamp(now + 30), most).await.expect("it is read");
        (due.claimed, due.next)
    };
    assert_eq!(claim(100, 9).await, (Vec::new(), None), "its commit was refused");
    store.commit("t", base, change).await.expect("it is stored");
    let expected = |id: &str, attempts| {
        let NewWebhook { id, url, body, at: _ } = webhook(id, 0);
        Webhook { conversation: "t".to_owned(), id, url, body, attempts }
    };
    assert_eq!(claim(9, 9).await, (Vec::new(), Some(Timestamp(10))));
    assert_eq!(claim(25, 1).await.0, [expected("a", 0)], "the first to be due");
    assert_eq!(claim(25, 9).await.0, [expected("b", 0)], "the other is claimed");
    assert_eq!(claim(54, 9).await, (Vec::new(), Some(Timestamp(55))));
    let failed = expected("a", 1);
    store.reschedule_webhook(&failed, Some(Timestamp(40))).await.expect("it is stored");
    assert_eq!(claim(54, 9).await.0, [failed]);
    store.reschedule_webhook(&expected("a", 1), None).await.expect("it is stored");
    assert_eq!(claim(60, 9).await.0, [expected("b", 0)], "a claim that ended");
    let (webhooks, revision) = ([webhook("c", 900)], revision_of(store, "t").await);
    let without_messages = Commit { webhooks: &webhooks, messages: &[], revision: revision.next(), ..change };
    assert!(matches!(store.commit("t", base, without_messages).await, Err(CommitError::Conflict)));
    store.commit("t", Some(revision), without_messages).await.expect("it is stored");
    assert!(claim(950, 9).await.0.contains(&expected("c", 0)), "there is no message with it");
    assert!(store.delete("t", revision.next()).await.expect("it is read"));
    assert_eq!(claim(1000, 9).await, (Vec::new(), None));
}

/// A file is stored once in a conversation, within its room, and gone with it. One whose conversation never begins goes at its time.
pub async fn check_files(store: Arc<dyn Store>) {
    let store = &*store;
    let owner = Owner::of("a token");
    let file = |conversation: &str, hash: &str, bytes: &[u8]| {
        let head = FileHead { name: "ü.png".to_owned(), media_type: "image/png".to_owned(), size: bytes.len() };
        let (conversation, hash, owner) = (conversation.to_owned(), hash.to_owned(), Some(owner.clone()));
        NewFile { conversation, hash, owner, head, bytes: bytes.to_vec(), at: Timestamp(7) }
    };
    let room = FileRoom { of_each: 1, of_conversation: 8, of_owner: 12, of_all: 14 };
    let put = async |file: NewFile| store.put_file(file, room).await.expect("it is written");
    let read = async |conversation, with| store.file(conversation, "a", with).await.expect("it is read");
    assert!(put(file("t", "a", b"\0\xff1")).await && put(file("t", "a", b"\0\xff1")).await, "once");
    assert!(put(file("t", "b", b"123")).await && !put(file("t", "c", b"1")).await, "the conversation's room is used");
    assert!(put(file("t", "a", b"\0\xff1")).await, "it takes no room");
    assert!(put(file("new", "a", b"123")).await && !put(file("other", "a", b"1")).await, "and the owner's");
    let strangers = |bytes: &[u8]| NewFile { owner: None, ..file("other", "a", bytes) };
    assert!(!put(strangers(b"12")).await && put(strangers(b"1")).await, "and all of it");
    let head = file("t", "a", b"123").head;
    let whole = StoredFile { owner: Some(owner.clone()), head: head.clone(), bytes: b"\0\xff1".to_vec() };
    assert_eq!(read("t", FilePart::Whole).await, Some(whole.clone()));
    assert_eq!(read("t", FilePart::Head).await, Some(StoredFile { bytes: Vec::new(), ..whole }));
    assert_eq!(store.file("t", "x", FilePart::Head).await.ok(), Some(None));

    play(store, "t", None, vec![says("u"), Event::UserCancel { proceed: false }]).await;
    assert!(put(NewFile { at: Timestamp(8), ..strangers(b"1") }).await, "it came again");
    let lost = async |by| store.delete_lost_files(Timestamp(by)).await.expect("it is written");
    assert_eq!((lost(6).await, lost(7).await, lost(7).await), (0, 1, 0), "that of a conversation that never began");
    assert_eq!((lost(8).await, lost(8).await), (1, 0));
    assert!(read("t", FilePart::Head).await.is_some() && read("new", FilePart::Head).await.is_none());
    let revision = revision_of(store, "t").await;
    assert_eq!(store.delete("t", revision).await.ok(), Some(true));
    assert_eq!(read("t", FilePart::Head).await, None);
    assert!(put(file("ended", "a", b"123")).await);
    play(store, "ended", None, vec![says("u"), Event::UserCancel { proceed: false }]).await;
    assert_eq!(store.delete_ended(Timestamp(100)).await.ok(), Some(vec!["ended".to_owned()]));
    assert_eq!(read("ended", FilePart::Head).await, None);
}
