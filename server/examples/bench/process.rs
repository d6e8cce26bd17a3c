//! What the system tells about a process: memory, CPU time, the limit on open files. Linux only.

use std::fs;
use std::time::Duration;

use crate::Failure;

/// Resident memory in KiB.
pub(crate) fn rss_kib(pid: u32) -> Result<f64, Failure> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:")).ok_or("the process has ended")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

/// CPU time used so far by all threads, user and system, in steps of 10 ms.
pub(crate) fn cpu_time(pid: u32) -> Result<Duration, Failure> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The second field is the name in brackets and may hold anything; `utime` and `stime` are the 14th and 15th.
    let fields = stat.rsplit_once(')').ok_or("no name in its stat")?.1;
    let mut ticks = 0;
    for field in fields.split_whitespace().skip(11).take(2) {
        ticks += field.parse::<u64>()?;
    }
    // Linux counts in hundredths of a second towards programs, whatever the kernel uses itself.
    Ok(Duration::from_millis(ticks * 10))
}

/// How many files this process may have open.
pub(crate) fn file_limit() -> usize {
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find_map(|l| l.strip_prefix("Max open files")).unwrap_or_default();
    line.split_whitespace().next().and_then(|n| n.parse().ok()).unwrap_or(usize::MAX)
}

/// CPU time of a hub and of this program, to see who used what between two moments.
pub(crate) struct CpuMeter {
    pid: Option<u32>,
    hub: Duration,
    own: Duration,
}

impl CpuMeter {
    /// Starts to measure.
    pub(crate) fn start(pid: Option<u32>) -> Self {
        let read = |pid: u32| cpu_time(pid).unwrap_or_default();
        Self { pid, hub: pid.map(read).unwrap_or_default(), own: read(std::process::id()) }
    }

    /// What the hub used since the start, if its process is known, and what this program did.
    pub(crate) fn used(&self) -> (Option<Duration>, Duration) {
        let since = |pid: u32, start: Duration| cpu_time(pid).unwrap_or_default().saturating_sub(start);
        (self.pid.map(|pid| since(pid, self.hub)), since(std::process::id(), self.own))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_readable() {
        assert!(rss_kib(std::process::id()).expect("it runs") > 100.0);
        cpu_time(std::process::id()).expect("it runs");
        assert!(file_limit() > 10);
    }
}
