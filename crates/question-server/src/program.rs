//! The program: its command line, its socket, its signals and its log. A program of your own with further tools is a `main` that calls [`run`].

use crate::app::{Builder, Server};
#[cfg(unix)]
use crate::auth::access::AccessToken;
use crate::auth::access::Tokens;
use crate::browser::open_browser;
#[cfg(feature = "postgres")]
use crate::config::limits::DATABASE_STARTS;
use crate::config::limits::{DRAIN_GRACE, FAREWELL, TAKEOVER};
use crate::config::{self, Command, Config, Database, LogFormat, ModelName};
use crate::engine::drain::Drain;
#[cfg(feature = "mcp")]
use crate::engine::mcp_tools;
use crate::engine::models::Model;
use crate::engine::models::scripted::Scripted;
use crate::engine::tools::Tool;
use crate::error::WithCauses;
#[cfg(feature = "mcp")]
use crate::http::mcp::McpKey;
use crate::http::other_agent::OtherAgent;
use crate::http::page::Page;
use crate::http::serve::serve as serve_sockets;
use crate::probe;
#[cfg(feature = "postgres")]
use crate::store::PostgresStore;
use crate::store::{SqliteStore, Store};
use crate::telemetry::metrics::Counters;
#[cfg(feature = "otlp")]
use crate::telemetry::otlp;
use question_models::{RemoteModel, Settings};
use scripted_agent::Script;
use std::error::Error;
use std::io::{self, Write as _};
#[cfg(feature = "mcp")]
use std::net::Ipv4Addr;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;
use tokio::net::TcpListener;
#[cfg(unix)]
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::timeout;
use tracing::Level;
use tracing_appender::non_blocking::NonBlockingBuilder;
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// An error that ends the program.
type StartError = Box<dyn Error + Send + Sync>;

/// Runs what the command line asks for, until it is done or a signal ends it. `extend` adds what the command line cannot set, such as tools.
pub fn run(extend: impl FnOnce(Builder) -> Builder) -> ExitCode {
    // Help and version go to stdout, errors to stderr.
    let (config, command) =
        config::read(std::env::vars_os(), std::env::args_os().skip(1)).unwrap_or_else(|error| error.exit());
    let outcome = match command {
        None => logged(config, async move |config, counters| serve(config, counters, extend).await),
        #[cfg(feature = "mcp")]
        Some(Command::Mcp { no_open }) => {
            logged(config, async move |config, counters| serve_mcp(config, counters, !no_open).await)
        }
        #[cfg(not(feature = "mcp"))]
        Some(Command::Mcp { .. }) => Err(WITHOUT_MCP.into()),
        Some(Command::Backup { file }) => back_up(&config.database, &file),
        Some(Command::Probe { address }) => {
            let own = || SocketAddr::new(config::reachable(config.bind), config.port);
            probe::probe(address.unwrap_or_else(own))
        }
        Some(Command::Models) => {
            let listed = io::stdout().write_all(config::list_of_models().as_bytes());
            listed.map_err(|error| format!("could not write to stdout: {error}").into())
        }
        Some(Command::Completions { shell }) => {
            clap_complete::generate(shell, &mut config::command(), "question-server", &mut io::stdout());
            Ok(())
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            let _ = writeln!(io::stderr(), "question-server: {}", WithCauses(&*why));
            ExitCode::FAILURE
        }
    }
}

#[cfg(not(feature = "mcp"))]
const WITHOUT_MCP: &str = "this program was built without MCP";

fn logged(
    config: Config,
    work: impl AsyncFnOnce(Config, Counters) -> Result<(), StartError>,
) -> Result<(), StartError> {
    let counters = Counters::default();
    let (log, end_of_log) = NonBlockingBuilder::default().buffered_lines_limit(LINES_AHEAD).finish(io::stderr());
    counters.count_dropped_lines(&log);
    let lines = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(log);
    let lines = match config.log_format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    // At lower levels, `rmcp` logs the contents of questions, and `rig` logs whole requests with their pictures.
    let level = config.log;
    let is_wanted = filter_fn(move |line| {
        let has_contents = ["rmcp", "rig::"].iter().any(|name| line.target().starts_with(name));
        line.level() <= &level && (!has_contents || *line.level() <= Level::ERROR)
    });
    let log_layers = tracing_subscriber::registry().with(lines.with_filter(is_wanted));
    #[cfg(feature = "otlp")]
    let traces = otlp::from_env()?;
    #[cfg(feature = "otlp")]
    let log_layers = log_layers.with(traces.as_ref().map(otlp::layer));
    log_layers.init();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("could not start worker threads: {error}"))?;
    let served = runtime.block_on(work(config, counters));
    // A DNS lookup that hangs does not block the exit.
    runtime.shutdown_timeout(FAREWELL);
    // If the collector was unreachable, the log says so already.
    #[cfg(feature = "otlp")]
    let _ = traces.map(|traces| traces.shutdown_with_timeout(FLUSH_TIMEOUT));
    // Waits for the last lines of the log, unless stderr is blocked.
    let (ended, is_written) = mpsc::channel();
    thread::spawn(move || {
        drop(end_of_log);
        let _ = ended.send(());
    });
    let _ = is_written.recv_timeout(FLUSH_TIMEOUT);
    served
}

