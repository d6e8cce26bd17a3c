//! What a hub uses while nothing happens, with and without open streams.

use std::time::{Duration, Instant};

use tokio::time::sleep;

use crate::Failure;
use crate::process::{cpu_time, rss_kib};
use crate::report::Figures;
use crate::target::Target;

/// How long nothing happens. CPU time is counted in steps of 10 ms, so this gives 0.1 % of a core.
const LASTING: Duration = Duration::from_secs(10);
/// How long a hub may go on with work of its own after it started.
const SETTLING: Duration = Duration::from_mins(30);
/// After how many quiet seconds that work is over.
const QUIET_S: u32 = 4;

/// Memory and CPU of a hub to which nobody speaks. Nothing when its process is not known.
pub(crate) async fn measure(target: &Target) -> Result<Figures, Failure> {
    let Some(pid) = target.pid else { return Ok(Vec::new()) };
    let before = cpu_time(pid)?;
    sleep(LASTING).await;
    let used = cpu_time(pid)?.saturating_sub(before);
    Ok(vec![
        ("memory_mib", rss_kib(pid)? / 1024.0),
        ("cpu_percent_of_a_core", used.as_secs_f64() * 100.0 / LASTING.as_secs_f64()),
    ])
}

/// Waits until a hub has done what it does by itself after a start (counting, indexing), and gives how long that took. Such work
/// rests now and then, so a hub is at rest after some seconds with hardly any work.
pub(crate) async fn settle(pid: u32) -> Result<Duration, Failure> {
    let (started, mut worked_until, mut quiet_s) = (Instant::now(), Duration::ZERO, 0);
    while started.elapsed() < SETTLING {
        let before = cpu_time(pid)?;
        sleep(Duration::from_secs(1)).await;
        if cpu_time(pid)?.saturating_sub(before) > Duration::from_millis(20) {
            (worked_until, quiet_s) = (started.elapsed(), 0);
        } else {
            quiet_s += 1;
        }
        if quiet_s == QUIET_S {
            return Ok(worked_until);
        }
    }
    Err("the hub does not come to rest".into())
}
