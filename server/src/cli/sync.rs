//! `loggia logstream sync`: one pull from every peer, or from one that is named, into the palace's files, beside a running hub or without
//! one. What it answers has the names that `mempalace logstream sync` uses.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use super::output::{Failure, Out};
use crate::config;
use crate::estate::peers::{self, Peer};
use crate::estate::{Estate, Options, Pulled};
use crate::logstream::Logstream;
use crate::tokens::audit::Audit;

#[derive(Args)]
pub(super) struct Sync {
    /// A hub's address; else every hub in peers.json
    #[arg(long, value_name = "URL")]
    peer: Option<String>,
    /// A PEM file with the authorities to trust, instead of the usual ones; else $LOGGIA_PEER_CA
    #[arg(long, value_name = "FILE")]
    peer_ca: Option<PathBuf>,
    /// Answer in JSON
    #[arg(long)]
    pub(super) json: bool,
}

impl Sync {
    /// `token` is for the hub that `--peer` names; else it is in the environment.
    pub(super) async fn run(self, palace: PathBuf, token: Option<String>, out: &Out) -> Result<ExitCode, Failure> {
        let peers = self.peers(&palace, token)?;
        let authorities = config::peer_authorities(self.peer_ca.as_deref())?;
        let log = Logstream::open(&palace)?;
        let audit = Audit::open(&palace).map_err(|e| Failure::new(e.to_string()))?;
        let options = Options { authorities, audit: Some(audit.clone()), ..Options::default() };
        let estate = Estate::new(log.clone(), &palace, options);
        let mut results = Vec::with_capacity(peers.len());
        for (peer, is_named) in peers {
            let (estate, asked) = (estate.clone(), peer.clone());
            let pulled = tokio::task::spawn_blocking(move || estate.pull_once(&asked))
                .await
                .map_err(|e| Failure::new(format!("a pull ended early: {e}")))?;
            let mut result = match pulled {
                Ok(pulled) => told(&pulled),
                Err(fault) => json!({"error": fault.to_string()}),
            };
            result["peer_url"] = peer.url.as_str().trim_end_matches('/').into();
            if !is_named {
                result["peer_name"] = peer.name.into();
            }
            results.push(result);
        }
        log.close();
        audit.close();
        let failed =
            results.iter().any(|r| r.get("error").is_some() || r["blocks"].as_object().is_some_and(|b| !b.is_empty()));
        out.answer(&results, || lines(&results))?;
        Ok(ExitCode::from(u8::from(failed)))
    }

    /// Whom to ask, and whether it was named.
    fn peers(&self, palace: &Path, token: Option<String>) -> Result<Vec<(Peer, bool)>, Failure> {
        if let Some(url) = &self.peer {
            let url = peers::address(url).map_err(Failure::new)?;
            let token = token.filter(|t| !t.is_empty()).or_else(config::peer_token);
            if let Some(token) = &token {
                peers::check_token(token).map_err(Failure::new)?;
            }
            return Ok(vec![(Peer { name: url.to_string(), url, token }, true)]);
        }
        let read = peers::read(palace).map_err(Failure::new)?;
        for fault in &read.faults {
            super::output::notice(&format!("warning: {fault}"));
        }
        if read.peers.is_empty() {
            return Err(Failure::new("there is nobody to pull from")
                .hint("give `--peer URL`, or name a hub with `loggia peers add`"));
        }
        Ok(read.peers.into_iter().map(|peer| (peer, false)).collect())
    }
}

fn told(pulled: &Pulled) -> Value {
    json!({
        "peer_replica": pulled.replica_id,
        "pulled_events": pulled.events,
        "pulled_artifacts": pulled.artifacts,
        "per_origin": pulled.per_origin,
        "remote_version_vector": pulled.version_vector,
        "remote_profile": pulled.profile,
        "blocks": pulled.blocks,
    })
}

fn lines(results: &[Value]) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut lines = Vec::new();
    for result in results {
        let url = text(&result["peer_url"]);
        if let Some(error) = result["error"].as_str() {
            lines.push(format!("  {url}: {error}"));
            continue;
        }
        let (events, artifacts) = (&result["pulled_events"], &result["pulled_artifacts"]);
        lines.push(format!("  {url} ({}): +{events} events, +{artifacts} artifacts", text(&result["peer_replica"])));
        for (origin, block) in result["blocks"].as_object().into_iter().flatten() {
            lines.push(format!("    {origin} stops: {}", text(&block["reason"])));
        }
    }
    lines.join("\n")
}
