//! Binds the server to a port and serves until it is told to stop.

mod stderr;

use question_server::access::{Token, Tokens};
use question_server::config::{self, Command, Database, LogFormat, ModelName};
#[cfg(feature = "postgres")]
use question_server::limits::DATABASE_STARTS;
use question_server::limits::{FAREWELL, TAKEOVER};
#[cfg(feature = "mcp")]
use question_server::mcp::McpSettings;
use question_server::metrics::Counters;
use question_server::models::Model;
use question_server::models::anthropic::Anthropic;
use question_server::models::openai::{OpenAi, Settings};
use question_server::models::scripted::Scripted;
use question_server::other_agent::OtherAgent;
#[cfg(feature = "otlp")]
use question_server::otlp;
use question_server::page::Page;
#[cfg(feature = "postgres")]
use question_server::store::PostgresStore;
use question_server::store::{MemoryStore, SqliteStore, Store};
use question_server::{Config, Drain, Server, serve as serve_sockets};
use scripted_agent::Script;
use std::io::{self, Write as _};
#[cfg(feature = "mcp")]
use std::net::Ipv4Addr;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
#[cfg(feature = "mcp")]
use std::time::Duration;
use stderr::Stderr;
use tokio::net::TcpListener;
use tracing::Level;
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

fn main() -> ExitCode {
    let outcome = match config::read(std::env::vars_os(), std::env::args_os().skip(1)) {
        Ok(Command::Backup { database, to }) => SqliteStore::back_up(&database, &to).map_err(|error| error.to_string()),
        Ok(Command::Serve(config)) => run(*config, serve),
        #[cfg(feature = "mcp")]
        Ok(Command::Mcp { config, opens }) => {
            run(*config, async move |config, counters| serve_mcp(config, counters, opens).await)
        }
        #[cfg(not(feature = "mcp"))]
        Ok(Command::Mcp { .. }) => Err("this program was built without MCP".to_owned()),
        // The help and the version as well: clap knows where each goes.
        Err(error) => error.exit(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            complain(&why);
            ExitCode::FAILURE
        }
    }
}

fn run(config: Config, work: impl AsyncFnOnce(Config, Counters) -> Result<(), String>) -> Result<(), String> {
    let counters = Counters::default();
    let log = Stderr::start(counters.clone()).map_err(|error| format!("no thread for the log: {error}"))?;
    let writer = log.clone();
    let lines = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(move || writer.clone());
    let lines = match config.log_format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    // What the protocol's own crate logs has contents in it.
    let level = config.log;
    let is_wanted = filter_fn(move |line| {
        line.level() <= &level && (!line.target().starts_with("rmcp") || *line.level() <= Level::ERROR)
    });
    let log_layers = tracing_subscriber::registry().with(lines.with_filter(is_wanted));
    #[cfg(feature = "otlp")]
    let (log_layers, exporter) = {
        let (layer, exporter) = otlp::from_env()?.unzip();
        (log_layers.with(layer.map(|layer| layer.with_filter(otlp::Own))), exporter)
    };
    log_layers.init();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("no threads to work with: {error}"))?;
    #[cfg(feature = "otlp")]
    exporter.map(|exporter| runtime.spawn(exporter.run()));
    let served = runtime.block_on(work(config, counters));
    // A look-up of a name that hangs does not keep the process.
    runtime.shutdown_timeout(FAREWELL);
    log.flush_all();
    served
}

async fn serve(config: Config, counters: Counters) -> Result<(), String> {
    let drain = Drain::default();
    let tokens = Tokens::new(config.tokens.clone());
    let mut server = Server::builder()
        .config(config.clone())
        .store(open_store(&config).await?)
        .model(open_model(&config)?)
        .drain(drain.clone())
        .tokens(tokens.clone())
        .counters(counters.clone())
        .checks_hosts();
    if let Some(folder) = &config.page {
        server = server.page(Page::read(folder)?);
    }
    if let Some(agent) = open_agent(&config)? {
        server = server.other_agent(agent);
    }
    #[cfg(feature = "mcp")]
    if config.mcp {
        server = server.mcp(McpSettings::of(&config)?);
    }
    #[cfg(not(feature = "mcp"))]
    if config.mcp {
        return Err("this program was built without MCP".to_owned());
    }
    let address = SocketAddr::from((config.bind, config.port));
    let listener = TcpListener::bind(address).await.map_err(|error| bind_failed(address, &error))?;
    let bound = listener.local_addr().map_err(|error| format!("the bound port cannot be read: {error}"))?;
    let router = server.build();
    // Once it says that it listens, it may be told to stop.
    let told =
        told_to_stop(config.token_file.is_some()).map_err(|error| format!("signals cannot be heeded: {error}"))?;
    read_tokens_again(&config, tokens).map_err(|error| format!("signals cannot be heeded: {error}"))?;
    let (version, model, store) = (env!("CARGO_PKG_VERSION"), &config.model, config.database.kind());
    tracing::info!(version, ?model, store, limits = ?config.bounds, "started");
    say(&format!("listening on http://{bound}\n"))?;

    let most = connections(&config);
    let served = serve_sockets(listener, router, config.patience, most, counters, drain.closed());
    let drained = async {
        told.await;
        tracing::info!("stopping");
        drain.run(config.drain_notice, config.drain_grace).await;
        // For clients to read how their runs ended; who is through sooner ends the wait.
        tokio::time::sleep(FAREWELL).await;
    };
    tokio::select! {
        () = served => {}
        () = drained => {}
    }
    Ok(())
}

