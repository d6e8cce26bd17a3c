//! Whether dawdlers delay anybody: how long an append takes on a quiet hub, and while two hundred connections send one byte a second.
//!
//! `cargo run --release --example slow_clients -- --url http://127.0.0.1:8787 --token TOKEN`, against a hub with a palace that may be
//! thrown away. It prints percentiles of both, in turns, and how many of the dawdlers the hub cut meanwhile.

use std::error::Error;
use std::io::{ErrorKind, Read as _, Write};
use std::net::TcpStream;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use clap::Parser;

/// What is measured, and where.
#[derive(Parser)]
struct Args {
    /// The hub's address
    #[arg(long, default_value = "http://127.0.0.1:8787")]
    url: String,
    /// A token that may write
    #[arg(long)]
    token: String,
    /// How many connections dawdle
    #[arg(long, default_value_t = 200)]
    clients: usize,
    /// How long each measurement takes, in seconds
    #[arg(long, default_value_t = 20)]
    seconds: u64,
    /// How often both are measured, in turns
    #[arg(long, default_value_t = 3)]
    rounds: usize,
}

fn main() -> ExitCode {
    let (mut out, mut err) = (std::io::stdout(), std::io::stderr());
    match run(&Args::parse(), &mut out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing is left to say if this fails too.
            let _ = writeln!(err, "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let address = args.url.strip_prefix("http://").ok_or("only http:// is measured")?.trim_end_matches('/');
    writeln!(out, "appends one after another, {} s each; milliseconds", args.seconds)?;
    writeln!(out, "{:<24}{:>8}{:>8}{:>8}{:>8}{:>10}", "", "p50", "p90", "p99", "max", "appends")?;
    for _ in 0..args.rounds {
        report(out, "quiet", appends(args)?)?;
        let dawdlers = Dawdlers::start(address, args.clients)?;
        report(out, &format!("{} slow connections", args.clients), appends(args)?)?;
        writeln!(out, "  of them cut by the hub, and come again: {}", dawdlers.stop())?;
    }
    Ok(())
}

/// How long each append took, in milliseconds.
fn appends(args: &Args) -> Result<Vec<f64>, Box<dyn Error>> {
    let agent = ureq::Agent::new_with_defaults();
    let (url, bearer) = (format!("{}/mcp", args.url.trim_end_matches('/')), format!("Bearer {}", args.token));
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mempalace_event_append","arguments":
        {"type":"note","stream":"bench/slow","room":"r","from_agent":"bench","body":"a line of text, as agents write it"}}}"#;
    let (mut took, until) = (Vec::new(), Instant::now() + Duration::from_secs(args.seconds));
    while Instant::now() < until {
        let begun = Instant::now();
        let mut answer =
            agent.post(&url).header("Authorization", &bearer).content_type("application/json").send(call)?;
        let text = answer.body_mut().read_to_string()?;
        took.push(begun.elapsed().as_secs_f64() * 1000.0);
        if !text.contains(r#"\"success\":true"#) {
            return Err(format!("not appended: {text}").into());
        }
    }
    Ok(took)
}

fn report(out: &mut impl Write, name: &str, mut took: Vec<f64>) -> std::io::Result<()> {
    took.sort_unstable_by(f64::total_cmp);
    let at = |percent: usize| took.get((took.len() * percent / 100).min(took.len() - 1)).copied().unwrap_or_default();
    let (p50, p90, p99, max) = (at(50), at(90), at(99), at(100));
    writeln!(out, "{name:<24}{p50:>8.2}{p90:>8.2}{p99:>8.2}{max:>8.2}{:>10}", took.len())
}

/// Connections whose requests never come to an end.
struct Dawdlers {
    stop: Arc<AtomicBool>,
    cut: Arc<AtomicUsize>,
    thread: std::thread::JoinHandle<()>,
}

impl Dawdlers {
    fn start(address: &str, count: usize) -> std::io::Result<Self> {
        let (stop, cut) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let open = |address: &str| -> std::io::Result<TcpStream> {
            let mut socket = TcpStream::connect(address)?;
            socket.write_all(format!("POST /mcp HTTP/1.1\r\nHost: {address}\r\nX-Slow: ").as_bytes())?;
            socket.set_nonblocking(true)?;
            Ok(socket)
        };
        let mut sockets = (0..count).map(|_| open(address)).collect::<std::io::Result<Vec<_>>>()?;
        let (address, stopped, counted) = (address.to_owned(), Arc::clone(&stop), Arc::clone(&cut));
        let thread = std::thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                for socket in &mut sockets {
                    let is_cut = socket.write_all(b"x").is_err()
                        || !matches!(socket.read(&mut [0; 64]), Err(e) if e.kind() == ErrorKind::WouldBlock);
                    if is_cut {
                        counted.fetch_add(1, Ordering::Relaxed);
                        if let Ok(again) = open(&address) {
                            *socket = again;
                        }
                    }
                }
                std::thread::sleep(Duration::from_secs(1));
            }
        });
        Ok(Self { stop, cut, thread })
    }

    /// Ends them; how many the hub had cut.
    fn stop(self) -> usize {
        self.stop.store(true, Ordering::Relaxed);
        // It only sleeps and writes: there is nothing in it to panic.
        let _ = self.thread.join();
        self.cut.load(Ordering::Relaxed)
    }
}
