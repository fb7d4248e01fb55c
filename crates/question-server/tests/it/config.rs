//! The settings: command line, environment and file.

use ask_user_question::limits::ExtraMember;
use question_models::vendors;
use question_server::access::AccessToken;
use question_server::config::{Command, Config, DEFAULT_PORT, Database, ModelName, command, list_of_models, read};
use question_server::limits::Bounds;
use question_server::rate::PerMinute;
use std::path::Path;
use std::time::Duration;

fn read_with(variables: &[(&str, &str)], args: &[&str]) -> Result<(Config, Option<Command>), clap::Error> {
    let variables = variables.iter();
    let environment = variables.map(|(name, value)| (name.into(), value.into()));
    read(environment, args.iter().map(Into::into))
}

/// Why these variables are refused.
pub(crate) fn refused(variables: &[(&str, &str)]) -> String {
    read_with(variables, &[]).expect_err("something is missing").to_string()
}

pub(crate) fn config(variables: &[(&str, &str)], args: &[&str]) -> Config {
    match read_with(variables, args) {
        Ok((config, None)) => config,
        other => panic!("{args:?} is fine: {other:?}"),
    }
}

#[test]
fn the_environment_says_the_same_and_the_command_line_wins() {
    let variables = [
        ("QUESTION_SERVER_PORT", "1"),
        ("QUESTION_SERVER_PACE", "2"),
        ("QUESTION_SERVER_PAGE", ""),
        ("QUESTION_SERVER_ALLOW_AGENT", "https://one.example https://two.example"),
    ];
    let args = ["--port", "3", "--allow-agent", "https://three.example"];
    let config = config(&variables, &args);
    assert_eq!((config.port, config.pace), (3, Duration::from_millis(2)));
    let agents: Vec<String> = config.allow_agents.iter().map(ToString::to_string).collect();
    assert_eq!(agents, ["https://one.example", "https://two.example", "https://three.example"]);
    assert_eq!(config.page, None, "empty is not set");
}

#[test]
fn blanks_around_a_variable_are_no_values() {
    let config = config(
        &[
            ("QUESTION_SERVER_PUBLIC_ORIGIN", "https://one.example http://two.example "),
            ("QUESTION_SERVER_ALLOW_ORIGIN", "\nhttps://one.example\n"),
            ("QUESTION_SERVER_MCP_SERVER", "uvx one\nhttps://two.example/mcp\n"),
            ("QUESTION_SERVER_PORT", " 1\r\n"),
            ("QUESTION_SERVER_PAGE", "\n"),
            ("QUESTION_SERVER_CONFIG", " \n"),
        ],
        &[],
    );
    assert_eq!((config.public_origins.len(), config.allow_origins.len(), config.port), (2, 1, 1));
    let servers: Vec<&str> = config.mcp_servers.iter().map(|server| server.address.as_str()).collect();
    assert_eq!((servers, config.page), (vec!["uvx one", "https://two.example/mcp"], None));
}

#[test]
fn a_script_is_named_with_its_file() {
    let named = config(&[("QUESTION_SERVER_MODEL", "script:a/b.json")], &[]).model;
    assert!(matches!(named, ModelName::Script(file) if file == Path::new("a/b.json")));
    for model in ["script", "script:"] {
        let refused = read_with(&[], &["--model", model]).expect_err("it has no file").to_string();
        assert!(refused.contains("script:FILE"), "{refused}");
    }
}

