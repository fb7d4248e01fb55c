//! The store behind the trait, in memory and on disk.

use crate::folder::Folder;
use crate::house::over_each_store;
use crate::socket::binary;
use crate::store::with_causes;
#[cfg(target_os = "linux")]
use crate::{
    crowds::limit,
    socket::{check_run, listening, say_hello},
};
use futures_util::future::join_all;
use question_server::store::suite::{
    answered_in_chat, begins_to_work, check_commits, check_conflicts, check_deletion, check_due, check_entries,
    check_files, check_push, check_webhooks, play, revision_of, says,
};
use question_server::store::{Revision, SqliteStore, Store};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _};
use std::sync::Arc;
use std::time::{Duration, Instant};
#[cfg(target_os = "linux")]
use tokio::process::Command;
use tokio::time::timeout;

pub(crate) async fn each_store(check: impl AsyncFn(Arc<dyn Store>)) {
    check(Arc::new(SqliteStore::in_memory())).await;
    let folder = Folder::new();
    check(Arc::new(SqliteStore::open(&folder.file()).await.expect("it is new"))).await;
}

over_each_store!(what_is_committed_is_read_again: check_commits);
over_each_store!(of_many_who_decide_on_the_same_grounds_one_is_taken: check_conflicts);
over_each_store!(what_is_told_is_stored_with_its_commit: check_entries);
over_each_store!(what_is_deleted_is_gone: check_deletion);
over_each_store!(what_nobody_works_on_and_what_has_expired_is_claimed_by_one: check_due);
over_each_store!(a_file_is_stored_within_its_room_and_gone_with_its_conversation: check_files);
over_each_store!(a_webhook_is_stored_with_its_commit_and_claimed_by_one: check_webhooks);
over_each_store!(a_browser_is_one_owners_and_a_secret_never_changes: check_push);

#[cfg(unix)]
#[tokio::test]
async fn a_file_that_was_taken_away_takes_nothing_more() {
    let folder = Folder::new();
    let store = SqliteStore::open(&folder.file()).await.expect("it is new");
    begins_to_work(&store, "t").await;
    let elsewhere = folder.path().join("elsewhere");
    std::fs::rename(folder.file(), &elsewhere).expect("it is there");
    let error = with_causes(store.check().await.expect_err("it is gone"));
    assert!(error.contains(&folder.file_name()) && error.contains("moved or deleted"), "{error}");
    std::fs::write(folder.file(), "another").expect("there is a disk");
    store.check().await.expect_err("it is another");
    std::fs::rename(elsewhere, folder.file()).expect("it is there");
    store.check().await.expect("it can commit");
    std::fs::remove_file(folder.file()).expect("it is there");
    store.delete("t", Revision(1)).await.expect_err("nobody finds that again");
}

#[cfg(unix)]
#[tokio::test]
async fn the_file_is_for_its_user_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    let store = SqliteStore::open(&folder.file()).await.expect("it is new");
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
    let store = SqliteStore::open(&folder.file()).await.expect("it is new");
    // At once, so that they share the waits for the disk.
    let names: Vec<String> = (0..100).map(|number| format!("t{number}")).collect();
    join_all(names.iter().map(|name| play(&store, name, None, answered_in_chat()))).await;
    drop(store);
    // It closes the file in a task of its own, which empties the log.
    let log = std::path::PathBuf::from(folder.file_name() + "-wal");
    while log.exists() {
        tokio::task::yield_now().await;
    }
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
#[tokio::test]
async fn a_file_with_two_names_is_refused_under_both() {
    let folder = Folder::new();
    drop(SqliteStore::open(&folder.file()).await.expect("it is new"));
    let other = folder.path().join("other.sqlite");
    std::fs::hard_link(folder.file(), &other).expect("there is a disk");
    for name in [&folder.file(), &other] {
        let error = with_causes(SqliteStore::open(name).await.expect_err("another server may have it"));
        assert!(error.contains("hard links"), "{error}");
    }
    std::fs::remove_file(other).expect("it is there");
    SqliteStore::open(&folder.file()).await.expect("it has one name");
}

#[tokio::test]
async fn what_is_deleted_is_in_no_file_any_more() {
    let folder = Folder::new();
    let store = SqliteStore::open(&folder.file()).await.expect("it is new");
    play(&store, "a-name-to-look-for", None, vec![says("a-name-to-look-for")]).await;
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
    assert!(store.delete("a-name-to-look-for", revision).await.expect("it is read"));
    assert_eq!(has_it(), 0, "while the server goes on");
    drop(store);
    assert_eq!(has_it(), 0, "after its end");
}

