//! `Host` and `Origin` of a request, from pages and under names of all kinds.

use crate::house::{server, server_of};
use crate::http::{call, request, says};
use crate::metrics::check_counted;
use axum::Router;
use axum::http::{HeaderValue, Method, header};
use question_server::Config;
use question_server::guard::Origin;
use uuid::Uuid;

/// The code with which a first message with these headers and no other host is refused.
async fn refusal(server: &Router, headers: &[(&'static str, &str)]) -> Option<String> {
    let mut hello = request(Method::POST, "/agent", Some(says(&Uuid::new_v4().to_string(), "u", "hi")));
    hello.headers_mut().remove(header::HOST);
    for (name, value) in headers {
        hello.headers_mut().append(*name, HeaderValue::from_str(value).expect("a header value"));
    }
    let answer = call(server, hello).await;
    (answer.status != 200).then(|| answer.refusal().1)
}

const HOST: Option<&str> = Some("forbidden_host");
const ORIGIN: Option<&str> = Some("forbidden_origin");

#[tokio::test]
async fn this_machine_is_let_in_under_its_own_names() {
    let server = server();
    for host in ["localhost", "127.0.0.1", "127.0.0.1:8787", "[::1]:8787", "[::1]", "LOCALHOST:1"] {
        assert_eq!(refusal(&server, &[("host", host)]).await, None, "{host}");
    }
    for host in [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:8787",
        "127.0.0.1:x",
        "",
        "[::1",
        "localhost:+1",
        "a b",
    ] {
        assert_eq!(refusal(&server, &[("host", host)]).await.as_deref(), HOST, "{host}");
    }
    assert_eq!(refusal(&server, &[]).await.as_deref(), HOST, "no host at all");
    assert_eq!(refusal(&server, &[("host", "localhost"), ("host", "localhost")]).await.as_deref(), HOST, "two hosts");
    // A target with a host counts as that host.
    for (target, status) in [("http://evil.example/settings.json", 403), ("http://127.0.0.1:1/settings.json", 200)] {
        assert_eq!(call(&server, request(Method::GET, target, None)).await.status, status, "{target}");
    }
}

#[tokio::test]
async fn trunks_proxy_is_let_in_and_the_name_that_the_browser_used_counts() {
    let proxied = [("host", "127.0.0.1"), ("x-forwarded-host", "127.0.0.1:8080"), ("origin", "http://127.0.0.1:8080")];
    assert_eq!(refusal(&server(), &proxied).await, None);
    for forwarded in ["evil.example:8080", "127.0.0.1, evil.example", "evil.example,127.0.0.1", "127.0.0.1,", ", ", ""]
    {
        let rebound = [("host", "127.0.0.1"), ("x-forwarded-host", forwarded)];
        assert_eq!(refusal(&server(), &rebound).await.as_deref(), HOST, "{forwarded}");
    }
}

#[tokio::test]
async fn pages_of_other_origins_are_refused_and_leave_no_trace() {
    let server = server();
    for origin in [
        "null",
        "https://evil.example",
        "http://localhost.evil.example",
        "file://",
        "http://evil.example:8080",
        "http://localhost@evil.example",
    ] {
        let refused = refusal(&server, &[("host", "localhost:8787"), ("origin", origin)]).await;
        assert_eq!(refused.as_deref(), ORIGIN, "{origin}");
    }
    check_counted(&server, "question_server_conversations", 0).await;
    for origin in ["http://localhost:8080", "http://127.0.0.1:1", "http://[::1]:3000", "http://localhost"] {
        assert_eq!(refusal(&server, &[("host", "localhost:8787"), ("origin", origin)]).await, None, "{origin}");
    }
}

#[test]
fn origins_are_written_as_browsers_write_them() {
    for (given, written) in [
        ("https://Agent.Example:443/", "https://agent.example"),
        ("http://agent.example:80", "http://agent.example"),
        ("http://agent.example:8080", "http://agent.example:8080"),
        ("http://[::1]:3000", "http://[::1]:3000"),
    ] {
        let origin: Origin = given.parse().expect("an origin");
        assert_eq!(origin.to_string(), written);
    }
    for given in [
        "agent.example",
        "ws://agent.example",
        "https://agent.example/path",
        "https://agent.example?query",
        "https://user@agent.example",
        "https://*.example",
        "https://agent.example;script-src",
        "https://",
        "*",
    ] {
        assert!(given.parse::<Origin>().is_err(), "{given}");
    }
}

#[tokio::test]
async fn the_servers_own_pages_are_let_in_under_the_names_that_it_has() {
    let public_origins = ["https://chat.example", "http://192.168.1.5:8787", "http://[fd00::5]:8787"];
    let public_origins = public_origins.map(|origin| origin.parse().expect("an origin")).to_vec();
    let bind = "192.168.1.7".parse().expect("an address");
    let server = server_of(&Config { public_origins, bind, ..Config::default() });
    for (host, origin) in [
        ("chat.example:8787", "http://chat.example:8787"),
        ("chat.example", "https://chat.example"),
        ("Chat.Example:443", "https://chat.example"),
        ("192.168.1.5:8787", "http://192.168.1.5:8787"),
        ("[fd00::5]:8787", "http://[fd00::5]:8787"),
        ("192.168.1.7:8787", "http://192.168.1.7:8787"),
    ] {
        assert_eq!(refusal(&server, &[("host", host), ("origin", origin)]).await, None, "{host}");
    }
    let proxied =
        [("host", "127.0.0.1:8787"), ("x-forwarded-host", "chat.example"), ("origin", "https://chat.example")];
    assert_eq!(refusal(&server, &proxied).await, None, "by a proxy on this machine");
    let chain =
        [("host", "127.0.0.1"), ("x-forwarded-host", "chat.example, 192.168.1.5"), ("origin", "https://chat.example")];
    assert_eq!(refusal(&server, &chain).await, None, "by two, of which the second has added its own");
    for (host, origin, code) in [
        ("chat.example:8787", "http://chat.example:9090", ORIGIN),
        ("chat.example:8787", "http://192.168.1.5:8787", ORIGIN),
        ("evil.example", "http://evil.example", HOST),
        ("192.168.1.6", "http://192.168.1.6", HOST),
    ] {
        assert_eq!(refusal(&server, &[("host", host), ("origin", origin)]).await.as_deref(), code, "{host}");
    }
}

#[tokio::test]
async fn an_allowed_origin_is_let_in_exactly() {
    let allow_origins = vec!["http://192.168.1.5:8080".parse().expect("an origin")];
    let server = server_of(&Config { allow_origins, ..Config::default() });
    let page = [("host", "127.0.0.1"), ("x-forwarded-host", "192.168.1.5:8080"), ("origin", "http://192.168.1.5:8080")];
    assert_eq!(refusal(&server, &page).await, None);
    for (other, why) in [("http://192.168.1.5:9090", "another port"), ("https://192.168.1.5:8080", "another scheme")] {
        assert_eq!(refusal(&server, &[("host", "127.0.0.1"), ("origin", other)]).await.as_deref(), ORIGIN, "{why}");
    }
}
