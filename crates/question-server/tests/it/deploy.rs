//! The files for operators: the program takes what they say, and they say the same.

use crate::socket::{binary, exchange, listening};
use question_server::config::{DEFAULT_PORT, Database, read};
use question_server::limits::DRAIN_GRACE;
use std::process::Output;

const COMPOSE: &str = include_str!("../../deploy/compose.yaml");
const NGINX: &str = include_str!("../../deploy/nginx.conf");
const CONTAINERFILE: &str = include_str!("../../Containerfile");

/// The environment of a server: the image's, and that of the compose file, with what an operator writes beside it.
fn environment() -> Vec<(String, String)> {
    let (_, of_image) = CONTAINERFILE.split_once("\nENV ").expect("it has one");
    let of_image = of_image.split("\nVOLUME").next().unwrap_or_default().split_whitespace();
    let of_image = of_image.filter_map(|pair| pair.split_once('='));
    let (_, ours) = COMPOSE.split_once("x-environment: &environment\n").expect("it has one");
    let ours = ours.lines().map_while(|line| line.strip_prefix("  ")?.split_once(": "));
    let all = of_image.chain(ours).map(|(name, value)| (name.to_owned(), filled_in(value.trim_matches('"'))));
    all.collect()
}

/// A value with the operator's own in place of its variables.
fn filled_in(value: &str) -> String {
    let Some((before, rest)) = value.split_once("${") else {
        return value.to_owned();
    };
    let (variable, rest) = rest.split_once('}').expect("it ends");
    let name = variable.split(':').next().unwrap_or_default();
    assert!(COMPOSE.contains(&format!("\n#   {name}=")), "its head says what {name} is");
    let own = variable.split_once(":-").map_or("0123456789abcdef", |(_, default)| default);
    format!("{before}{own}{}", filled_in(rest))
}

/// The health check of both files, without the program.
fn probe() -> Vec<String> {
    let line = COMPOSE.lines().find_map(|line| line.strip_prefix("  test: ")).expect("it has one");
    let command: Vec<String> = serde_json::from_str(line).expect("it is a list");
    let (_, image) = CONTAINERFILE.split_once("HEALTHCHECK").expect("it has one");
    let (_, image) = image.split_once("CMD ").expect("it has a command");
    let image: Vec<String> = serde_json::from_str(image.lines().next().unwrap_or_default()).expect("it is a list");
    assert_eq!((&*command[0], &command[1..]), ("CMD", &image[..]));
    assert!(CONTAINERFILE.contains(&format!("ENTRYPOINT [\"{}\"]", image[0])), "it is the program");
    image[1..].to_vec()
}

/// Runs the health check with these settings.
async fn check_health(settings: &[(String, String)], address: &[&str]) -> Output {
    let probe = probe();
    let args: Vec<&str> = probe.iter().map(String::as_str).chain(address.iter().copied()).collect();
    binary(&args).envs(settings.iter().cloned()).output().await.expect("the binary starts")
}

