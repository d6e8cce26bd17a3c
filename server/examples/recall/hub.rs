//! A running hub: the documents are filed with its own tool, one after the other, and searched for with its own.

use std::collections::HashMap;
use std::str::FromStr;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::corpus::Document;
use crate::score::{HITS, Score};
use crate::{Failure, say};

/// A write may load a model first.
const CALL_LIMIT: Duration = Duration::from_mins(5);
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A hub, as the command line names it.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    name: String,
    url: String,
    token: String,
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('=').and_then(|(name, rest)| Some((name, rest.split_once(',')?)));
        let (name, (url, token)) = parts.ok_or("not NAME=URL,TOKEN")?;
        Ok(Self { name: name.to_owned(), url: format!("{}/mcp", url.trim_end_matches('/')), token: token.to_owned() })
    }
}

impl Target {
    /// Files the documents, waits for their vectors, and searches for each title.
    pub(crate) fn measure(&self, documents: &[Document], rounds: usize) -> Result<Score, Failure> {
        let agent = ureq::Agent::config_builder().timeout_global(Some(CALL_LIMIT)).proxy(None).build().new_agent();
        let mut score = Score::new(&self.name);
        let mut ids = HashMap::new();
        say(&format!("{}: filing", self.name));
        let begun = Instant::now();
        for (n, document) in documents.iter().enumerate() {
            let arguments = json!({"wing": "recall", "room": "pages", "content": document.text});
            let sent = Instant::now();
            let answer = self.call(&agent, "mempalace_add_drawer", &arguments)?;
            score.wrote(sent.elapsed());
            let id = answer["drawer_id"].as_str().ok_or_else(|| format!("{}: {answer}", self.name))?;
            ids.insert(id.to_owned(), n);
        }
        // A hub that embeds while it files has nothing to say here.
        while self.call(&agent, "mempalace_status", &json!({}))?["updates"]["vectors_waiting"].as_i64().unwrap_or(0) > 0
        {
            thread::sleep(LOOK_EVERY);
        }
        score.ready(begun.elapsed());
        say(&format!("{}: searching", self.name));
        for _ in 0..rounds {
            for (n, document) in documents.iter().enumerate() {
                let arguments = json!({"query": document.title, "limit": HITS});
                let sent = Instant::now();
                let answer = self.call(&agent, "mempalace_search", &arguments)?;
                let took = sent.elapsed();
                let hits = answer["results"].as_array().ok_or_else(|| format!("{}: {answer}", self.name))?;
                let place =
                    hits.iter().position(|hit| hit["drawer_id"].as_str().and_then(|id| ids.get(id)) == Some(&n));
                score.searched(place, took);
            }
        }
        Ok(score)
    }

    fn call(&self, agent: &ureq::Agent, tool: &str, arguments: &Value) -> Result<Value, Failure> {
        let request = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments},
        });
        let request =
            agent.post(&self.url).header("Authorization", format!("Bearer {}", self.token)).send_json(request);
        let answer: Value = request?.body_mut().read_json()?;
        let text = answer["result"]["content"][0]["text"].as_str().ok_or_else(|| format!("{}: {answer}", self.name))?;
        Ok(serde_json::from_str(text)?)
    }
}
