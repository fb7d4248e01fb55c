//! A copy of the database, taken while a server works with it.

use crate::folder::Folder;
use crate::socket::{binary, get, hello_until, start};
use std::path::Path;

/// Runs the command and gives whether it went well, and what it said.
async fn back_up(database: &str, to: &Path) -> (bool, String) {
    let to = to.to_str().expect("the target folder's name is text");
    let output = binary(&["backup", to, "--database", database]).output().await.expect("the binary starts");
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[tokio::test]
async fn a_backup_has_all_acknowledged_commits_and_is_a_whole_database() {
    let folder = Folder::new();
    let database = folder.file_name();
    let quietly = |file| ["--port", "0", "--pace", "0", "--log", "off", "--database", file];
    let (_server, address) = start(&quietly(&database)).await;
    for number in 0..20 {
        hello_until(address, &format!("t{number}"), "RUN_FINISHED").await;
    }
    let copy = folder.path().join("copy.sqlite");
    // Others talk meanwhile.
    let talking = tokio::spawn(async move {
        for number in 20..40 {
            hello_until(address, &format!("t{number}"), "RUN_FINISHED").await;
        }
    });
    assert_eq!(back_up(&database, &copy).await, (true, String::new()));
    talking.await.expect("nobody is kept from talking");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = copy.metadata().expect("it is there").permissions().mode();
        assert_eq!(mode & 0o077, 0, "it is for its user alone");
    }
    // It replaces nothing.
    let (went_well, said) = back_up(&database, &copy).await;
    assert!(!went_well && said.contains("exists"), "{said}");

    let (_second, address) = start(&quietly(copy.to_str().expect("it is text"))).await;
    for number in 0..20 {
        let found = get(address, &format!("/conversations/t{number}")).await;
        assert!(found.starts_with("HTTP/1.0 200") && found.contains("awaiting_user_response"), "{found}");
    }
}

#[tokio::test]
async fn what_is_no_database_of_ours_is_not_copied() {
    let folder = Folder::new();
    let copy = folder.path().join("copy.sqlite");
    let (went_well, said) = back_up(&folder.file_name(), &copy).await;
    assert!(!went_well && said.contains(&folder.file_name()), "{said}");
    assert!(!folder.file().exists() && !copy.exists());
    std::fs::create_dir_all(folder.path()).expect("there is a disk");
    let diary = folder.path().join("diary");
    std::fs::write(&diary, "Dear diary, ".repeat(1_000)).expect("there is a disk");
    let (went_well, said) = back_up(diary.to_str().expect("it is text"), &copy).await;
    assert!(!went_well && said.contains("no database"), "{said}");
    assert!(std::fs::read_dir(folder.path()).expect("it is there").count() == 1, "nothing is left behind");
    for (database, expected) in [("memory", "--database"), ("postgres://u:secret@h/n", "pg_dump")] {
        let (went_well, said) = back_up(database, &copy).await;
        assert!(!went_well && said.contains(expected) && !said.contains("secret"), "{said}");
    }
}
