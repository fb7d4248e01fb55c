//! Browsers are told of questions by web push, against a stand-in of their push service.

use crate::asks::{Called, next_webhook, until_taken};
use crate::background::{self, asks_and_goes_on};
use crate::clock::HandClock;
use crate::config::refused;
use crate::house::{Agent, app, front_desk, over_each_store, parts, server_with};
use crate::http::{Answer, by, call, get, request, says};
use crate::metrics::metric;
use axum::Router;
use axum::http::{HeaderMap, Method};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use question_server::Config;
use question_server::clock::Clock as _;
use question_server::limits::PUSH_SUBSCRIPTIONS_OF_OWNER;
use question_server::owner::Owner;
use question_server::store::{SqliteStore, Store};
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};
use ring::rand::SystemRandom;
use ring::signature::{self, ECDSA_P256_SHA256_FIXED};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::yield_now;

const ANN: &str = "anns-own-token";
const CONTACT: &str = "mailto:admin@chat.example";

/// A browser's part of a subscription, which reads one message.
struct Browser {
    own: EphemeralPrivateKey,
    public: Vec<u8>,
    auth: [u8; 16],
}

struct NonceLength;

impl KeyType for NonceLength {
    fn len(&self) -> usize {
        NONCE_LEN
    }
}

impl Browser {
    fn new() -> Self {
        let own = EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new()).expect("there is chance");
        let public = own.compute_public_key().expect("it has one").as_ref().to_vec();
        Self { own, public, auth: [7; 16] }
    }

    /// The subscription as a page sends it.
    fn subscription(&self, endpoint: &str) -> Value {
        let keys = json!({"p256dh": URL_SAFE_NO_PAD.encode(&self.public), "auth": URL_SAFE_NO_PAD.encode(self.auth)});
        json!({"endpoint": endpoint, "expirationTime": null, "keys": keys})
    }

    /// Decrypts a message, as RFC 8188 and RFC 8291 say.
    fn read(self, body: &[u8]) -> Value {
        let (salt, rest) = body.split_at(16);
        assert_eq!(rest[..5], [0, 0, 16, 0, 65]);
        let (theirs, sealed) = rest[5..].split_at(65);
        let secret = agree_ephemeral(self.own, &UnparsedPublicKey::new(&ECDH_P256, theirs), |shared| {
            let mut input = [0; 32];
            let info: [&[u8]; 3] = [b"WebPush: info\0", &self.public, theirs];
            let agreed = Salt::new(HKDF_SHA256, &self.auth).extract(shared);
            agreed.expand(&info, HKDF_SHA256).expect("it is short").fill(&mut input).expect("it is as long");
            Salt::new(HKDF_SHA256, salt).extract(&input)
        });
        let secret = secret.expect("they agree");
        let key = secret.expand(&[b"Content-Encoding: aes128gcm\0"], &AES_128_GCM).expect("it is short");
        let mut nonce = [0; NONCE_LEN];
        let drawn = secret.expand(&[b"Content-Encoding: nonce\0"], NonceLength).expect("it is short");
        drawn.fill(&mut nonce).expect("it is as long");
        let mut sealed = sealed.to_vec();
        let key = LessSafeKey::new(UnboundKey::from(key));
        let text = key.open_in_place(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut sealed);
        let text = text.expect("it is for this browser").strip_suffix(&[2]).expect("it is one record");
        serde_json::from_slice(text).expect("it is JSON")
    }
}

/// Checks the token of RFC 8292 and returns its claims and the key.
fn claims(headers: &HeaderMap) -> (Value, String) {
    let value = headers["authorization"].to_str().expect("it is text");
    let (token, key) = value.strip_prefix("vapid t=").and_then(|rest| rest.split_once(", k=")).expect("it has both");
    let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).expect("it is base64url");
    let (signed, signature) = token.rsplit_once('.').expect("it is signed");
    let key_bytes = decode(key);
    let verifier = signature::UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, &key_bytes);
    verifier.verify(signed.as_bytes(), &decode(signature)).expect("the key has signed it");
    let (head, claims) = signed.split_once('.').expect("it has claims");
    let read = |text: &str| serde_json::from_slice::<Value>(&decode(text)).expect("it is JSON");
    assert_eq!(read(head), json!({"typ": "JWT", "alg": "ES256"}));
    (read(claims), key.to_owned())
}

