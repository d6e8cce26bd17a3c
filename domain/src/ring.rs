//! A ring of replies: agents that answer each other without end, or wake each other with announcements that are typed as replies. Pure.
//!
//! Each reply wakes whoever waits for replies, who replies in turn. Nothing is wrong with a single one of them, and no delegation moves;
//! what they have in common is that there are many in a short time, by the same few agents, and that none of them changes anything.

use std::collections::BTreeMap;

use crate::presence::key;

/// Within how long replies are looked at together, in ms.
pub const WINDOW_MS: u64 = 60_000;
/// From how many idle replies in that time on it is a ring: people and agents who talk a matter over write fewer in a minute, agents that
/// wake each other many more.
pub const MIN_REPLIES: usize = 12;
/// How many of them each agent of a ring wrote at least: a single one is an answer.
const MIN_EACH: usize = 2;
/// How far ahead of ours a writer's clock may be, in ms. What is dated later says nothing about now.
const MAX_AHEAD_MS: u64 = 10_000;

/// A reply, as far as it matters here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Who wrote it.
    pub from_agent: String,
    /// What it belongs to.
    pub correlation_id: Option<String>,
    /// Where it was written.
    pub stream: String,
    /// Whether it is for everybody, as announcements are.
    pub to_all: bool,
    /// What it says of the work.
    pub status: Option<String>,
    /// When, ms since 1970, by its writer's clock.
    pub at_ms: u64,
}

/// Agents that answer each other and move nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ring {
    /// Who, by name.
    pub agents: Vec<String>,
    /// What their replies belong to; without it they are announcements to everybody in a stream, or belong to nothing.
    pub correlation_id: Option<String>,
    /// Where they were written.
    pub stream: String,
    /// How many there are within [`WINDOW_MS`].
    pub replies: usize,
    /// When the first of those was written, ms since 1970.
    pub since_ms: u64,
}

/// The rings among replies, oldest first by arrival. A reply that says another status than the one before it moves the work, and is none
/// of a ring.
pub fn rings(replies: &[Reply], now_ms: u64) -> Vec<Ring> {
    let mut groups: BTreeMap<(Option<&str>, &str), Vec<&Reply>> = BTreeMap::new();
    for reply in replies {
        // What belongs to one thing may be written in several streams; an announcement wakes everybody, whatever it belongs to.
        let key = match reply.correlation_id.as_deref() {
            Some(id) if !reply.to_all => (Some(id), ""),
            _ => (None, reply.stream.as_str()),
        };
        groups.entry(key).or_default().push(reply);
    }
    groups.into_iter().filter_map(|((id, _), group)| ring(id, &group, now_ms)).collect()
}

fn ring(correlation_id: Option<&str>, group: &[&Reply], now_ms: u64) -> Option<Ring> {
    let mut last = None;
    let mut idle: Vec<&Reply> = Vec::new();
    for reply in group {
        let moves = reply.status.is_some() && reply.status != last;
        if reply.status.is_some() {
            last.clone_from(&reply.status);
        }
        let is_now = now_ms.saturating_sub(reply.at_ms) < WINDOW_MS && reply.at_ms <= now_ms + MAX_AHEAD_MS;
        if !moves && is_now {
            idle.push(reply);
        }
    }
    // Names that differ only by case are one agent.
    let mut wrote: BTreeMap<String, (&str, usize)> = BTreeMap::new();
    for reply in &idle {
        wrote.entry(key(&reply.from_agent)).or_insert((&reply.from_agent, 0)).1 += 1;
    }
    wrote.retain(|_, (_, replies)| *replies >= MIN_EACH);
    let of_ring = || idle.iter().filter(|reply| wrote.contains_key(&key(&reply.from_agent)));
    let (first, replies) = (of_ring().next()?, of_ring().count());
    (wrote.len() >= 2 && replies >= MIN_REPLIES).then(|| Ring {
        agents: wrote.values().map(|(name, _)| (*name).to_owned()).collect(),
        correlation_id: correlation_id.map(str::to_owned),
        stream: first.stream.clone(),
        replies,
        since_ms: first.at_ms,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_000_000;

    fn reply(from: &str, correlation: Option<&str>, status: Option<&str>, ago_ms: u64) -> Reply {
        Reply {
            from_agent: from.to_owned(),
            correlation_id: correlation.map(str::to_owned),
            stream: "s".to_owned(),
            to_all: correlation.is_none(),
            status: status.map(str::to_owned),
            at_ms: NOW - ago_ms,
        }
    }

    fn ping_pong(names: &[&str], count: u64, correlation: Option<&str>) -> Vec<Reply> {
        let names = names.iter().cycle().zip(0..count);
        names.map(|(name, n)| reply(name, correlation, None, 30_000 - n * 1000)).collect()
    }

    #[test]
    fn agents_that_wake_each_other_are_a_ring() {
        let found = rings(&ping_pong(&["c", "a", "b"], 15, None), NOW);
        assert_eq!(found.len(), 1);
        let ring = &found[0];
        assert_eq!((ring.agents.join(","), ring.replies, ring.since_ms), ("a,b,c".to_owned(), 15, NOW - 30_000));
        let found = rings(&ping_pong(&["a", "b"], 12, Some("cor_1")), NOW);
        assert_eq!(found[0].correlation_id.as_deref(), Some("cor_1"));
    }

    #[test]
    fn a_lively_delegation_is_none() {
        let steps = ["claimed", "blocked", "claimed", "ready", "failed", "claimed", "ready", "applied"];
        let mut replies: Vec<Reply> =
            steps.iter().map(|status| reply("worker", Some("cor_1"), Some(status), 20_000)).collect();
        replies.extend(ping_pong(&["worker", "asker"], 11, Some("cor_1")));
        assert_eq!(rings(&replies, NOW), []);
    }

    #[test]
    fn one_agent_alone_an_old_talk_and_many_talks_are_none() {
        assert_eq!(rings(&ping_pong(&["a"], 20, None), NOW), []);
        assert_eq!(rings(&ping_pong(&["a", "A"], 20, None), NOW), [], "two spellings of one name");
        assert_eq!(rings(&ping_pong(&["a", "b"], 20, None), NOW + WINDOW_MS), [], "it is over by itself");
        let many: Vec<Reply> = (0..20).flat_map(|n| ping_pong(&["a", "b"], 4, Some(&format!("cor_{n}")))).collect();
        assert_eq!(rings(&many, NOW), []);
    }

    #[test]
    fn announcements_are_of_one_ring_whatever_they_belong_to() {
        let mut replies = ping_pong(&["a", "b", "c", "d", "e", "f"], 12, None);
        for (n, reply) in replies.iter_mut().enumerate() {
            reply.correlation_id = Some(format!("cor_{n}"));
        }
        let found = rings(&replies, NOW);
        assert_eq!((found.len(), found[0].agents.len(), found[0].correlation_id.as_deref()), (1, 6, None));
        for reply in &mut replies {
            reply.at_ms += 24 * 3600 * 1000;
        }
        assert_eq!(rings(&replies, NOW), [], "a clock a day ahead");
    }

    #[test]
    fn the_same_status_again_moves_nothing() {
        let names = ["a", "b"].into_iter().cycle().take(14);
        let replies: Vec<Reply> = names.map(|name| reply(name, Some("c"), Some("blocked"), 5000)).collect();
        assert_eq!(rings(&replies, NOW)[0].replies, 13);
    }
}
