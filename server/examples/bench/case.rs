//! What is measured in each round: the list of cases, and how one of them is measured on one hub.

use std::time::SystemTime;

use crate::args::{Args, Part};
use crate::deliver::Plan;
use crate::lists::Question;
use crate::memory::Load;
use crate::redis::Redis;
use crate::report::Figures;
use crate::target::Target;
use crate::{Failure, append, deliver, lists, memory, outside};

/// More streams than this are not asked of a hub that takes few.
const FEW_STREAMS: usize = 8;

/// With fewer streams than this the memory of one cannot be told from everything else.
const MANY_STREAMS: usize = 1000;

/// One thing to measure.
pub(crate) enum Case {
    /// Appends from so many connections.
    Append(usize),
    /// Writes to session memory.
    Memory(Load),
    /// Delivery to streams and a wait.
    Deliver(Plan),
    /// A list, a search, a page.
    Ask(Question),
    /// Writes of another process.
    Outside,
}

impl Case {
    /// What was asked for, in the order in which it is measured: questions first, while the log has the size that it was given.
    pub(crate) fn all(args: &Args) -> Vec<Self> {
        let mut cases = Vec::new();
        if args.wants(Part::List) {
            let pages = args.pages.iter().filter(|p| !p.is_empty()).cloned().map(Question::Page);
            let questions = [
                Question::List(50),
                Question::List(500),
                Question::Inbox,
                Question::SearchCommon,
                Question::SearchRare,
            ];
            cases.extend(questions.into_iter().chain(pages).map(Self::Ask));
        }
        if args.wants(Part::Deliver) {
            let most = args.streams.iter().max();
            for &streams in &args.streams {
                let weigh = Some(&streams) == most && streams >= MANY_STREAMS;
                let plan = |rate_per_s: u32| Plan { streams, rate_per_s, events: args.events, weigh };
                cases.extend(args.rates.iter().map(|rate| Self::Deliver(plan(*rate))));
            }
        }
        if args.wants(Part::Outside) {
            cases.push(Self::Outside);
        }
        if args.wants(Part::Append) {
            cases.extend(args.clients.iter().map(|n| Self::Append(*n)));
        }
        if args.wants(Part::Memory) {
            cases.extend(Load::all(&args.clients, args.redis.is_some()).into_iter().map(Self::Memory));
        }
        cases
    }

    /// What the report calls it.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Append(1) => "append, 1 client".to_owned(),
            Self::Append(clients) => format!("append, {clients} clients"),
            Self::Memory(load) => load.name(),
            Self::Deliver(plan) => format!("deliver, {} streams, {}/s", plan.streams, plan.rate_per_s),
            Self::Ask(question) => question.name(),
            Self::Outside => "outside write to stream".to_owned(),
        }
    }

    /// How many streams it opens at once.
    pub(crate) fn streams(&self) -> usize {
        match self {
            Self::Deliver(plan) => plan.streams,
            _ => 1,
        }
    }

    /// Measures it once; nothing when this hub cannot be asked for it.
    pub(crate) async fn measure(
        &self,
        target: &Target,
        args: &Args,
        redis: Option<&mut Redis>,
    ) -> Result<Figures, Failure> {
        match self {
            Self::Append(clients) => append::measure(target, *clients, args.lasting()).await,
            Self::Memory(load) => memory::measure(target, *load, args.lasting(), nonce()?, redis).await,
            Self::Deliver(plan) if plan.streams > FEW_STREAMS && args.few_streams.contains(&target.name) => {
                Ok(Vec::new())
            }
            Self::Deliver(plan) => deliver::measure(target, *plan, nonce()?).await,
            Self::Ask(question) => lists::measure(target, question, args.lasting()).await,
            Self::Outside => match &target.palace {
                Some(palace) => outside::measure(target, palace, args.events, nonce()?).await,
                None => Ok(Vec::new()),
            },
        }
    }
}

/// A number that no earlier run has used, for the name of a stream.
fn nonce() -> Result<u64, Failure> {
    Ok(u64::try_from(SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_micros())?)
}