fn pushing(store: &Arc<dyn Store>, clock: &HandClock, service: &str) -> Router {
    pushing_for(front_desk(), Config::default(), store, clock, service)
}

fn pushing_for(agent: impl Agent, config: Config, store: &Arc<dyn Store>, clock: &HandClock, service: &str) -> Router {
    let config = Config {
        web_push: Some(CONTACT.parse().expect("it is one")),
        push_services: vec![service.parse().expect("it is an origin")],
        ..config
    };
    app(&config, parts(agent).store(Arc::clone(store)).clock(Arc::new(clock.clone())))
}

fn memory() -> (Arc<dyn Store>, HandClock) {
    (Arc::new(SqliteStore::in_memory()), HandClock::new())
}

async fn by_ann(server: &Router, method: Method, path: &str, body: Value) -> Answer {
    call(server, by(ANN, request(method, path, Some(body)))).await
}

async fn subscribes(server: &Router, subscription: Value) -> u16 {
    by_ann(server, Method::POST, "/push/subscriptions", subscription).await.status.as_u16()
}

/// The desk asks in a new conversation of Ann's.
async fn is_asked(server: &Router, id: &str) {
    by_ann(server, Method::POST, "/agent", says(id, "u", "I need an oil change")).await.events();
}

async fn endpoints(store: &Arc<dyn Store>) -> Vec<String> {
    let known = store.push_subscriptions(&Owner::of(ANN)).await.expect("they are read");
    known.into_iter().map(|browser| browser.endpoint).collect()
}

over_each_store!(browsers: each_browser_is_told_so_that_it_alone_can_read_it);

async fn each_browser_is_told_so_that_it_alone_can_read_it(store: Arc<dyn Store>) {
    let (service, origin) = Called::new(&[]).await;
    let clock = HandClock::new();
    let server = pushing(&store, &clock, &origin);
    let key = get(&server, "/push/key").await.json()["key"].clone();
    let browsers = [("/send/1", Browser::new()), ("/send/2", Browser::new())];
    for (path, browser) in &browsers {
        assert_eq!(subscribes(&server, browser.subscription(&format!("{origin}{path}"))).await, 204);
    }
    is_asked(&server, "a b").await;
    // Another's question is none of Ann's.
    call(&server, by("bob", request(Method::POST, "/agent", Some(says("c", "u", "hello"))))).await.events();
    until_taken(&store).await;
    let got = service.times(2).await;
    assert_eq!(got.len(), 2);
    let waiting = by_ann(&server, Method::GET, "/conversations/a%20b", Value::Null).await.json()["pending"][0].clone();
    let expected = json!({
        "conversationId": "a b",
        "toolCallId": waiting["toolCallId"],
        "title": waiting["questions"][0]["header"],
        "body": waiting["questions"][0]["question"],
        "url": "./?agent=#c=a%20b",
    });
    for (path, browser) in browsers {
        let (_, headers, body) = got.iter().find(|(at, ..)| at == path).expect("it was told");
        let (claims, signer) = claims(headers);
        assert_eq!((&claims["aud"], &claims["sub"], &json!(signer)), (&json!(origin), &json!(CONTACT), &key));
        let left = claims["exp"].as_u64().and_then(|exp| exp.checked_sub(clock.now().0 / 1000));
        assert!(left.is_some_and(|left| (1..=24 * 3600).contains(&left)), "{claims}");
        for (name, value) in [("content-encoding", "aes128gcm"), ("ttl", "86400"), ("urgency", "high")] {
            assert_eq!(headers[name], value);
        }
        assert_eq!(browser.read(body), expected);
    }
    let taken = r#"question_server_webhooks_total{kind="push",outcome="taken"}"#;
    assert_eq!(metric(&server, taken).await, 2.0);
    drop(server);
    assert_eq!(
        get(&pushing(&store, &clock, &origin), "/push/key").await.json()["key"],
        key,
        "subscriptions are for it"
    );
}

