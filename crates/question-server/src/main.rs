//! Binds the server to a loopback port and serves until it is told to stop.

use question_server::clock::SystemClock;
use question_server::config::{self, Command, ModelName};
use question_server::limits::SHUTDOWN_GRACE;
use question_server::models::Model;
use question_server::models::coding_desk::CodingDesk;
use question_server::models::front_desk::FrontDesk;
use question_server::models::openai::OpenAi;
use question_server::page::Page;
use question_server::store::{MemoryStore, SqliteStore, Store};
use question_server::{Config, Parts, app};
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() -> ExitCode {
    let variable = |name: &str| std::env::var_os(name);
    let outcome = match config::read(variable, lexopt::Parser::from_env()) {
        Ok(Command::Help) => say(&config::help()),
        Ok(Command::Version) => say(concat!("question-server ", env!("CARGO_PKG_VERSION"), "\n")),
        Ok(Command::Serve(config)) => serve(*config).await,
        Err(error) => {
            eprintln!("question-server: {error}. Try --help.");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("question-server: {why}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(config: Config) -> Result<(), String> {
    tracing_subscriber::fmt()
        .with_max_level(config.log)
        .with_ansi(false)
        .with_writer(io::stderr)
        .init();
    let parts = Parts {
        page: config.page.as_deref().map(Page::read).transpose()?,
        model: open_model(&config)?,
        store: open_store(&config)?,
        clock: Arc::new(SystemClock),
        shutdown: CancellationToken::new(),
    };
    let shutdown = parts.shutdown.clone();
    let address = SocketAddr::from((config.bind, config.port));
    let listener = TcpListener::bind(address)
        .await
        .map_err(|error| bind_failed(address, &error))?;
    let bound = listener
        .local_addr()
        .map_err(|error| format!("the bound port cannot be read: {error}"))?;
    let router = app(&config, parts);
    say(&format!("listening on http://{bound}\n"))?;

    let told = told_to_stop(shutdown.clone());
    let served = axum::serve(listener, router).with_graceful_shutdown(told);
    let patience = async {
        shutdown.cancelled().await;
        // How long open streams may take to end; what ends sooner ends the wait.
        tokio::time::sleep(SHUTDOWN_GRACE).await;
    };
    tokio::select! {
        ended = served => ended.map_err(|error| format!("the server broke off: {error}")),
        () = patience => Ok(()),
    }
}

fn open_store(config: &Config) -> Result<Arc<dyn Store>, String> {
    Ok(match &config.database {
        Some(path) => Arc::new(SqliteStore::open(path).map_err(|error| error.to_string())?),
        None => Arc::new(MemoryStore::default()),
    })
}

fn open_model(config: &Config) -> Result<Arc<dyn Model>, String> {
    Ok(match config.model {
        ModelName::FrontDesk => Arc::new(FrontDesk::new(config.pace)),
        ModelName::CodingDesk => Arc::new(CodingDesk::new(config.pace)),
        ModelName::OpenAi => Arc::new(OpenAi::from_env()?),
    })
}

fn bind_failed(address: SocketAddr, error: &io::Error) -> String {
    let port = address.port();
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            format!("port {port} is taken; choose another with --port, or 0 for any free one.")
        }
        io::ErrorKind::PermissionDenied => {
            format!("port {port} needs more rights; choose one above 1023 with --port.")
        }
        io::ErrorKind::AddrNotAvailable => {
            format!(
                "{} is no address of this machine; choose another with --bind.",
                address.ip()
            )
        }
        _ => format!("{address} cannot be bound: {error}"),
    }
}

async fn told_to_stop(shutdown: CancellationToken) {
    let interrupted = async {
        // Without a handler the signal ends the process by itself.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        () = interrupted => {}
        () = terminated() => {}
    }
    tracing::info!("stopping");
    shutdown.cancel();
}

#[cfg(unix)]
async fn terminated() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut signal) => {
            signal.recv().await;
        }
        Err(_) => std::future::pending().await,
    }
}

#[cfg(not(unix))]
async fn terminated() {
    std::future::pending().await
}

fn say(text: &str) -> Result<(), String> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| format!("stdout cannot be written: {error}"))
}
