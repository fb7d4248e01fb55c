//! Web push in the real page: its policy lets the worker in, the server takes the subscription, and a message is shown.

use serde_json::json;

use crate::browser::chromium::devtools;
use crate::browser::visit;
use crate::server::Server;

/// Stands in for the browser's push service, which is somewhere else.
const SUBSCRIBES: &str = "
    PushManager.prototype.subscribe = async () => ({ toJSON: () => ({
        endpoint: 'https://fcm.googleapis.com/fcm/send/journey',
        keys: {
            p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
            auth: 'BTBZMqHH6r4Tts7J_aSIgg',
        },
    }) });
    const ask = window.fetch;
    window.fetch = async (...request) => {
        const answer = await ask(...request);
        if (request[0] === 'push/subscriptions') window.subscribed = answer.status;
        return answer;
    };";

/// The status by which the server took the subscription, and the state of the worker.
const STATE: &str = "
    const done = arguments[0];
    const look = async () => {
        const [worker] = await navigator.serviceWorker.getRegistrations();
        if (window.subscribed && worker?.active?.state === 'activated') return done([window.subscribed, worker.scope]);
        setTimeout(look, 20);
    };
    look();";

#[tokio::test]
async fn a_page_that_may_notify_subscribes_by_its_worker() {
    let server = Server::start_with_options(&["--web-push", "mailto:admin@chat.example"]);
    visit(&[], async |driver| {
        let origin = server.url().trim_end_matches('/').to_owned();
        devtools(&driver, "Browser.grantPermissions", json!({"origin": origin, "permissions": ["notifications"]}))
            .await?;
        devtools(&driver, "Page.enable", json!({})).await?;
        devtools(&driver, "Page.addScriptToEvaluateOnNewDocument", json!({"source": SUBSCRIBES})).await?;
        driver.goto(server.url()).await?;
        driver.execute("localStorage.setItem('chat-page notify', 'on')", Vec::new()).await?;
        driver.refresh().await?;
        let state = driver.execute_async(STATE, Vec::new()).await?;
        assert_eq!(state.json(), &json!([204, format!("{origin}/web-push/")]));
        Ok(())
    })
    .await;
}