#[test]
fn a_vendor_and_its_model_are_named_together() {
    for vendor in vendors() {
        for (text, model) in [(vendor.name.to_owned(), ""), (format!("{}:a/b:c", vendor.name), "a/b:c")] {
            let named = config(&[("QUESTION_SERVER_MODEL", &text)], &[]).model;
            assert_eq!(named.to_string(), text);
            assert!(matches!(&named, ModelName::Of(of, name) if *of == vendor && name == model), "{named:?}");
        }
    }
    let refused = read_with(&[], &["--model", "gpt"]).expect_err("there is no such vendor").to_string();
    assert!(refused.contains("front-desk") && refused.contains("mistral"), "{refused}");
    assert!(matches!(read_with(&[], &["models"]), Ok((_, Some(Command::Models)))));
    let listed = list_of_models();
    for vendor in vendors() {
        let line = listed.lines().find(|line| line.starts_with(vendor.name)).expect("it is in the list");
        assert!(
            [vendor.model, vendor.key_variable, vendor.url_variable].iter().all(|part| line.contains(part)),
            "{line}"
        );
        let sees = line.split_whitespace().any(|word| word == "yes");
        assert_eq!(sees, vendor.sees(vendor.model), "{line}");
    }
}

#[test]
fn members_are_offered_to_clients_of_mcp_as_to_the_agent() {
    let variable = [("QUESTION_SERVER_OFFER", "blocking")];
    for (variables, args) in [
        (variable.as_slice(), ["mcp"].as_slice()),
        (&[], &["--offer=blocking", "mcp"]),
        (&[], &["mcp", "--offer", "blocking"]),
    ] {
        let (config, command) = read_with(variables, args).expect("it is fine");
        assert!(matches!(command, Some(Command::Mcp { .. })));
        assert_eq!(config.offers, [ExtraMember::Blocking]);
    }
}

#[test]
fn no_error_and_no_debug_has_a_secret() {
    let secrets = [
        ("QUESTION_SERVER_TOKEN", "my-secret-ä", "my-secret-that-is-long"),
        ("QUESTION_SERVER_CALLBACK_KEY", "my-secret", "bXktc2VjcmV0LW15LXNlY3JldC1teS1zZWNyZXQh"),
        ("QUESTION_SERVER_NOTIFY_URL", "ftp://my-secret", "https://bot.example/my-secret"),
        ("QUESTION_SERVER_AGENT", "https://a.example my-secret", "https://a.example a: my-secret"),
        ("QUESTION_SERVER_AGENT", "a.example a: my-secret", "https://a.example a: my-secret"),
        ("QUESTION_SERVER_MCP_SERVER", "https://t.example my-secret", "https://t.example a: my-secret"),
        ("QUESTION_SERVER_DATABASE", "mysql://my-secret@h/n", "postgres://my-secret@h/n"),
    ];
    for (name, bad, good) in secrets {
        let option = format!("--{}", name["QUESTION_SERVER_".len()..].to_lowercase().replace('_', "-"));
        let fine = [(name, good), ("QUESTION_SERVER_PUBLIC_ORIGIN", "https://chat.example")];
        let key = ("QUESTION_SERVER_CALLBACK_KEY", "bXktc2VjcmV0LW15LXNlY3JldC1teS1zZWNyZXQh");
        let shown = format!("{:?}", config(&[fine.as_slice(), &[key]].concat(), &[]));
        assert!(!shown.contains("secret") && !shown.contains(key.1), "{shown}");
        for error in [read_with(&[(name, bad)], &[]), read_with(&[], &[&option, bad])] {
            let error = error.expect_err(name).to_string();
            assert!(error.contains(&option) && !error.contains("secret"), "{error}");
        }
    }
}

