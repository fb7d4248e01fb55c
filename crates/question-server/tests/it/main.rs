//! The server as its clients see it.

mod access;
mod asks;
mod asks_elsewhere;
mod background;
mod backup;
mod bots;
mod bounds;
mod capability;
mod client_tools;
mod clock;
mod coding;
mod config;
mod conversations;
mod crowds;
mod deletion;
mod deploy;
mod drain;
mod embed;
mod expiry;
mod files;
mod folder;
mod guard;
mod house;
mod http;
mod journey;
mod killed;
#[cfg(feature = "mcp")]
mod mcp;
#[cfg(all(unix, feature = "mcp"))]
mod mcp_tools;
mod metrics;
mod models;
mod older_clients;
mod openapi;
mod other_agent;
#[cfg(feature = "otlp")]
mod otlp;
mod own_model;
mod owners;
mod page;
mod pauses;
#[cfg(all(unix, feature = "postgres"))]
mod postgres;
mod provider;
mod readme;
mod refusals;
mod reload;
mod replicas;
mod replies;
mod requirements;
mod script;
mod scripted;
mod scripts;
mod socket;
mod sqlite;
mod stalls;
mod starting;
mod store;
mod tools;
mod unattended;
mod visitor;
mod waiting_asks;
mod watcher;
mod web_push;