#[tokio::test]
async fn a_subscription_that_its_service_has_dropped_is_forgotten() {
    let (service, origin) = Called::new(&[410, 404]).await;
    let (store, clock) = memory();
    let server = pushing(&store, &clock, &origin);
    for path in ["a", "b", "c"] {
        assert_eq!(subscribes(&server, Browser::new().subscription(&format!("{origin}/{path}"))).await, 204);
    }
    is_asked(&server, "t").await;
    until_taken(&store).await;
    assert_eq!((service.times(3).await.len(), endpoints(&store).await.len()), (3, 1));
    let gone = r#"question_server_webhooks_total{kind="push",outcome="gone"}"#;
    assert_eq!(metric(&server, gone).await, 2.0);
}

#[tokio::test]
async fn a_service_that_fails_is_tried_again_as_long_as_the_question_waits() {
    for (is_blocking, answers, times) in [(true, false, 2), (true, true, 1), (false, false, 2), (false, true, 1)] {
        let (service, origin) = Called::new(&[503]).await;
        let (store, clock) = memory();
        let server = match is_blocking {
            true => pushing(&store, &clock, &origin),
            false => pushing_for(asks_and_goes_on([]), background::config(), &store, &clock, &origin),
        };
        assert_eq!(subscribes(&server, Browser::new().subscription(&format!("{origin}/a"))).await, 204);
        is_asked(&server, "t").await;
        service.times(1).await;
        let failed = r#"question_server_webhooks_total{kind="push",outcome="failed"}"#;
        while metric(&server, failed).await < 1.0 {
            yield_now().await;
        }
        if answers {
            let asked = by_ann(&server, Method::GET, "/conversations/t", Value::Null).await.json();
            let call = json!({"toolCallId": asked["pending"][0]["toolCallId"]});
            let ended = by_ann(&server, Method::POST, "/conversations/t/cancel", call).await;
            assert_eq!(ended.status, 200);
        }
        while next_webhook(&store).await.is_some() {
            clock.advance(Duration::from_secs(1));
            yield_now().await;
        }
        let told = service.times(times).await.len();
        assert_eq!((told, endpoints(&store).await.len()), (times, 1), "{is_blocking} {answers}");
    }
}

#[tokio::test]
async fn an_owner_has_a_bounded_number_of_browsers_and_removes_their_own() {
    let (_, origin) = Called::new(&[]).await;
    let (store, clock) = memory();
    let server = pushing(&store, &clock, &origin);
    for number in 0..=PUSH_SUBSCRIPTIONS_OF_OWNER {
        assert_eq!(subscribes(&server, Browser::new().subscription(&format!("{origin}/{number}"))).await, 204);
        clock.advance(Duration::from_secs(1));
    }
    let known = endpoints(&store).await;
    assert_eq!((known.len(), &known[0]), (PUSH_SUBSCRIPTIONS_OF_OWNER, &format!("{origin}/1")));
    let body = json!({"endpoint": known[0]});
    let others = call(&server, by("bob", request(Method::DELETE, "/push/subscriptions", Some(body.clone())))).await;
    assert_eq!((others.status.as_u16(), endpoints(&store).await.len()), (204, PUSH_SUBSCRIPTIONS_OF_OWNER));
    for _ in 0..2 {
        let own = by_ann(&server, Method::DELETE, "/push/subscriptions", body.clone()).await;
        assert_eq!((own.status.as_u16(), endpoints(&store).await.len()), (204, PUSH_SUBSCRIPTIONS_OF_OWNER - 1));
    }
}

