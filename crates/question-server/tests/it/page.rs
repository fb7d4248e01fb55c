//! The built page, from the same origin.

use crate::folder::Folder;
use crate::house::{app, front_desk, parts, server, server_of};
use crate::http::{call, get, get_with, post, request, says, with_headers};
use crate::provider::model_of;
use crate::socket::{start, until_logged};
use axum::Router;
use axum::http::{Method, header};
use question_models::Settings;
use question_server::Config;
use question_server::models::scripted::Scripted;
use question_server::page::Page;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
     connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
     require-trusted-types-for 'script'; trusted-types 'none'";

const SHELL: &str = "/index.html";
const SCRIPT: &str = "/app-0123456789abcdef.js";
const WASM: &str = "/app-0123456789abcdef_bg.wasm";
const STYLE: &str = "/chat.css";
const TINY: &str = "/snippets/tiny.js";
/// The packed copy beside the script; its content is not read.
const BY_BROTLI: &str = "by Brotli";
const BY_GZIP: &str = "by gzip";

/// A folder, and the built page in it, beside a file that nobody may read.
fn built() -> (Folder, PathBuf) {
    let folder = Folder::new();
    let dist = folder.path().join("dist");
    let script = "export const answer = () => 'the same again';\n".repeat(100);
    for (path, content) in [
        (SHELL, "<!doctype html><title>Chat</title>".repeat(9).as_str()),
        (SCRIPT, &script),
        (WASM, &"\0asm".repeat(100)),
        (STYLE, &"body { color: red }".repeat(9)),
        (TINY, "x"),
        (&format!("{SCRIPT}.br"), BY_BROTLI),
        (&format!("{SCRIPT}.gz"), BY_GZIP),
        ("/.stage/index.html", "half a build"),
        ("/../secret.txt", "secret"),
    ] {
        let file = dist.join(&path[1..]);
        let place = file.parent().expect("a file lies in a folder");
        std::fs::create_dir_all(place).expect("the target folder can be written");
        std::fs::write(file, content).expect("the target folder can be written");
    }
    (folder, dist)
}

/// A server with the page, which has read it and does not need its folder any more.
fn server_with_page() -> Router {
    let (_folder, dist) = built();
    server_with(&dist)
}

fn server_with(dist: &Path) -> Router {
    let page = Page::read(dist).expect("the page is there");
    let parts = parts(front_desk()).page(page);
    app(&Config::default(), parts)
}

#[tokio::test]
async fn files_have_their_types_and_every_response_the_strict_headers() {
    let server = server_with_page();
    for (path, status, content_type) in [
        ("/", 200, "text/html; charset=utf-8"),
        (SHELL, 200, "text/html; charset=utf-8"),
        (SCRIPT, 200, "text/javascript; charset=utf-8"),
        (WASM, 200, "application/wasm"),
        (STYLE, 200, "text/css; charset=utf-8"),
        ("/healthz", 200, "application/json"),
        ("/no/such/file", 404, "application/json"),
    ] {
        let answer = get(&server, path).await;
        assert_eq!(answer.status, status, "{path}");
        for (name, value) in [
            ("content-type", content_type),
            ("content-security-policy", CONTENT_SECURITY_POLICY),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(answer.header(name), value, "{path}");
        }
    }
}

#[tokio::test]
async fn an_event_stream_has_those_alone_that_keep_it_from_being_shown() {
    let server = server_with_page();
    let run = post(&server, "/agent", says("t", "u", "hi")).await;
    assert_eq!(run.header("content-type"), "text/event-stream");
    assert_eq!(run.header("x-content-type-options"), "nosniff");
    assert_eq!(run.header("cross-origin-resource-policy"), "same-origin");
    assert_eq!(run.header("cache-control"), "no-store, no-transform");
    assert!(!run.headers.contains_key("content-security-policy"));
    run.events();
}

#[tokio::test]
async fn files_travel_in_the_best_encoding_that_their_client_has() {
    let server = server_with_page();
    for (accepted, encoding, body) in [
        ("gzip, deflate, br, zstd", "br", BY_BROTLI),
        ("gzip;q=1.0, BR;q=0.5", "gzip", BY_GZIP),
        ("gzip, br;q=0", "gzip", BY_GZIP),
        ("gzip", "gzip", BY_GZIP),
    ] {
        let answer = get_with(&server, SCRIPT, &[("accept-encoding", accepted)]).await;
        assert_eq!(answer.header("content-encoding"), encoding, "{accepted}");
        assert_eq!(answer.body, body, "{accepted}");
        assert_eq!(answer.header("vary"), "accept-encoding");
    }
    let plain = get(&server, SCRIPT).await;
    for accepted in ["br; q=0.000, gzip ;q=0", "deflate", "brotli", ""] {
        let answer = get_with(&server, SCRIPT, &[("accept-encoding", accepted)]).await;
        assert!(!answer.headers.contains_key(header::CONTENT_ENCODING));
        assert_eq!(answer.body, plain.body, "{accepted}");
        assert_eq!(answer.header("vary"), "accept-encoding");
    }
    // Without a packed one beside them they travel as they are.
    for path in [STYLE, TINY] {
        let answer = get_with(&server, path, &[("accept-encoding", "gzip, br")]).await;
        assert_eq!(answer.header("content-encoding"), "", "{path}");
        assert_eq!(answer.body, get(&server, path).await.body, "{path}");
    }
}