/// Serves the client of MCP that started this process, until it closes stdin, and the pages of its questions.
#[cfg(feature = "mcp")]
async fn serve_mcp(config: Config, counters: Counters, opens: bool) -> Result<(), String> {
    let drain = Drain::default();
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let listener = TcpListener::bind(address).await.map_err(|error| bind_failed(address, &error))?;
    let bound = listener.local_addr().map_err(|error| format!("the bound port cannot be read: {error}"))?;
    let server = Server::builder().config(config.clone()).store(open_store(&config).await?).drain(drain.clone());
    let (server, pages) = server.build_for_mcp(McpSettings::of(&config)?, format!("http://{bound}"), opens);
    let told = told_to_stop(false).map_err(|error| format!("signals cannot be heeded: {error}"))?;
    let most = connections(&config);
    let served = tokio::select! {
        served = question_mcp::serve_stdio(server) => served,
        () = serve_sockets(listener, pages, config.patience, most, counters, drain.closed()) => Ok(()),
        () = told => Ok(()),
    };
    drain.run(Duration::ZERO, config.drain_grace).await;
    served
}

/// The number of connections that the system allows; logged if that is less than was asked for.
fn connections(config: &Config) -> usize {
    let asked = config.bounds.connections;
    let Some(files) = raise_files() else {
        return asked;
    };
    // The rest is for the store, models, agents and the log.
    let most = files - (files / 4).min(FILES_OF_ITS_OWN);
    if most < asked {
        tracing::info!(files, connections = most, "the limit of open files lets fewer connections be open");
    }
    most.min(asked)
}

/// Files that the server needs beside connections of clients, at most.
const FILES_OF_ITS_OWN: usize = 512;

/// Lets the process open as many files as its system allows it, and says how many.
#[cfg(unix)]
fn raise_files() -> Option<usize> {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).ok()?;
    let now = match setrlimit(Resource::RLIMIT_NOFILE, hard, hard) {
        Ok(()) => hard,
        // As on systems that name a limit which they do not allow.
        Err(_) => soft,
    };
    Some(usize::try_from(now).unwrap_or(usize::MAX))
}

#[cfg(not(unix))]
fn raise_files() -> Option<usize> {
    None
}

async fn open_store(config: &Config) -> Result<Arc<dyn Store>, String> {
    Ok(match &config.database {
        Database::File(path) => {
            // The server before this one was told the same, as a rule.
            let patience = TAKEOVER.max(2 * (config.drain_notice + config.drain_grace + FAREWELL));
            Arc::new(SqliteStore::open_within(path, patience).map_err(|error| error.to_string())?)
        }
        #[cfg(feature = "postgres")]
        Database::Postgres(address) => {
            let store = PostgresStore::open_within(address, DATABASE_STARTS).await;
            Arc::new(store.map_err(|error| format!("the Postgres of --database: {error}"))?)
        }
        #[cfg(not(feature = "postgres"))]
        Database::Postgres(_) => return Err("this program was built without Postgres".to_owned()),
        Database::Memory => Arc::new(MemoryStore::default()),
    })
}

fn open_agent(config: &Config) -> Result<Option<OtherAgent>, String> {
    let key = config.agent_key.as_ref().map(|key| key.0.as_str());
    let open = |url| OtherAgent::with_plain_hosts(url, key, config.model_calls, &config.plain_key_hosts);
    let agent = config.agent.as_deref().map(open).transpose();
    agent.map_err(|why| format!("--agent: {why}"))
}