#[test]
fn a_file_says_the_same_and_all_others_win() {
    let file = std::env::temp_dir().join(format!("question-server-{}.toml", uuid::Uuid::new_v4()));
    let path = file.to_str().expect("it is text");
    let write = |text: &str| std::fs::write(&file, text).expect("it can be written");
    write(
        "port = 1\npace = 2\nlog = \"off\"\nmcp = true\nlimit-rates = false\npublic-origin = [\"https://one.example\", \"https://two.example\"]\n",
    );
    for (variables, args) in [
        ([("QUESTION_SERVER_CONFIG", path)].as_slice(), ["--port=3"].as_slice()),
        (&[], &["--config", path, "--port=3"]),
    ] {
        let config = config(variables, args);
        assert_eq!((config.port, config.pace, config.public_origins.len()), (3, Duration::from_millis(2), 2));
        assert!(config.mcp);
        let any = PerMinute::new(0);
        let bounds = Bounds { requests: any, changes: any, new: any, ..Bounds::default() };
        assert_eq!(config.bounds, bounds);
    }
    for (text, named) in [
        ("prot = 1", "prot: there is no such setting"),
        ("port = \"secret\"", "port"),
        ("[port]", "port"),
        ("max.new = 1", "max: there is no such setting"),
        ("port = 1\ntoken = \"my-secret", "line 2: invalid basic string"),
        ("config = \"a\"", "config: there is no such setting"),
    ] {
        write(text);
        let error = read_with(&[], &["--config", path]).expect_err("it is a mistake").to_string();
        assert!(error.contains(named) && !error.contains("my-secret"), "{error}");
    }
    std::fs::remove_file(&file).expect("it is there");
    let error = read_with(&[], &["--config", path]).expect_err("it is gone").to_string();
    assert!(error.contains("--config"), "{error}");
}

#[test]
fn times_have_units() {
    for (text, seconds) in
        [("90s", Some(90)), ("30m", Some(1800)), ("2h", Some(7200)), ("7d", Some(604_800)), ("never", None)]
    {
        let config = config(&[], &["--expire-after", text]);
        assert_eq!(config.expire_after, seconds.map(Duration::from_secs), "{text}");
    }
}

#[test]
fn a_database_is_what_it_is_called_or_refused() {
    let database = |text: &str| config(&[], &["--database", text]).database;
    assert_eq!(database("Memory"), Database::Memory);
    for address in ["Postgres://me@h/n", "POSTGRESQL://me@h/n"] {
        assert!(matches!(database(address), Database::Postgres(_)), "{address}");
    }
    assert!(matches!(database("some/file.sqlite"), Database::File(_)));
    for address in ["mysql://u:secretpw@h/x", "sqlite:///x.db", "postgress://u:secretpw@h/x", "file://x"] {
        let error = read_with(&[], &["--database", address]).expect_err(address).to_string();
        assert!(error.contains("--database") && !error.contains("secretpw"), "{error}");
    }
}

#[test]
fn what_kubernetes_says_of_a_service_of_this_name_is_no_setting() {
    let read = config(
        &[
            ("QUESTION_SERVER_SERVICE_HOST", "10.96.0.7"),
            ("QUESTION_SERVER_SERVICE_PORT", "8787"),
            ("QUESTION_SERVER_SERVICE_PORT_HTTP", "8787"),
            ("QUESTION_SERVER_PORT", "tcp://10.96.0.7:8787"),
            ("QUESTION_SERVER_PORT_8787_TCP", "tcp://10.96.0.7:8787"),
            ("QUESTION_SERVER_PORT_8787_TCP_ADDR", "10.96.0.7"),
            ("QUESTION_SERVER_PACE", "7"),
        ],
        &[],
    );
    assert_eq!((read.port, read.pace), (DEFAULT_PORT, Duration::from_millis(7)));
    for (name, value) in
        [("QUESTION_SERVER_PORT", "8o8o"), ("QUESTION_SERVER_PORTS", "1"), ("QUESTION_SERVER_PORT_X", "1")]
    {
        read_with(&[(name, value)], &[]).expect_err(name);
    }
}

#[test]
fn mistakes_are_named() {
    for (args, named) in [
        (["--port", "70000"], "--port"),
        (["--port", "70000"], "70000"),
        (["--allow-origin", "not an origin"], "not"),
        (["--allow-agent", "https://*.example"], "https://*.example"),
        (["--allow-agent", "https://a.example/path"], "without a path"),
        (["--allow-agent", "http://[::1]:8080"], "IPv6"),
        (["--what", "1"], "--what"),
        (["--log", "loud"], "loud"),
        (["--log-format", "xml"], "xml"),
        (["--model", "gpt"], "gpt"),
        (["--open=maybe", "--mcp"], "maybe"),
        (["--expire-after", "soon"], "soon"),
        (["--expire-after", "0s"], "0s"),
        (["--limit-rates", "maybe"], "maybe"),
    ] {
        let error = read_with(&[], &args).expect_err("it is a mistake").to_string();
        assert!(error.contains(named), "{error}");
    }
    let error = read_with(&[("QUESTION_SERVER_PACE", "fast")], &[]).expect_err("it is one").to_string();
    assert!(error.contains("QUESTION_SERVER_PACE") && error.contains("fast"));
    let error = read_with(&[("QUESTION_SERVER_PROT", "s3cret")], &[]).expect_err("it is one").to_string();
    assert!(error.contains("QUESTION_SERVER_PROT") && !error.contains("s3cret"), "{error}");
    config(&[("QUESTION_SERVERS", "7"), ("PATH", "/bin")], &[]);
}

