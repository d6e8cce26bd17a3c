//! The recall program: how often a search finds the text that a title belongs to, and how fast, by words, by meaning and by both;
//! here within this process, and through running hubs of any make over their own protocol.
//!
//! It judges searches and nothing else of a hub; the load program `bench` measures the rest. `docs/performance.md` shows how it is
//! called.

mod corpus;
mod hub;
mod inside;
mod scale;
mod score;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use hub::Target;
use score::Score;

/// Whatever went wrong; a measuring program can only tell and end.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Measures how well texts are found.
#[derive(Parser)]
#[command(name = "recall")]
struct Args {
    /// The folder with manual pages from which titles and texts are taken
    #[arg(long, value_name = "DIR", default_value = "/usr/share/man")]
    man: PathBuf,
    /// Another set: a file with one JSON object {"title", "text"} on each line
    #[arg(long, value_name = "FILE")]
    set: Option<PathBuf>,
    /// At most so many documents
    #[arg(long, default_value_t = 5000)]
    documents: usize,
    /// The folder in which the model is installed; without it only words are measured
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
    /// Leave out the three ways within this process
    #[arg(long)]
    hubs_only: bool,
    /// A running hub on an empty palace; may be repeated
    #[arg(long, value_name = "NAME=URL,TOKEN")]
    target: Vec<Target>,
    /// How many times each title is searched for; times are medians over all
    #[arg(long, default_value_t = 1)]
    rounds: usize,
    /// Measure instead a palace with so many texts and invented vectors: its size, its search, its start
    #[arg(long, value_name = "ROWS")]
    scale: Option<usize>,
    /// With --scale: the folder in which the palace is made and left, so that a hub can be started on it
    #[arg(long, value_name = "DIR")]
    palace: Option<PathBuf>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    match runtime.map_err(Failure::from).and_then(|runtime| runtime.block_on(run(args))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

async fn run(args: Args) -> Result<(), Failure> {
    if let Some(rows) = args.scale {
        return tell(&scale::measure(rows, args.palace.as_deref(), args.model.as_deref()).await?);
    }
    let documents = match &args.set {
        Some(file) => corpus::from_file(file, args.documents)?,
        None => corpus::from_man(&args.man, args.documents)?,
    };
    if documents.is_empty() {
        return Err(
            "there are no documents\nhint: install the Debian packages `manpages` and `manpages-dev`, or give --set"
                .into(),
        );
    }
    say(&format!("{} documents", documents.len()));
    let mut scores = Vec::new();
    if !args.hubs_only {
        scores.extend(inside::measure(&documents, args.model.as_deref(), args.rounds).await?);
    }
    // One after the other, so that none slows another down, but each with the same documents in the same order.
    for target in args.target {
        let documents = documents.clone();
        scores.push(tokio::task::spawn_blocking(move || target.measure(&documents, args.rounds)).await??);
    }
    tell(&Score::table(&scores))
}

fn tell(text: &str) -> Result<(), Failure> {
    Ok(std::io::stdout().write_all(text.as_bytes())?)
}

/// Tells people what goes on, on stderr.
pub(crate) fn say(text: &str) {
    // Where stderr is gone there is nobody to tell.
    let _ = writeln!(std::io::stderr(), "{text}");
}
