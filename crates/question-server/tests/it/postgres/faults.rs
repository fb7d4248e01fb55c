//! A database that starts late, falls silent, refuses to write, or is set up by somebody else.

use super::{Database, Postgres, run};
use crate::house::{app, front_desk, parts};
use crate::http::{get, post, says};
use crate::replicas::until_idle;
use crate::script::{Line, Script};
use crate::socket::{binary, listening};
use crate::store::with_causes;
use crate::watcher::until_state;
use axum::Router;
use question_server::clock::Clock;
use question_server::store::{PostgresStore, Store, suite};
use question_server::{Config, Drain};
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, UnixStream};
use tokio::sync::watch;
use tokio::time::timeout;

/// For what would never end.
const LONG: Duration = Duration::from_secs(60);

/// A network between server and database that may let nothing through any more.
struct Network {
    port: u16,
    /// The number of silences, and true during one.
    silence: watch::Sender<(u32, bool)>,
}

impl Network {
    async fn to(database: &Database) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let port = listener.local_addr().expect("it is bound").port();
        let silence = watch::Sender::new((0, false));
        let (socket, silences) = (database.postgres.folder.join(".s.PGSQL.5432"), silence.clone());
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let (socket, mut silence) = (socket.clone(), silences.subscribe());
                tokio::spawn(async move {
                    until(&mut silence, |(_, is_silent)| !is_silent).await;
                    let (before, _) = *silence.borrow();
                    let mut server = UnixStream::connect(socket).await.expect("it listens");
                    tokio::select! {
                        _ = copy_bidirectional(&mut client, &mut server) => {}
                        // An open connection then stays silent for ever.
                        () = until(&mut silence, |(times, _)| times > before) => std::future::pending().await,
                    }
                });
            }
        });
        Self { port, silence }
    }

    fn falls_silent(&self) {
        self.silence.send_modify(|(times, is_silent)| (*times, *is_silent) = (*times + 1, true));
    }

    fn lets_through(&self) {
        self.silence.send_modify(|(_, is_silent)| *is_silent = false);
    }

    fn address(&self, database: &Database) -> String {
        format!("postgres://asker@127.0.0.1:{}/{}", self.port, database.name)
    }
}

async fn until(silence: &mut watch::Receiver<(u32, bool)>, is_so: impl Fn((u32, bool)) -> bool) {
    silence.wait_for(|now| is_so(*now)).await.map(drop).expect("the test goes on");
}

async fn server_of(store: PostgresStore) -> Router {
    app(&Config::default(), parts(front_desk()).store(Arc::new(store)))
}