#[tokio::test]
async fn the_compose_files_servers_start_and_are_healthy() {
    let mut settings = environment();
    let config = match read(settings.iter().map(|(name, value)| (name.into(), value.into())), []) {
        Ok((config, None)) => config,
        other => panic!("it is fine: {other:?}"),
    };
    assert!(matches!(&config.database, Database::Postgres(address) if address.contains("10.87.0.2")));
    assert!(config.mcp && config.peer_header.is_some());
    assert!(COMPOSE.contains("stop_grace_period: 20s") && DRAIN_GRACE < std::time::Duration::from_secs(20));
    // The Postgres is not here, and the port may be taken.
    let own = [("QUESTION_SERVER_DATABASE", "memory"), ("QUESTION_SERVER_PORT", "0"), ("QUESTION_SERVER_LOG", "off")];
    settings.extend(own.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let mut command = binary(&[]);
    command.envs(settings.iter().cloned());
    let (child, address) = listening(command).await;
    settings.push(("QUESTION_SERVER_PORT".to_owned(), address.port().to_string()));
    let healthy = check_health(&settings, &[]).await;
    assert!(healthy.status.success(), "{healthy:?}");
    let named = check_health(&[], &[&format!("127.0.0.1:{}", address.port())]).await;
    assert!(named.status.success(), "{named:?}");
    drop(child);
}

#[cfg(unix)]
#[tokio::test]
async fn a_server_that_stops_is_not_healthy_and_a_second_signal_ends_it() {
    use crate::socket::{ends_well, hello_until, start, tell, until_logged};
    use nix::sys::signal::Signal;
    let (mut child, address) = start(&["--port", "0", "--pace", "3600000"]).await;
    assert!(check_health(&[], &[&address.to_string()]).await.status.success());
    // The run would go on for an hour.
    let _run = hello_until(address, "t", "RUN_STARTED").await;
    tell(&child, Signal::SIGTERM);
    until_logged(&mut child, "shutting down").await;
    tell(&child, Signal::SIGINT);
    until_logged(&mut child, "a second signal").await;
    ends_well(&mut child).await;
    let gone = check_health(&[], &[&address.to_string()]).await;
    let said = String::from_utf8_lossy(&gone.stderr);
    assert!(gone.status.code() == Some(1) && said.contains("does not answer"), "{said}");
}

#[test]
fn nginx_is_in_front_of_the_compose_files_servers() {
    let port = format!(":{DEFAULT_PORT}");
    let upstreams: Vec<&str> = NGINX.lines().filter_map(|line| line.trim().strip_prefix("server 10.")).collect();
    let addresses: Vec<&str> = upstreams
        .iter()
        .filter_map(|line| line.split_once(' '))
        .map(|(place, rest)| {
            assert_eq!(rest, "max_fails=0;");
            place.strip_suffix(&port).expect("it is the image's port")
        })
        .collect();
    let services = COMPOSE.split("\n  server-").skip(1).map(|service| service.split("\n\n").next().unwrap_or_default());
    let of_servers: Vec<&str> = services
        .filter_map(|service| {
            for shared in ["environment: *environment", "healthcheck: *healthcheck", "image: ${IMAGE:-question-server}"]
            {
                assert!(service.contains(shared), "{shared}: {service}");
            }
            service.lines().find_map(|line| line.trim().strip_prefix("ipv4_address: 10."))
        })
        .collect();
    assert_eq!((addresses.len(), &addresses), (3, &of_servers));
    let address = |service: &str| {
        let (_, rest) = COMPOSE.split_once(service).expect("it is there");
        rest.split_once("ipv4_address: ").and_then(|(_, rest)| rest.lines().next()).expect("it has an address")
    };
    let (nginx, caddy) = (address("\n  nginx:"), address("\n  caddy:"));
    assert!(COMPOSE.contains(&format!("--to {nginx}:80\n")) && COMPOSE.contains(&format!("TRUSTED_PROXY: {nginx}\n")));
    assert!(
        NGINX.contains(&format!("set_real_ip_from {caddy};"))
            && NGINX.contains(&format!("{caddy} $http_x_forwarded_proto;"))
    );
    assert!(
        COMPOSE.contains("- ./nginx.conf:/etc/nginx/nginx.conf:ro")
            && CONTAINERFILE.contains(&format!("EXPOSE {DEFAULT_PORT}"))
    );
}

const KUBERNETES: &str = include_str!("../../deploy/kubernetes.yaml");

/// The value of this key wherever the manifest has it.
fn all<'a>(key: &'a str) -> impl Iterator<Item = &'static str> + 'a {
    KUBERNETES.lines().filter_map(move |line| line.trim().strip_prefix(key)?.strip_prefix(": "))
}

/// The environment of a pod's server: the manifest's, and that of its secret.
fn pod() -> Vec<(String, String)> {
    let own = KUBERNETES.split("- name: QUESTION_SERVER_").skip(1).map(|variable| {
        let (name, rest) = variable.split_once('\n').expect("a value is below");
        let value = rest.lines().next().and_then(|line| line.trim().strip_prefix("value: ")).expect("it has a value");
        (name, value.trim_matches('"'))
    });
    let secret = KUBERNETES.split("--from-literal=QUESTION_SERVER_").skip(1).map(|variable| {
        let (name, value) = variable.split_once('=').expect("it has a value");
        let value = value.lines().next().unwrap_or_default().trim_end_matches(" \\");
        (name, if value.starts_with("$(") { "0123456789abcdef" } else { value })
    });
    own.chain(secret).map(|(name, value)| (format!("QUESTION_SERVER_{name}"), value.to_owned())).collect()
}

#[tokio::test]
async fn the_pods_of_the_manifest_start_and_answer_their_probes() {
    let mut settings = pod();
    let config = match read(settings.iter().map(|(name, value)| (name.into(), value.into())), []) {
        Ok((config, None)) => config,
        other => panic!("it is fine: {other:?}"),
    };
    assert!(matches!(&config.database, Database::Postgres(address) if address.contains("@postgres/")));
    assert!(config.mcp && config.peer_header.is_some() && !config.tokens.is_empty());
    let grace: u64 = all("terminationGracePeriodSeconds").next().and_then(|time| time.parse().ok()).expect("it is set");
    let notice: u64 = all("seconds").next().and_then(|time| time.parse().ok()).expect("it is set");
    assert!(DRAIN_GRACE + std::time::Duration::from_secs(notice) < std::time::Duration::from_secs(grace));
    assert!(all("containerPort").any(|port| port == DEFAULT_PORT.to_string()));
    assert!(
        all("host").chain(all("- host")).all(|host| config.public_origins[0].to_string() == format!("https://{host}"))
    );
    let own = [("QUESTION_SERVER_DATABASE", "memory"), ("QUESTION_SERVER_PORT", "0"), ("QUESTION_SERVER_LOG", "off")];
    settings.extend(own.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let mut command = binary(&[]);
    command.envs(settings);
    let (_child, address) = listening(command).await;
    let probes: Vec<&str> = KUBERNETES.split("httpGet:").skip(1).filter_map(|probe| probe.lines().nth(1)).collect();
    assert_eq!(probes.len(), 3);
    for probe in probes {
        let path = probe.trim().strip_prefix("path: ").expect("it has a path");
        // The kubelet calls a pod by its address.
        let request = format!("GET {path} HTTP/1.0\r\nHost: 10.1.2.3:8787\r\n\r\n");
        let answer = exchange(address, &request).await;
        assert!(answer.contains(" 200 "), "{path}: {answer}");
    }
}