#[tokio::test]
async fn of_two_backups_to_one_name_one_is_whole_and_one_is_refused() {
    let folder = Folder::new();
    let store = SqliteStore::open(&folder.file()).await.expect("it is new");
    begins_to_work(&store, "t").await;
    let (from, to) = (folder.file(), folder.path().join("copy.sqlite"));
    let done = join_all((0..8).map(|_| SqliteStore::back_up(&from, &to))).await;
    let (taken, refused): (Vec<_>, Vec<_>) = done.into_iter().partition(Result::is_ok);
    assert_eq!((taken.len(), refused.len()), (1, 7));
    assert!(refused.into_iter().all(|why| why.is_err_and(|why| with_causes(why).contains("exists"))));
    let left = std::fs::read_dir(folder.path()).expect("it is there").flatten();
    let left: Vec<_> = left.filter(|file| file.path().extension().is_some_and(|end| end == "part")).collect();
    assert!(left.is_empty(), "{left:?}");
    let copy = SqliteStore::open(&to).await.expect("it is whole");
    assert!(copy.load("t").await.expect("it is read").is_some());
}

/// A connection of another program.
async fn database(folder: &Folder) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(folder.file()).create_if_missing(true);
    options.connect().await.expect("it can be written")
}

#[tokio::test]
async fn files_of_other_versions_and_of_other_programs_are_refused() {
    const LATER: &str = "INSERT INTO _sqlx_migrations VALUES (99, 'later', 0, true, x'00', 0)";
    for (is_ours, change, why) in [
        (true, LATER, "a newer version"),
        (true, "DROP TABLE _sqlx_migrations", "move it away"),
        (false, "CREATE TABLE theirs (x)", "another program"),
    ] {
        let folder = Folder::new();
        std::fs::create_dir_all(folder.file().parent().expect("it lies in a folder")).expect("there is a disk");
        if is_ours {
            drop(SqliteStore::open(&folder.file()).await.expect("it is new"));
        }
        let mut changed = database(&folder).await;
        sqlx::raw_sql(change).execute(&mut changed).await.expect("it is SQL");
        changed.close().await.expect("it is written");
        let error = with_causes(SqliteStore::open(&folder.file()).await.expect_err(why));
        assert!(error.contains(&folder.file_name()) && error.contains(why), "{error}");
    }
}

#[tokio::test]
async fn a_program_that_locks_the_file_keeps_many_changes_waiting_no_longer_than_one() {
    let folder = Folder::new();
    let store = SqliteStore::open(&folder.file()).await.expect("it is new");
    let mut other = database(&folder).await;
    sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut other).await.expect("nobody writes");
    let before = Instant::now();
    for refused in join_all((0..8).map(|_| store.check())).await {
        let error = with_causes(refused.expect_err("it is locked"));
        assert!(error.contains("another program"), "{error}");
    }
    // The first one waits by itself, and the others behind it together.
    assert!(before.elapsed() < Duration::from_secs(15), "{:?}", before.elapsed());
    sqlx::raw_sql("ROLLBACK").execute(&mut other).await.expect("it has the lock");
    store.check().await.expect("it can commit");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_disk_that_was_full_takes_changes_again() {
    let folder = Folder::new();
    let mut command = Command::new("sh");
    // Where the limit of a file's length is reached, a write fails, as on a full disk.
    command.args(["-c", "trap '' XFSZ; exec \"$0\" --port 0 --pace 0 --database \"$1\""]);
    command.args([env!("CARGO_BIN_EXE_question-server"), &folder.file_name()]).kill_on_drop(true);
    let (child, address) = listening(command).await;
    limit(&child, "fsize", "4096").await;
    for _ in 0..2 {
        let refused = say_hello(address).await;
        assert!(refused.starts_with("HTTP/1.0 503") && refused.contains("store_failed"), "{refused}");
    }
    limit(&child, "fsize", "unlimited").await;
    check_run(&say_hello(address).await);
}

#[tokio::test]
async fn a_backup_under_way_holds_back_a_deletion_alone() {
    let folder = Folder::new();
    let store = SqliteStore::open(&folder.file()).await.expect("it is new");
    for id in ["t", "other"] {
        begins_to_work(&store, id).await;
    }
    let mut reader = database(&folder).await;
    sqlx::raw_sql("BEGIN; SELECT count(*) FROM conversation").execute(&mut reader).await.expect("it is read");
    let revision = store.load("t").await.expect("it is read").expect("it is there").revision;
    assert!(store.delete("t", revision).await.expect("it is read"));
    let before = Instant::now();
    for _ in 0..3 {
        store.check().await.expect("it can commit");
    }
    assert!(before.elapsed() < Duration::from_secs(4), "{:?}", before.elapsed());
    drop(reader);
}