/// Runs statements as the database's owner.
async fn runs(database: &Database, sql: &str) {
    run(&mut database.client().await, sql).await;
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn a_database_that_falls_silent_is_waited_for_some_seconds() {
    let database = Database::new().await;
    let network = Network::to(&database).await;
    let server = server_of(PostgresStore::open(&network.address(&database)).await.expect("it is there")).await;
    post(&server, "/agent", says("t", "u", "hi")).await.events();
    until_state(&server, "t", "awaiting_user_response").await;
    network.falls_silent();
    let all = async {
        let reply = json!({"answers": {}});
        let (answered, read, ready) = tokio::join!(
            post(&server, "/conversations/t/respond", reply),
            get(&server, "/conversations/t"),
            get(&server, "/readyz")
        );
        assert_eq!(get(&server, "/healthz").await.status, 200, "the process is well");
        assert_eq!((answered.refusal().0, read.refusal().0), (503, 503));
        assert_eq!(ready.status, 503);
    };
    timeout(LONG, all).await.expect("each wait has an end");
    // The connections on which nothing came are not used again.
    network.lets_through();
    assert_eq!(get(&server, "/conversations/t").await.status, 200);
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn a_subscription_that_falls_silent_is_made_anew() {
    let database = Database::new().await;
    let network = Network::to(&database).await;
    let store = PostgresStore::open(&network.address(&database)).await.expect("it is there");
    let mut heard = store.subscribe().expect("other servers may have it");
    let begins = futures_util::StreamExt::next(&mut heard).await;
    assert_eq!(begins, Some(None));
    network.falls_silent();
    network.lets_through();
    let again = timeout(LONG, futures_util::StreamExt::next(&mut heard)).await.expect("it is noticed");
    assert_eq!(again, Some(None));
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn a_server_that_stops_lets_another_go_on_at_once() {
    let database = Database::new().await;
    let hangs = Script::new([vec![Line::Waits, Line::Hangs]]);
    let drain = Drain::default();
    let parts = |model: &Script| parts(model.clone());
    let first = parts(&hangs).store(database.open().await).drain(drain.clone());
    let first = app(&Config::default(), first);
    let goes_on = Script::new([vec![Line::Says("Here I am.")]]);
    let second = app(&Config::default(), parts(&goes_on).store(database.open().await));
    let run = crate::http::start(&first, "/agent", says("t", "u", "go"));
    hangs.waits().await;
    drain.run(Duration::ZERO).await;
    let (_, end) = run.await.expect("it is told").events();
    assert_eq!(end.error.as_ref().map(|error| error.code()), Some("server_stopped"));
    until_idle(&[second], "t").await;
    assert_eq!(goes_on.times_asked(), 1);
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn a_server_waits_for_a_database_that_starts() {
    let mut postgres = Postgres::start().await;
    let address = postgres.address();
    postgres.child.take().expect("it runs").kill().await.expect("it runs");
    let opening = tokio::spawn(async move { PostgresStore::open_within(&address, LONG).await });
    for _ in 0..100 {
        if postgres.begins().await {
            break;
        }
    }
    let store = opening.await.expect("it does not panic").expect("it came up");
    assert_eq!(store.count().await.expect("it is read"), 0);
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn tables_of_other_versions_are_refused() {
    const LATER: &str = "INSERT INTO question_server._sqlx_migrations VALUES (99, 'later', now(), true, '', 0)";
    for (change, why) in [
        (LATER, "a newer version"),
        ("CREATE TABLE question_server.migration (version integer PRIMARY KEY)", "rename it or drop it"),
    ] {
        let database = Database::new().await;
        drop(database.open().await);
        runs(&database, change).await;
        let error = with_causes(PostgresStore::open(&database.address()).await.expect_err(why));
        assert!(error.contains(why), "{error}");
    }
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn a_role_that_may_make_nothing_starts_on_tables_that_are_there() {
    let database = Database::new().await;
    drop(database.open().await);
    let name = &database.name;
    runs(
        &database,
        &format!(
            "CREATE ROLE {name}_user LOGIN; REVOKE CREATE ON DATABASE {name} FROM PUBLIC;
             GRANT USAGE ON SCHEMA question_server TO {name}_user;
             GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA question_server TO {name}_user;"
        ),
    )
    .await;
    let address = database.address().replace("asker", &format!("{name}_user"));
    let store = PostgresStore::open(&address).await.expect("everything is there");
    suite::begins_to_work(&store, "t").await;
    store.check().await.expect("it can commit");
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn a_database_that_is_set_to_strict_isolation_takes_what_comes_at_once() {
    let database = Database::new().await;
    let name = &database.name;
    runs(&database, &format!("ALTER DATABASE {name} SET default_transaction_isolation = 'serializable'")).await;
    suite::check_conflicts(database.open().await).await;
    let server = server_of(PostgresStore::open(&database.address()).await.expect("it is there")).await;
    let runs = (0..32).map(|number| {
        let server = server.clone();
        tokio::spawn(async move { post(&server, "/agent", says(&format!("t{number}"), "u", "hi")).await.events() })
    });
    for run in futures_util::future::join_all(runs).await {
        assert!(run.expect("it answers").1.error.is_none());
    }
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn a_server_whose_database_takes_no_commit_is_not_ready() {
    let database = Database::new().await;
    let server = server_of(PostgresStore::open(&database.address()).await.expect("it is there")).await;
    let ready = async || get(&server, "/readyz").await.status;
    assert_eq!(ready().await, 200);
    // As a full disk does.
    let refuse = "
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'could not extend file'; END $$;
        CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON question_server.readiness EXECUTE FUNCTION refuse();";
    runs(&database, refuse).await;
    while ready().await != 503 {
        tokio::task::yield_now().await;
    }
    assert_eq!(get(&server, "/healthz").await.status, 200);
}

/// A pooler of one session, which each transaction has for itself.
async fn pooler(database: &Database) -> u16 {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let port = listener.local_addr().expect("it is bound").port();
    let socket: PathBuf = database.postgres.folder.join(".s.PGSQL.5432");
    let session = Arc::new(tokio::sync::Mutex::new(None::<(UnixStream, Vec<u8>)>));
    /// The database's messages until it is ready for the next statement, and true if it is in a transaction then.
    async fn answer(server: &mut UnixStream) -> (Vec<u8>, bool) {
        let mut all = Vec::new();
        loop {
            let mut head = [0; 5];
            server.read_exact(&mut head).await.expect("it answers");
            let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
            let mut body = vec![0; length - 4];
            server.read_exact(&mut body).await.expect("it answers");
            all.extend_from_slice(&head);
            all.extend_from_slice(&body);
            if head[0] == b'Z' {
                return (all, body != b"I");
            }
        }
    }
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let (session, socket) = (Arc::clone(&session), socket.clone());
            tokio::spawn(async move {
                let mut said = vec![0; 16 << 10];
                let length = client.read(&mut said).await.expect("it says who it is");
                let mut shared = Arc::clone(&session).lock_owned().await;
                if shared.is_none() {
                    let mut server = UnixStream::connect(socket).await.expect("it listens");
                    server.write_all(&said[..length]).await.expect("it reads");
                    let welcome = answer(&mut server).await.0;
                    *shared = Some((server, welcome));
                }
                let welcome = shared.as_ref().map(|shared| shared.1.clone()).expect("it is open");
                client.write_all(&welcome).await.expect("it reads");
                drop(shared);
                let mut held = None;
                while let Ok(length @ 1..) = client.read(&mut said).await {
                    let mut shared = match held.take() {
                        Some(shared) => shared,
                        None => Arc::clone(&session).lock_owned().await,
                    };
                    let (server, _) = shared.as_mut().expect("it is open");
                    if said[0] == b'X' || server.write_all(&said[..length]).await.is_err() {
                        return;
                    }
                    let (answered, is_within) = answer(server).await;
                    client.write_all(&answered).await.expect("it reads");
                    held = is_within.then_some(shared);
                }
            });
        }
    });
    port
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn a_pooler_that_shares_sessions_is_refused_at_the_start() {
    let database = Database::new().await;
    let address = format!("postgres://asker@127.0.0.1:{}/{}", pooler(&database).await, database.name);
    let opened = timeout(LONG, PostgresStore::open(&address)).await.expect("it has an end");
    let error = with_causes(opened.expect_err("sessions are shared"));
    assert!(error.contains("session mode"), "{error}");
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn servers_go_by_the_clock_of_their_database() {
    let database = Database::new().await;
    let store = PostgresStore::open(&database.address()).await.expect("it is there");
    let clock: Arc<dyn Clock> = store.clock().expect("it has one");
    let mut client = database.client().await;
    let sql = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint";
    let before = clock.now().0;
    let theirs: i64 = sqlx::query_scalar(sql).fetch_one(&mut client).await.expect("it answers");
    let theirs = u64::try_from(theirs).expect("it is after 1970");
    assert!(before <= theirs + 500 && theirs <= clock.now().0 + 500, "{before} {theirs}");
    // The binary uses it: a lease that it takes is by that clock.
    let (child, _) = listening(binary(&["--port", "0", "--log", "off", "--database", &database.address()])).await;
    drop(child);
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn a_primary_that_became_read_only_is_left_for_one_that_writes() {
    let database = Database::new().await;
    drop(database.open().await);
    let name = &database.name;
    // As a primary that was demoted without closing its sessions, and then the new one at the same address.
    runs(&database, &format!("ALTER DATABASE {name} SET default_transaction_read_only = on")).await;
    let store = PostgresStore::open(&database.address()).await.expect("everything is there");
    let reads = futures_util::future::join_all((0..8).map(|_| store.count())).await;
    assert!(reads.iter().all(Result::is_ok), "its sessions are open, and read");
    // A statement is a transaction, which is read-only from its beginning.
    let reset = [
        "SET default_transaction_read_only = off".to_owned(),
        format!("ALTER DATABASE {name} RESET default_transaction_read_only"),
    ];
    let mut owner = database.client().await;
    for statement in reset {
        run(&mut owner, &statement).await;
    }
    let refused = store.check().await.expect_err("an old session refuses");
    assert!(with_causes(refused).contains("read-only"));
    store.check().await.expect("it can commit");
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn a_balancer_that_closes_while_its_database_is_away_is_waited_for() {
    let database = Database::new().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let port = listener.local_addr().expect("it is bound").port();
    let socket = database.postgres.folder.join(".s.PGSQL.5432");
    tokio::spawn(async move {
        for number in 0.. {
            let (mut client, _) = listener.accept().await.expect("it listens");
            if number < 3 {
                drop(client);
                continue;
            }
            let mut server = UnixStream::connect(&socket).await.expect("it listens");
            tokio::spawn(async move { copy_bidirectional(&mut client, &mut server).await });
        }
    });
    let address = format!("postgres://asker@127.0.0.1:{port}/{}", database.name);
    let store = PostgresStore::open_within(&address, LONG).await.expect("it came up");
    assert_eq!(store.count().await.expect("it is read"), 0);
}
