//! An agent inside a program of one's own: a shop with tenants, whose login says who asks. The agent has a path of its own in each tenant's, a
//! model of one's own choice and a tool that looks into the shop. `OPENAI_MODEL=… cargo run -p question-server --example embed` starts it.

use axum::extract::{Path, Request, State};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::{Json, Router, routing::get};
use question_models::{RemoteModel, Settings, Vendor};
use question_server::models::Model;
use question_server::owner::Owner;
use question_server::tools::{CallInfo, Tool, tool_fn};
use question_server::{Config, Server};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::sync::Mutex;

/// The number of pieces of each article.
type Shop = Arc<Mutex<BTreeMap<String, u32>>>;

/// The input of the agent's tool.
#[derive(Deserialize, JsonSchema)]
struct Article {
    /// The name of the article, as the shop's stock has it.
    article: String,
}

/// The agent's tool for taking something from the shelf. A call that runs again after a crash takes nothing a second time.
fn take(shop: Shop) -> impl Tool {
    let done = Arc::new(Mutex::new(BTreeMap::<String, String>::new()));
    tool_fn(
        "take",
        "Takes a piece of an article from the shelf.",
        move |Article { article }: Article, call: CallInfo| {
            let (shop, done) = (Arc::clone(&shop), Arc::clone(&done));
            async move {
                let mut done = done.lock().await;
                if let Some(said) = done.get(&call.idempotency_key) {
                    return Ok(said.clone());
                }
                let mut shop = shop.lock().await;
                let left =
                    shop.get_mut(&article).filter(|left| **left > 0).ok_or(format!("There is no {article} left."))?;
                *left -= 1;
                let said = format!("Taken. {left} left.");
                done.insert(call.idempotency_key, said.clone());
                Ok(said)
            }
        },
    )
}

/// The program's own login, which tells the agent's server whose a conversation is.
async fn login(Path(path): Path<BTreeMap<String, String>>, mut request: Request, next: Next) -> Response {
    let tenant = path.get("tenant").cloned().unwrap_or_default();
    if let Some(user) = request.headers().get("x-user").and_then(|user| user.to_str().ok()) {
        let owner = Owner::of(&json!([tenant, user]).to_string());
        request.extensions_mut().insert(owner);
    }
    next.run(request).await
}

async fn stock(State(shop): State<Shop>) -> Json<BTreeMap<String, u32>> {
    Json(shop.lock().await.clone())
}

pub(crate) fn app(model: Arc<dyn Model>) -> Router {
    let shop = Shop::new(Mutex::new(BTreeMap::from([("shirt".to_owned(), 12)])));
    let config = Config { expire_after: Some(std::time::Duration::from_secs(3600)), ..Config::default() };
    let agent = Server::builder().model(model).tool(Arc::new(take(Arc::clone(&shop)))).config(config).build();
    Router::new()
        .route("/stock", get(stock))
        .with_state(shop)
        .nest("/tenants/{tenant}/agent", agent.layer(from_fn(login)))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let app = app(Arc::new(RemoteModel::from_env(
        Vendor::by_name("openai").expect("it is in the list"),
        Settings::default(),
    )?));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    Ok(axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await?)
}