fn open_model(config: &Config) -> Result<Arc<dyn Model>, String> {
    Ok(match config.model {
        ModelName::FrontDesk => Arc::new(Scripted::front_desk(config.pace)),
        ModelName::CodingDesk => Arc::new(Scripted::coding_desk(config.pace)),
        ModelName::Script => Arc::new(open_script(config)?),
        ModelName::OpenAi | ModelName::Anthropic => {
            let read = |file: &PathBuf| {
                let text = std::fs::read_to_string(file);
                text.map_err(|error| format!("--system-prompt {}: {error}", file.display()))
            };
            let settings = Settings {
                key_header: config.key_header.clone(),
                headers: config.model_headers.iter().cloned().collect(),
                plain_key_hosts: config.plain_key_hosts.clone(),
                system_prompt: config.system_prompt.as_ref().map(read).transpose()?,
                temperature: config.temperature,
                max_tokens: config.max_tokens,
                thinking: config.thinking,
                at_once: Some(config.model_calls),
                sends_reasoning: config.send_reasoning,
                ..Settings::default()
            };
            match config.model {
                ModelName::Anthropic => Arc::new(Anthropic::from_env(settings)?),
                _ => Arc::new(OpenAi::from_env(settings)?),
            }
        }
    })
}

fn open_script(config: &Config) -> Result<Scripted, String> {
    let file = config.script.as_deref().ok_or("--model script needs the file of --script")?;
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string());
    let script = text.and_then(|text| Script::parse(&text).map_err(|error| error.to_string()));
    let scripted = script.map(|script| Scripted::new(script, config.pace));
    scripted.map_err(|why| format!("--script {}: {why}", file.display()))
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
            format!("{} is no address of this machine; choose another with --bind.", address.ip())
        }
        _ => format!("{address} cannot be bound: {error}"),
    }
}

/// Reads the file of tokens again at each SIGHUP from now on. If it cannot be read, those before it stay.
#[cfg(unix)]
fn read_tokens_again(config: &Config, tokens: Tokens) -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    if config.token_file.is_none() {
        return Ok(());
    }
    let (config, mut signals) = (config.clone(), signal(SignalKind::hangup())?);
    // What comes from elsewhere has no name.
    let others: Vec<Token> = config.tokens.iter().filter(|token| token.name().is_none()).cloned().collect();
    tokio::spawn(async move {
        while signals.recv().await.is_some() {
            match config.read_tokens() {
                Ok(read) => {
                    let count = read.len();
                    tokens.replace(others.iter().cloned().chain(read).collect());
                    tracing::info!(tokens = count, "tokens read again");
                }
                Err(error) => tracing::error!(error, "tokens could not be read again"),
            }
        }
    });
    Ok(())
}

#[cfg(windows)]
fn read_tokens_again(_config: &Config, _tokens: Tokens) -> io::Result<()> {
    Ok(())
}

/// Heeds the signals by which it is told to stop, from now on. A hang-up may mean something else.
#[cfg(unix)]
fn told_to_stop(hang_up_is_taken: bool) -> io::Result<impl Future<Output = ()>> {
    use std::task::Poll;
    use tokio::signal::unix::{Signal, SignalKind, signal};
    let mut kinds = vec![SignalKind::interrupt(), SignalKind::terminate()];
    if !hang_up_is_taken && !ignores_hang_up() {
        kinds.push(SignalKind::hangup());
    }
    let signals: io::Result<Vec<_>> = kinds.into_iter().map(signal).collect();
    let mut signals = signals?;
    Ok(std::future::poll_fn(move |context| {
        let told = |signal: &mut Signal| signal.poll_recv(context).is_ready();
        match signals.iter_mut().any(told) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    }))
}

#[cfg(windows)]
fn told_to_stop(_hang_up_is_taken: bool) -> io::Result<impl Future<Output = ()>> {
    let mut interrupted = tokio::signal::windows::ctrl_c()?;
    Ok(async move {
        interrupted.recv().await;
    })
}

/// Returns true if the server was started to outlive the terminal, as by `nohup`; Linux tells.
#[cfg(unix)]
fn ignores_hang_up() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // Signals count from 1, which is this one.
    mask.is_some_and(|mask| mask & 1 != 0)
}

/// Says why the server ends, where anybody can read it.
fn complain(why: &str) {
    let _ = writeln!(io::stderr(), "question-server: {why}");
}

fn say(text: &str) -> Result<(), String> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| format!("stdout cannot be written: {error}"))
}