/// A client whose part or copy is of another build gets the file, since no file has a time and no part is checked.
#[tokio::test]
async fn files_travel_whole_whatever_a_client_has_of_their_past() {
    let server = server_with_page();
    let whole = get(&server, SCRIPT).await;
    for (name, value) in [
        ("range", "bytes=5-9"),
        ("if-modified-since", "Fri, 31 Dec 2199 23:59:59 GMT"),
        ("if-unmodified-since", "Thu, 01 Jan 1970 00:00:00 GMT"),
    ] {
        let answer = get_with(&server, SCRIPT, &[(name, value)]).await;
        assert_eq!((answer.status.as_u16(), &answer.body), (200, &whole.body), "{name}");
    }
    for name in ["last-modified", "accept-ranges"] {
        assert_eq!(whole.header(name), "");
    }
}

/// An edit of a built page shows, even if the packed files beside it are older.
#[tokio::test]
async fn what_was_packed_before_a_file_was_changed_is_not_taken() {
    let (_folder, dist) = built();
    let beside = |ending: &str| dist.join(format!("{}{ending}", &SCRIPT[1..]));
    let time_of = |path: &Path| path.metadata().and_then(|data| data.modified());
    let changed = time_of(&dist.join(&SCRIPT[1..])).expect("a file has a time");
    let age = changed.duration_since(UNIX_EPOCH).expect("it is past");
    let in_seconds = UNIX_EPOCH + Duration::from_secs(age.as_secs());
    for (ending, time) in [(".gz", in_seconds), (".br", UNIX_EPOCH)] {
        std::fs::File::options()
            .write(true)
            .open(beside(ending))
            .and_then(|packed| packed.set_modified(time))
            .expect("a file takes a time");
    }
    let answer = get_with(&server_with(&dist), SCRIPT, &[("accept-encoding", "br, gzip")]).await;
    assert_eq!(answer.header("content-encoding"), "gzip");
    assert_eq!(answer.body, BY_GZIP);
}

#[tokio::test]
async fn files_named_after_their_content_are_cached_for_ever_and_others_revalidated() {
    let server = server_with_page();
    for (path, cache) in [
        ("/", "no-cache"),
        (SHELL, "no-cache"),
        (STYLE, "no-cache"),
        (SCRIPT, "public, max-age=31536000, immutable"),
        (WASM, "public, max-age=31536000, immutable"),
    ] {
        let first = get(&server, path).await;
        assert_eq!(first.header("cache-control"), cache, "{path}");
        let tag = first.header("etag").to_owned();
        for known in [tag.clone(), format!("\"other\", W/{tag}"), "*".to_owned()] {
            let again = get_with(&server, path, &[("if-none-match", &known)]).await;
            assert_eq!(again.status, 304, "{path} {known}");
            assert!(again.body.is_empty());
            assert_eq!(again.header("etag"), tag);
            assert_eq!(again.header("cache-control"), cache);
        }
        let changed = get_with(&server, path, &[("if-none-match", "\"other\"")]).await;
        assert_eq!((changed.status, changed.body), (first.status, first.body));
    }
    let tag = async |accepted| {
        let answer = get_with(&server, SCRIPT, &[("accept-encoding", accepted)]).await;
        answer.header("etag").to_owned()
    };
    assert_ne!(tag("br").await, tag("").await, "other bytes");
    assert_ne!(tag("br").await, tag("gzip").await, "other bytes");
}

