//! The built page, from the same origin.

use crate::visitor::{get, post};
use axum::Router;
use axum::http::header;
use question_server::models::front_desk::FrontDesk;
use question_server::store::MemoryStore;
use question_server::{Config, app};
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A built page in a directory that goes with it, beside a file that nobody may read.
struct Page {
    root: PathBuf,
}

impl Page {
    fn build() -> Self {
        let root = std::env::temp_dir().join(format!("question-server-{}", uuid::Uuid::new_v4()));
        let dist = root.join("dist");
        std::fs::create_dir_all(dist.join("snippets"))
            .expect("the temporary directory can be written");
        for (path, content) in [
            ("dist/index.html", "<!doctype html><title>Chat</title>"),
            ("dist/app-0123456789abcdef.js", "export {};"),
            ("dist/app-0123456789abcdef_bg.wasm", "\0asm"),
            ("dist/chat.css", "body {}"),
            ("secret.txt", "secret"),
        ] {
            std::fs::write(root.join(path), content)
                .expect("the temporary directory can be written");
        }
        Self { root }
    }

    fn server(&self) -> Router {
        let config = Config {
            page: Some(self.root.join("dist")),
            ..Config::default()
        };
        let model = Arc::new(FrontDesk::new(Duration::ZERO));
        app(
            &config,
            Arc::new(MemoryStore::default()),
            model,
            CancellationToken::new(),
        )
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // What is left behind lies in the temporary directory.
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

#[tokio::test]
async fn files_have_their_types_and_every_response_the_strict_headers() {
    let page = Page::build();
    let server = page.server();
    for (path, content_type) in [
        ("/", "text/html"),
        ("/index.html", "text/html"),
        ("/app-0123456789abcdef.js", "text/javascript"),
        ("/app-0123456789abcdef_bg.wasm", "application/wasm"),
        ("/chat.css", "text/css"),
        ("/healthz", "application/json"),
    ] {
        let answer = get(&server, path).await;
        assert_eq!(answer.status, 200, "{path}");
        let found = answer.headers[header::CONTENT_TYPE]
            .to_str()
            .expect("it is text");
        assert!(found.starts_with(content_type), "{path}: {found}");
        let policy = answer.headers[header::CONTENT_SECURITY_POLICY]
            .to_str()
            .expect("it is text");
        for part in [
            "default-src 'none'",
            "script-src 'self' 'wasm-unsafe-eval'",
            "connect-src 'self'",
            "frame-ancestors 'none'",
            "trusted-types 'none'",
        ] {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert!(
            !policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'"),
            "{policy}"
        );
        assert_eq!(answer.headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
        assert_eq!(answer.headers[header::REFERRER_POLICY], "no-referrer");
    }
}

#[tokio::test]
async fn nothing_outside_of_the_page_is_served() {
    let page = Page::build();
    let server = page.server();
    for path in [
        "/../secret.txt",
        "/..%2fsecret.txt",
        "/%2e%2e/secret.txt",
        "/..%5csecret.txt",
        "//secret.txt",
        "/snippets",
        "/no/such/page",
        "/%00",
    ] {
        let answer = get(&server, path).await;
        assert_ne!(answer.status, 200, "{path}");
        assert!(!answer.body.starts_with(b"secret"), "{path}");
    }
    assert_eq!(
        get(&server, "/no/such/page").await.refusal(),
        (404, "not_found".to_owned())
    );
}

#[tokio::test]
async fn the_agent_is_at_the_same_origin() {
    let page = Page::build();
    let input = json!({"threadId": "t", "runId": "r", "messages": [{"id": "u", "role": "user", "content": "hi"}]});
    let answer = post(&page.server(), "/agent", input).await;
    assert_eq!(answer.headers[header::CACHE_CONTROL], "no-store");
    answer.events();
}