#[tokio::test]
async fn the_server_calls_no_endpoint_that_is_none_of_a_push_service() {
    let (_, origin) = Called::new(&[]).await;
    let (store, clock) = memory();
    let server = pushing(&store, &clock, &origin);
    let other_port = origin.replace("127.0.0.1", "127.0.0.2");
    for endpoint in [
        "",
        "/relative",
        "https://",
        "https://10.0.0.1/a",
        "https://127.0.0.1/a",
        "https://[::1]/a",
        "http://169.254.169.254/latest/meta-data",
        "http://fcm.googleapis.com/fcm/send/a",
        "https://fcm.googleapis.com:8080/a",
        "https://fcm.googleapis.com@evil.example/a",
        "https://ann:b@fcm.googleapis.com/a",
        "https://fcm.googleapis.com.evil.example/a",
        "https://evilpush.services.mozilla.com.example/a",
        "https://push.apple.com.example/a",
        "ftp://web.push.apple.com/a",
        "file:///etc/passwd",
        &*other_port,
        &format!("https://web.push.apple.com/{}", "a".repeat(2000)),
    ] {
        let refused = by_ann(&server, Method::POST, "/push/subscriptions", Browser::new().subscription(endpoint)).await;
        assert_eq!(refused.refusal(), (403, "push_service_not_allowed".to_owned()), "{endpoint}");
    }
    for endpoint in [
        "https://fcm.googleapis.com/fcm/send/a",
        "https://updates.push.services.mozilla.com/wpush/v2/a",
        "https://web.push.apple.com/a",
        "https://wns2-par02p.notify.windows.com/w/?token=a",
    ] {
        assert_eq!(subscribes(&server, Browser::new().subscription(endpoint)).await, 204, "{endpoint}");
    }
    assert_eq!(endpoints(&store).await.len(), 4);
}

#[tokio::test]
async fn what_is_no_subscription_is_refused() {
    let (_, origin) = Called::new(&[]).await;
    let (store, clock) = memory();
    let server = pushing(&store, &clock, &origin);
    let endpoint = format!("{origin}/a");
    let good = Browser::new().subscription(&endpoint);
    let (key, auth) = (good["keys"]["p256dh"].clone(), good["keys"]["auth"].clone());
    for (p256dh, auth) in
        [(json!(""), auth.clone()), (key.clone(), json!("")), (json!("B".repeat(87)), auth), (key, json!("\u{e9}"))]
    {
        let body = json!({"endpoint": endpoint, "keys": {"p256dh": p256dh, "auth": auth}});
        let refused = by_ann(&server, Method::POST, "/push/subscriptions", body).await.refusal();
        assert_eq!(refused, (400, "bad_request".to_owned()));
    }
    for body in [json!([]), json!({"endpoint": endpoint}), json!({"endpoint": 1, "keys": good["keys"]})] {
        let refused = by_ann(&server, Method::POST, "/push/subscriptions", body).await.refusal();
        assert_eq!(refused, (400, "bad_request".to_owned()));
    }
    let nobodys = call(&server, request(Method::POST, "/push/subscriptions", Some(good.clone()))).await;
    assert_eq!(nobodys.refusal(), (403, "no_owner".to_owned()));
    assert_eq!(endpoints(&store).await.len(), 0);
    // It is off unless the operator turns it on.
    let off = server_with(front_desk());
    for answer in [
        get(&off, "/push/key").await,
        by_ann(&off, Method::POST, "/push/subscriptions", good.clone()).await,
        by_ann(&off, Method::DELETE, "/push/subscriptions", good).await,
    ] {
        assert_eq!(answer.refusal(), (403, "web_push_off".to_owned()));
    }
    let offers = async |server: &Router| get(server, "/settings.json").await.json()["webPush"].clone();
    assert_eq!((offers(&off).await, offers(&server).await), (Value::Null, json!(true)));
}

#[test]
fn a_contact_that_no_service_takes_is_refused() {
    for contact in ["admin@chat.example", "mailto:admin", "mailto:", "https://", "http://chat.example", "mailto:a b@c"]
    {
        assert!(refused(&[("QUESTION_SERVER_WEB_PUSH", contact)]).contains("mailto:admin@example.com"), "{contact}");
    }
}