/// The most lines of the log that wait to be written. Further ones are dropped.
const LINES_AHEAD: usize = 4_096;

/// The time that the exit waits for the last lines.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

fn back_up(database: &Database, to: &Path) -> Result<(), StartError> {
    let database = match database {
        Database::File(database) => database,
        Database::Postgres(_) => return Err("backup: use pg_dump for a Postgres".into()),
        Database::Memory => return Err("backup: name the file to copy by --database".into()),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(runtime.block_on(SqliteStore::back_up(database, to))?)
}

async fn serve(config: Config, counters: Counters, extend: impl FnOnce(Builder) -> Builder) -> Result<(), StartError> {
    let drain = Drain::default();
    let tokens = Tokens::new(config.tokens.clone());
    let page = page_of(&config)?;
    let ((model, script_tools), agent) = (open_model(&config)?, open_agent(&config)?);
    let address = (config.bind, config.port).into();
    // A previous server that is shutting down may still have the port as well as the file. `open_store` waits for its end; then the port is free.
    let early = bind(address).await;
    let store = open_store(&config).await;
    let (listener, bound) = match early {
        Ok(bound) => bound,
        Err(_) => bind(address).await?,
    };
    let announcement = announcement(&config, bound, page.is_some());
    let store = store?;
    let mut server = Server::builder()
        .config(config.clone())
        .model(model)
        .store(Arc::clone(&store))
        .drain(drain.clone())
        .tokens(tokens.clone())
        .counters(counters.clone())
        .checks_hosts();
    if let Some(agent) = agent {
        server = server.other_agent(agent);
    }
    #[cfg(feature = "mcp")]
    if config.mcp {
        server = server.mcp(McpKey::of_store(&*store).await?);
    }
    #[cfg(feature = "mcp")]
    for config::Remote { address, headers } in &config.mcp_servers {
        server = server.tools(mcp_tools::connect(address, headers.clone()).await?);
    }
    #[cfg(not(feature = "mcp"))]
    if config.mcp || !config.mcp_servers.is_empty() {
        return Err(WITHOUT_MCP.into());
    }
    if let Some(page) = page {
        server = server.page(page);
    }
    let router = extend(server).tools(script_tools).build();
    // Registered before the line on stdout, since a program that reads it may send a signal.
    let stopped = stop_signal().map_err(no_signals)?;
    reload_tokens(&config, tokens).map_err(no_signals)?;
    let (version, model, store) = (env!("CARGO_PKG_VERSION"), &config.model, config.database.kind());
    tracing::info!(version, %model, store, limits = ?config.bounds, "server started");
    let mut out = io::stdout().lock();
    let announced = out.write_all(announcement.as_bytes()).and_then(|()| out.flush());
    drop(out);
    announced.map_err(|error| format!("could not write to stdout: {error}"))?;

    if config.open {
        tokio::spawn(open_page(bound));
    }
    let most = connections(&config);
    let closing = drain.clone();
    let mut served = tokio::spawn(async move {
        serve_sockets(listener, router, config.timeouts, most, counters, closing.closed()).await;
    });
    tokio::select! {
        // Without a signal, only a panic ends it.
        served = &mut served => return Ok(served?),
        () = stopped => tracing::info!("shutting down"),
    }
    let drained = async {
        // Runs without a client also get this time, and release their leases.
        drain.run(DRAIN_GRACE).await;
        // Clients have this time to read the ends of their runs.
        let _ = timeout(FAREWELL, served).await;
    };
    let stopped_again = stop_signal().map_err(no_signals)?;
    tokio::select! {
        () = drained => {}
        () = stopped_again => tracing::warn!("a second signal: stopping at once"),
    }
    Ok(())
}

/// The lines on stdout for the user. Programs read the first one.
fn announcement(config: &Config, bound: SocketAddr, has_page: bool) -> String {
    let kept = match &config.database {
        Database::File(file) => format!("Conversations are kept in {}.", file.display()),
        Database::Postgres(_) => "Conversations are kept in Postgres.".to_owned(),
        Database::Memory => "Conversations are kept in memory, and end with the server.".to_owned(),
    };
    let page = page_address(bound);
    let open = match (has_page, config.tokens.is_empty()) {
        (true, true) => format!("Open {page} in a browser. Ctrl+C ends the server."),
        (true, false) => format!("Open {page}?token=TOKEN in a browser, once. Ctrl+C ends the server."),
        (false, _) => format!("{WITHOUT_PAGE} Ctrl+C ends the server."),
    };
    format!("listening on http://{bound}\n{kept}\n{open}\n")
}

const WITHOUT_PAGE: &str = "This program was built without a page: --page DIR shows one.";

/// The page as a browser of this machine reaches it.
fn page_address(bound: SocketAddr) -> String {
    format!("http://{}/", SocketAddr::new(config::reachable(bound.ip()), bound.port()))
}

/// The page of `--page`, or the one within the program.
fn page_of(config: &Config) -> Result<Option<Page>, StartError> {
    Ok(config.page.as_deref().map(Page::read).transpose()?.or_else(Page::embedded))
}

async fn open_page(bound: SocketAddr) {
    let address = page_address(bound);
    if !open_browser(address.clone()).await {
        tracing::warn!(address, "there is no browser to open: open the address yourself");
    }
}

/// Serves the client of MCP that started this process, until it closes stdin, and the pages of its questions.
#[cfg(feature = "mcp")]
async fn serve_mcp(config: Config, counters: Counters, opens: bool) -> Result<(), StartError> {
    let drain = Drain::default();
    let (page, store) = (page_of(&config)?, open_store(&config).await?);
    let key = McpKey::of_store(&*store).await?;
    let server = Server::builder().config(config.clone()).store(store).drain(drain.clone());
    let server = page.into_iter().fold(server, Builder::page);
    // Pages that are still open have the port of the previous server, for whose end `open_store` has waited.
    let here = |port| bind((Ipv4Addr::LOCALHOST, port).into());
    let (listener, bound) = match here(key.port()).await {
        Err(_) => here(0).await?,
        bound => bound?,
    };
    let (server, pages) = server.build_for_mcp(key, format!("http://{bound}"), opens);
    let stopped = stop_signal().map_err(no_signals)?;
    let most = connections(&config);
    let served = tokio::select! {
        served = question_mcp::serve_stdio(server) => served,
        () = serve_sockets(listener, pages, config.timeouts, most, counters, drain.closed()) => Ok(()),
        () = stopped => Ok(()),
    };
    drain.run(DRAIN_GRACE).await;
    Ok(served?)
}

/// The most connections: the setting, or fewer if the system's limit of open files is lower.
fn connections(config: &Config) -> usize {
    let wanted = config.bounds.connections;
    let files = rlimit::increase_nofile_limit(u64::MAX).unwrap_or(USUAL_FILES);
    let files = usize::try_from(files).unwrap_or(usize::MAX);
    // The rest is for the store, models, agents and the log.
    let most = files - (files / 4).min(FILES_OF_ITS_OWN);
    if most < wanted {
        tracing::debug!(
            files,
            connections = most,
            "the system's limit of open files allows fewer connections than `Bounds::connections`"
        );
    }
    most.min(wanted)
}

/// The most files that the server needs beside connections of clients.
const FILES_OF_ITS_OWN: usize = 512;

/// The limit of open files that is assumed if the system's cannot be raised or read.
const USUAL_FILES: u64 = 1_024;

async fn open_store(config: &Config) -> Result<Arc<dyn Store>, StartError> {
    Ok(match &config.database {
        Database::File(path) => {
            let opened = SqliteStore::open_within(path, TAKEOVER).await;
            Arc::new(opened.map_err(|error| format!("{}. {OTHER_STORES}", WithCauses(&error)))?)
        }
        #[cfg(feature = "postgres")]
        Database::Postgres(address) => {
            let store = PostgresStore::open_within(address, DATABASE_STARTS).await;
            Arc::new(store.map_err(|error| format!("the Postgres of --database: {}", WithCauses(&error)))?)
        }
        #[cfg(not(feature = "postgres"))]
        Database::Postgres(_) => return Err("this program was built without Postgres".into()),
        Database::Memory => Arc::new(SqliteStore::in_memory()),
    })
}

const OTHER_STORES: &str = "Name another file by --database, or keep nothing by --database memory.";

fn open_agent(config: &Config) -> Result<Option<OtherAgent>, StartError> {
    let agent = config.agent.as_ref();
    let agent = agent.map(|of| OtherAgent::new(&of.address, of.headers.clone(), config.model_calls)).transpose();
    Ok(agent.map_err(|why| format!("--agent: {why}"))?)
}

type Tools = Vec<Arc<dyn Tool>>;

/// The model of the agent, and the tools of its script.
fn open_model(config: &Config) -> Result<(Arc<dyn Model>, Tools), StartError> {
    let script = match &config.model {
        ModelName::FrontDesk => Scripted::front_desk(config.pace),
        ModelName::CodingDesk => Scripted::coding_desk(config.pace),
        ModelName::Script(file) => open_script(file, config.pace)?,
        ModelName::Of(vendor, name) => {
            let model = RemoteModel::from_env(vendor, settings(config, name)?)?;
            return Ok((Arc::new(model), Vec::new()));
        }
    };
    let tools = script.tools();
    Ok((Arc::new(script), tools))
}

/// The settings of a vendor's model of this name.
fn settings(config: &Config, name: &str) -> Result<Settings, StartError> {
    let read = |file: &PathBuf| {
        let text = std::fs::read_to_string(file);
        text.map_err(|error| format!("--system-prompt {}: {error}", file.display()))
    };
    Ok(Settings {
        model: name.to_owned(),
        system_prompt: config.system_prompt.as_ref().map(read).transpose()?,
        at_once: Some(config.model_calls),
        sends_reasoning: true,
        ..Settings::default()
    })
}

fn open_script(file: &Path, pace: Duration) -> Result<Scripted, StartError> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string());
    let script = text.and_then(|text| Script::parse(&text).map_err(|error| error.to_string()));
    let scripted = script.map(|script| Scripted::new(script, pace));
    Ok(scripted.map_err(|why| format!("--model script:{}: {why}", file.display()))?)
}