#[test]
fn other_machines_are_let_in_with_a_token_only() {
    for address in ["0.0.0.0", "192.168.1.5", "::"] {
        let args = ["--bind", address];
        let error = read_with(&[], &args).expect_err("anybody could come in").to_string();
        assert!(error.contains("token") && error.contains(address), "{error}");
        let token = [("QUESTION_SERVER_TOKEN", "0123456789abcdef")];
        let config = config(&token, &args);
        assert!(!config.tokens.is_empty() && !format!("{config:?}").contains("0123456789"));
    }
    for address in ["127.0.0.1", "127.0.0.2", "::1"] {
        assert!(config(&[], &["--bind", address]).bind.is_loopback());
    }
}

#[test]
fn a_token_is_hard_to_guess_and_easy_to_write_and_a_line_that_has_none_is_named() {
    let long = "t".repeat(201);
    for text in ["secret", "0123456789abcde", "0123456789 abcdef", "0123456789abcdeü", "0123456789abcde&", &long] {
        let weak = read_with(&[], &["--token", text]).expect_err("it is none").to_string();
        assert!(weak.contains("16") && !weak.contains(text), "{weak}");
    }
    assert!(!config(&[], &["--token", "a-token.with_all~kinds"]).tokens.is_empty());
    let text = "# Clients that may enter.\n\nfront-end 0123456789abcdef\n front-end\tfedcba9876543210 \r\nbatch.2 0000111122223333\n";
    let tokens = AccessToken::read_all(text).expect("it is fine");
    let names: Vec<_> = tokens.iter().map(|token| token.name().unwrap_or_default()).collect();
    assert_eq!(names, ["front-end", "front-end", "batch.2"]);
    for (text, named) in [
        ("", "no token"),
        ("# a secret\n", "no token"),
        ("a 0123456789abcdef\n0123456789abcdef", "line 2"),
        ("a secret", "line 1"),
        ("a/b 0123456789abcdef", "a name has"),
    ] {
        let why = AccessToken::read_all(text).expect_err("it is not").to_string();
        assert!(why.contains(named) && !why.contains("0123456789") && !why.contains("secret"), "{why}");
    }
}

#[test]
fn the_command_line_is_well_made_and_its_help_fits_a_terminal() {
    command().debug_assert();
    let help = command().render_help().to_string();
    assert!(help.lines().all(|line| line.len() <= 140), "{help}");
}

#[test]
fn a_backup_needs_a_file_and_nothing_else() {
    let args = ["backup", "copy.sqlite", "--database", "a.sqlite"];
    for variables in [[("QUESTION_SERVER_BIND", "0.0.0.0")], [("QUESTION_SERVER_PORT", "1")]] {
        let read = read_with(&variables, &args);
        let Ok((config, Some(Command::Backup { file }))) = read else {
            panic!("it is fine: {read:?}");
        };
        assert_eq!((config.database, file.as_path()), (Database::File("a.sqlite".into()), Path::new("copy.sqlite")));
    }
    for (args, named) in [(["backup", "--database", "a.sqlite"].as_slice(), "<FILE>"), (&["restore"], "restore")] {
        let error = read_with(&[], args).expect_err("it is a mistake").to_string();
        assert!(error.contains(named) && !error.contains("secret"), "{error}");
    }
}
