//! Everything that is said of stores and of several servers, over a real Postgres that the tests bring themselves.
//!
//! `cargo xtask test postgres` runs them, which sees to it that there is one.

mod elsewhere;
mod faults;
mod many;
mod own;

use crate::folder::Folder;
use crate::socket::keeps_words_out_of_its_log;
use crate::store::with_causes;
use crate::{killed, replicas};
use futures_util::future::join_all;
use own::{FOLDERS, Postgres, own, remove_left};
use question_agent::Timestamp;
use question_server::store::{DueKind, Lease, PostgresStore, Store, suite};
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Connection as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use tokio::sync::Mutex;

/// A database of its own in a Postgres that tests share which run at the same time: to make one takes a second of work.
pub(crate) struct Database {
    postgres: Arc<Postgres>,
    name: String,
}

impl Database {
    pub(crate) async fn new() -> Self {
        static SHARED: Mutex<Weak<Postgres>> = Mutex::const_new(Weak::new());
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let mut shared = SHARED.lock().await;
        let postgres = match shared.upgrade() {
            Some(postgres) => postgres,
            None => Arc::new(Postgres::start().await),
        };
        *shared = Arc::downgrade(&postgres);
        drop(shared);
        let name = format!("test_{}", COUNT.fetch_add(1, Ordering::Relaxed));
        postgres.make_database(&name).await;
        Self { postgres, name }
    }

    pub(crate) async fn open(&self) -> Arc<dyn Store> {
        Arc::new(PostgresStore::open(&self.address()).await.expect("it is there"))
    }

    /// A connection of its owner's.
    pub(crate) async fn client(&self) -> PgConnection {
        PgConnection::connect(&self.address()).await.expect("it runs")
    }

    fn address(&self) -> String {
        self.postgres.address_of(&self.name)
    }
}

/// Runs statements without parameters.
pub(crate) async fn run(client: &mut PgConnection, sql: &str) {
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(client).await.expect("it is SQL");
}

impl Postgres {
    pub(crate) async fn start() -> Self {
        Self::start_with(false).await
    }

    pub(crate) async fn open(&self) -> Arc<dyn Store> {
        Arc::new(PostgresStore::open(&self.address()).await.expect("it is there"))
    }

    async fn make_database(&self, name: &str) {
        let mut client = PgConnection::connect(&self.address()).await.expect("it runs");
        run(&mut client, &format!("CREATE DATABASE {name}")).await;
        client.close().await.expect("it ends in peace");
    }

    /// Ends it without a word and starts it again.
    async fn dies_and_starts_again(&mut self) {
        self.child.take().expect("it runs").kill().await.expect("it runs");
        // Its running statements end by themselves, and until then no other server gets the data.
        for _ in 0..100 {
            if self.begins().await {
                return;
            }
        }
        panic!("it does not begin again");
    }
}

#[test]
fn what_a_killed_test_left_is_removed_and_nothing_else() {
    let parent = Folder::new();
    let names = [format!("{FOLDERS}1-0"), format!("{FOLDERS}2-0"), "others".to_owned()];
    let [left, used, others] = names.map(|name| parent.path().join(name));
    for folder in [&left, &used, &others] {
        std::fs::create_dir_all(folder.join("data")).expect("it is new");
    }
    // As the end of a process does.
    drop(own(&left).expect("it can be written"));
    let _owned = own(&used).expect("it can be written");
    drop(own(&others).expect("it can be written"));
    remove_left(parent.path());
    assert!(!left.exists() && used.exists() && others.exists());
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn what_is_due_is_claimed_by_one_server_for_a_while() {
    let postgres = Database::new().await;
    let stores = [postgres.open().await, postgres.open().await, postgres.open().await];
    let names: Vec<String> = (0..30).map(|number| format!("t{number:02}")).collect();
    for name in &names {
        suite::begins_to_work(&*stores[0], name).await;
    }
    let due = async |store: &Arc<dyn Store>, now| {
        let mut due = store.due(DueKind::Resume, Timestamp(now), 64).await.expect("it is read").claimed;
        due.sort_unstable();
        due
    };
    let claims = join_all(stores.iter().map(|store| due(store, 25))).await;
    let mut claimed = claims.concat();
    claimed.sort_unstable();
    assert_eq!(claimed, names, "each once");
    // The server that held them does not hold them any more, and the one that claimed them may end.
    let lease = Lease { holder: suite::HOLDER, until: Timestamp(1_000_000) };
    stores[0].renew(names.clone(), lease).await.expect("it is written");
    assert_eq!(due(&stores[2], 25).await, Vec::<String>::new());
    assert_eq!(due(&stores[2], 100_000).await, names);
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn servers_that_start_at_once_make_the_tables_once() {
    let postgres = Database::new().await;
    let stores = join_all((0..8).map(|_| postgres.open())).await;
    suite::begins_to_work(&*stores[0], "t").await;
    for store in &stores {
        assert_eq!(store.count().await.expect("it is read"), 1);
    }
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn a_database_that_died_and_came_back_has_everything() {
    let mut postgres = Postgres::start().await;
    let store = postgres.open().await;
    suite::begins_to_work(&*store, "t").await;
    postgres.dies_and_starts_again().await;
    // The connection of before is gone, which may take a request to be noticed.
    if store.check().await.is_err() {
        store.check().await.expect("it can commit");
    }
    assert!(store.load("t").await.expect("it is read").is_some());
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn a_database_that_is_not_there_is_told_without_its_password() {
    let opened = PostgresStore::open("postgres://me:secret@127.0.0.1:1/chat").await;
    let error = with_causes(opened.expect_err("nobody listens there"));
    assert!(error.contains("cannot be reached") && !error.contains("secret"), "{error}");
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn what_a_server_works_on_is_its_own_until_its_lease_is_over() {
    let postgres = Database::new().await;
    replicas::is_its_own_until_its_lease_is_over(async || postgres.open().await).await;
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn of_all_replies_at_all_servers_one_wins() {
    let postgres = Database::new().await;
    replicas::one_reply_wins(async || postgres.open().await).await;
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn what_was_acknowledged_is_there_after_every_kill() {
    let postgres = Database::new().await;
    // A lease outlives the server that had it.
    killed::is_there_after_kills(&postgres.address(), &[40, 95]).await;
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn what_people_write_is_in_no_log_that_does_not_ask_for_it() {
    let database = Database::new().await;
    keeps_words_out_of_its_log(&Folder::new(), &database.address()).await;
}

#[tokio::test]
#[ignore = "takes minutes"]
async fn endurance_of_what_was_acknowledged() {
    let postgres = Database::new().await;
    killed::is_there_after_kills(&postgres.address(), &killed::at_random(200)).await;
}

#[tokio::test]
#[ignore = "takes minutes"]
async fn endurance_of_agents_that_go_on() {
    let postgres = Database::new().await;
    killed::goes_on_after_kills_at_each_moment(&postgres.address(), 5).await;
}