/// A listener at this address, and its own address with the bound port.
async fn bind(address: SocketAddr) -> Result<(TcpListener, SocketAddr), StartError> {
    let listener = TcpListener::bind(address).await.map_err(|error| bind_failed(address, &error))?;
    let bound = listener.local_addr().map_err(|error| format!("could not read the bound port: {error}"))?;
    Ok((listener, bound))
}

fn bind_failed(address: SocketAddr, error: &io::Error) -> String {
    let port = address.port();
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            let by = listeners::get_process_by_port(port, listeners::Protocol::TCP);
            let by = by.map(|by| format!(" by {} (process {}): end that, or", by.name, by.pid));
            let by = by.unwrap_or_else(|_| ";".to_owned());
            format!("port {port} is in use{by} choose another with --port, or 0 for any free one.")
        }
        io::ErrorKind::PermissionDenied => {
            format!("port {port} needs more privileges; choose one above 1023 with --port.")
        }
        io::ErrorKind::AddrNotAvailable => {
            format!("{} is no address of this machine; choose another with --bind.", address.ip())
        }
        _ => format!("could not bind {address}: {error}"),
    }
}

/// Reloads the file of tokens at each SIGHUP from now on. If that fails, the former tokens stay valid.
#[cfg(unix)]
fn reload_tokens(config: &Config, tokens: Tokens) -> io::Result<()> {
    if config.token_file.is_none() {
        return Ok(());
    }
    let (config, mut signals) = (config.clone(), signal(SignalKind::hangup())?);
    // Tokens without a name are not from the file.
    let others: Vec<AccessToken> = config.tokens.iter().filter(|token| token.name().is_none()).cloned().collect();
    tokio::spawn(async move {
        while signals.recv().await.is_some() {
            match config.read_tokens() {
                Ok(read) => {
                    let count = read.len();
                    tokens.replace(others.iter().cloned().chain(read).collect());
                    tracing::info!(tokens = count, "reloaded --token-file");
                }
                Err(error) => tracing::error!(error = %WithCauses(&error), "could not reload --token-file"),
            }
        }
    });
    Ok(())
}

#[cfg(windows)]
fn reload_tokens(_config: &Config, _tokens: Tokens) -> io::Result<()> {
    Ok(())
}

/// Resolves at the first Ctrl+C or SIGTERM from now on. SIGHUP keeps its default: it ends the process, unless `nohup` started it.
fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    #[cfg(windows)]
    let (mut interrupt, mut terminate) = (tokio::signal::windows::ctrl_c()?, tokio::signal::windows::ctrl_close()?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

fn no_signals(error: io::Error) -> String {
    format!("could not listen for signals: {error}")
}