#[tokio::test]
async fn a_browser_that_lost_its_cookies_but_not_the_document_gets_a_new_one() {
    let server = server_with_page();
    let tag = get(&server, "/").await.header("etag").to_owned();
    let navigates = [("if-none-match", &*tag), ("sec-fetch-site", "none"), ("accept", "text/html,*/*;q=0.8")];
    let known = get_with(&server, "/", &navigates).await;
    assert_eq!((known.status.as_u16(), known.header("cache-control")), (304, "private, no-cache"));
    assert!(known.header("set-cookie").starts_with("question_owner="), "{known:?}");
    let tag = get(&server, STYLE).await.header("etag").to_owned();
    let loads = [("if-none-match", &*tag), ("sec-fetch-site", "same-origin"), ("accept", "text/css,*/*;q=0.1")];
    let file = get_with(&server, STYLE, &loads).await;
    assert_eq!((file.status.as_u16(), file.header("set-cookie")), (304, ""), "a shared cache may have it");
}

#[tokio::test]
async fn only_names_with_a_hash_are_cached_for_ever() {
    let (_folder, dist) = built();
    let named = ["chat-0123456789abcdef.css", "app-123456789abcdef.js", "app-0123456789abcdef_bg.wasm"];
    let others = [
        "0123456789abcdef.css",
        "app-0123456789ABCDEF.js",
        "photo-20261120.png",
        "app-0123456789abcdef-old.js",
        "app-0123456789abcdef0.js",
    ];
    for name in named.iter().chain(&others) {
        std::fs::write(dist.join(name), name).expect("the target folder can be written");
    }
    let server = server_with(&dist);
    for name in named.iter().chain(&others) {
        let cache = get(&server, &format!("/{name}")).await.header("cache-control").to_owned();
        assert_eq!(cache.contains("immutable"), named.contains(name), "{name}");
    }
}

#[tokio::test]
async fn the_owners_cookie_comes_with_the_document_and_never_with_shared_files() {
    let server = server_with_page();
    for (path, cache) in [
        ("/", "private, no-cache"),
        (SHELL, "private, no-cache"),
        (SCRIPT, "public, max-age=31536000, immutable"),
        (WASM, "public, max-age=31536000, immutable"),
        (STYLE, "no-cache"),
        ("/settings.json", "no-store"),
        ("/conversations/t", "no-store"),
    ] {
        let answer = get_with(&server, path, &[("sec-fetch-site", "same-origin")]).await;
        assert_eq!(answer.header("cache-control"), cache, "{path}");
        let is_given = answer.headers.contains_key(header::SET_COOKIE);
        let is_for_all = [SCRIPT, WASM, STYLE].contains(&path);
        assert_ne!(is_given, is_for_all, "{path}");
    }
    let run = request(Method::POST, "/agent", Some(says("t", "u", "hi")));
    let run = call(&server, with_headers(run, &[("sec-fetch-site", "same-origin")])).await;
    assert!(run.headers.contains_key(header::SET_COOKIE));
    assert_eq!(run.header("cache-control"), "no-store, no-transform");
}

