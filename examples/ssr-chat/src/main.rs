//! A chat that axum renders and a browser takes over, in one program: page, agent and store. The README has the commands that start it.

mod app;
#[cfg(not(target_arch = "wasm32"))]
mod server;

#[cfg(not(target_arch = "wasm32"))]
use {scripted_agent::Script, std::io::Error};

#[cfg(target_arch = "wasm32")]
fn main() {
    app::take_over();
}

#[cfg(not(target_arch = "wasm32"))]
#[tokio::main]
async fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or_else(|| "127.0.0.1:3000".to_owned());
    let program = arguments.next().unwrap_or_else(|| "target/ssr-chat".to_owned());
    let script = arguments.next().map(std::fs::read_to_string).transpose()?;
    let script = script.map(|script| Script::parse(&script).map_err(Error::other)).transpose()?;
    let listener = tokio::net::TcpListener::bind(address).await?;
    println!("listening on http://{}", listener.local_addr()?);
    let service = server::app(program, script).into_make_service_with_connect_info::<std::net::SocketAddr>();
    axum::serve(listener, service).await
}