#[tokio::test]
async fn a_file_has_the_name_that_its_address_spells() {
    let (_folder, dist) = built();
    for name in ["a b.js", "100%.txt", "\u{fc}.css", "a%20c.js"] {
        std::fs::write(dist.join(name), name).expect("the target folder can be written");
    }
    let server = server_with(&dist);
    for (path, name) in [
        ("/a%20b.js", "a b.js"),
        ("/100%25.txt", "100%.txt"),
        ("/%C3%BC.css", "\u{fc}.css"),
        ("/%63hat.css", "chat.css"),
        ("/a%2520c.js", "a%20c.js"),
    ] {
        let answer = get(&server, path).await;
        assert_eq!(answer.status, 200, "{path}");
        assert!(name == "chat.css" || answer.body == name, "{path}");
    }
    for path in ["/a%20c.js", "/%ff", "/%2e%2e%2fsecret.txt", "/%"] {
        assert_eq!(get(&server, path).await.status, 404, "{path}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn links_do_not_lead_out_of_the_page() {
    use std::os::unix::fs::symlink;
    let (_folder, dist) = built();
    let link = |to: &str, name: &str| {
        symlink(to, dist.join(name)).expect("the target folder can be written");
    };
    link("../secret.txt", "link.txt");
    link("..", "up");
    link("../secret.txt", "chat.css.br");
    link("chat.css", "inside.css");
    let server = server_with(&dist);
    for path in ["/link.txt", "/up/secret.txt"] {
        assert_eq!(get(&server, path).await.status, 404, "{path}");
    }
    assert_eq!(get(&server, "/inside.css").await.status, 200);
    let packed = get_with(&server, STYLE, &[("accept-encoding", "br")]).await;
    assert_ne!(packed.body, "secret");
}

#[tokio::test]
async fn a_head_request_gets_the_head_alone() {
    let server = server_with_page();
    let whole = get(&server, SCRIPT).await;
    let head = call(&server, request(Method::HEAD, SCRIPT, None)).await;
    assert_eq!((head.status, head.body.len()), (whole.status, 0));
    assert_eq!(head.header("content-length"), whole.body.len().to_string());
}

#[tokio::test]
async fn nothing_but_the_page_is_served() {
    let server = server_with_page();
    for path in [
        "/../secret.txt",
        "/..%2fsecret.txt",
        "/%2e%2e/secret.txt",
        "/..%5csecret.txt",
        "//secret.txt",
        "/.stage/index.html",
        "/snippets",
        "/snippets/",
        "/no/such/page",
        "/%00",
    ] {
        let refused = get(&server, path).await.refusal();
        assert_eq!(refused, (404, "not_found".to_owned()), "{path}");
    }
    let refused = post(&server, SHELL, json!({})).await.refusal();
    assert_eq!(refused, (405, "method_not_allowed".to_owned()));
}

#[tokio::test]
async fn the_page_may_talk_to_the_agents_that_the_operator_allows_and_learns_which() {
    let agents = ["https://agent.example", "http://localhost:9000"];
    let server = server_of(&Config {
        allow_agents: agents.map(|agent| agent.parse().expect("an origin")).to_vec(),
        ..Config::default()
    });
    let settings = get(&server, "/settings.json").await;
    assert_eq!(settings.json(), json!({"allowAgents": agents, "profile": "chat"}));
    assert_eq!(settings.header("cache-control"), "no-store");
    let allowed = CONTENT_SECURITY_POLICY
        .replace("connect-src 'self'", "connect-src 'self' https://agent.example http://localhost:9000");
    assert_eq!(settings.header("content-security-policy"), allowed);
}

#[tokio::test]
async fn the_page_may_name_its_worker_where_browsers_are_told_of_questions() {
    let contact = Some("mailto:admin@chat.example".parse().expect("it is one"));
    let settings = get(&server_of(&Config { web_push: contact, ..Config::default() }), "/settings.json").await;
    assert_eq!(settings.json()["webPush"], true);
    let allowed = CONTENT_SECURITY_POLICY.replace("trusted-types 'none'", "trusted-types web-push");
    assert_eq!(settings.header("content-security-policy"), allowed);
}

#[tokio::test]
async fn the_page_learns_what_the_agent_is_called() {
    let openai =
        || model_of("openai", Settings { base_url: "http://127.0.0.1:1/v1".to_owned(), ..Settings::default() });
    let named = |name: Option<&str>| Config { name: name.map(str::to_owned), ..Config::default() };
    for (server, told) in [
        (app(&named(None), parts(front_desk())), None),
        (app(&named(Some("Garage")), parts(front_desk())), Some("Garage")),
        (app(&named(None), parts(Scripted::coding_desk(Duration::ZERO))), Some("Coding desk")),
        (app(&named(None), parts(openai())), Some("Assistant")),
        (app(&named(Some("Ada")), parts(openai())), Some("Ada")),
    ] {
        let settings = get(&server, "/settings.json").await.json();
        assert_eq!(settings.get("name").and_then(|name| name.as_str()), told);
    }
}

#[tokio::test]
async fn a_program_that_lies_unpacked_is_told_of_in_the_log() {
    let (_folder, dist) = built();
    let dist = dist.to_str().expect("the target folder's name is text");
    let (mut child, _) = start(&["--port", "0", "--page", dist]).await;
    until_logged(&mut child, "has no NAME.br beside it").await;
}

#[tokio::test]
async fn a_script_that_the_policy_refuses_is_told_of_in_the_log() {
    let (_folder, dist) = built();
    let inline = r#"<script src="boot.js"></script><SCRIPT type="module">import init from "/app.js"; init();</SCRIPT>"#;
    std::fs::write(dist.join("index.html"), inline).expect("there is room");
    let dist = dist.to_str().expect("the target folder's name is text");
    let (mut child, _) = start(&["--port", "0", "--page", dist]).await;
    until_logged(&mut child, "index.html has an inline script, which the server's policy refuses").await;
}

#[tokio::test]
async fn a_server_without_a_page_tells_a_browser_so_and_a_program_as_ever() {
    let server = server();
    let visit = with_headers(request(Method::GET, "/", None), &[("accept", "text/html,application/xhtml+xml;q=0.9")]);
    let shown = call(&server, visit).await;
    assert_eq!((shown.status.as_u16(), shown.header("content-type")), (200, "text/html; charset=utf-8"));
    let text = String::from_utf8_lossy(&shown.body);
    assert!(text.contains("no page") && text.contains("--page DIR"), "{text}");
    let program = get(&server, "/").await;
    assert_eq!((program.status.as_u16(), program.json()["code"].as_str()), (404, Some("not_found")));
}
