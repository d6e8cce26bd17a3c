//! Requests by what they ask and how they were answered. A class of routes, never a path: a path may hold anybody's text.

use std::sync::atomic::{AtomicU64, Ordering};

/// What a request asks, as far as it is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// `/mcp`
    Mcp,
    /// `/logstream/stream`
    Stream,
    /// `/artifacts/{id}/raw`
    Artifacts,
    /// `/api/…`: what pages ask.
    Api,
    /// `/sync/…`
    Sync,
    /// `/v1/…`: session memory.
    Memory,
    /// Signing in and out.
    SignIn,
    /// Health, status and metrics.
    Operations,
    /// Scripts, styles and other files of the site.
    Site,
    /// Pages, and whatever else was asked for.
    Pages,
}

impl Route {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 10] = [
        Self::Mcp,
        Self::Stream,
        Self::Artifacts,
        Self::Api,
        Self::Sync,
        Self::Memory,
        Self::SignIn,
        Self::Operations,
        Self::Site,
        Self::Pages,
    ];

    /// The class of a path.
    pub fn of(path: &str) -> Self {
        let first = path.trim_start_matches('/').split('/').next().unwrap_or_default();
        match first {
            "mcp" => Self::Mcp,
            "logstream" => Self::Stream,
            "artifacts" => Self::Artifacts,
            "api" => Self::Api,
            "sync" => Self::Sync,
            "v1" => Self::Memory,
            "sign-in" | "sign-out" | "language" => Self::SignIn,
            "healthz" | "statusz" | "metrics" => Self::Operations,
            "pkg" => Self::Site,
            file if file.contains('.') => Self::Site,
            _ => Self::Pages,
        }
    }

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mcp => "mcp",
            Self::Stream => "stream",
            Self::Artifacts => "artifacts",
            Self::Api => "api",
            Self::Sync => "sync",
            Self::Memory => "memory",
            Self::SignIn => "sign_in",
            Self::Operations => "operations",
            Self::Site => "site",
            Self::Pages => "pages",
        }
    }
}

/// The classes of statuses, by their first digit.
pub const STATUSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// How many requests were answered, by route and status.
#[derive(Debug, Default)]
pub struct Requests {
    counts: [[AtomicU64; STATUSES.len()]; Route::ALL.len()],
}

impl Requests {
    /// A request was answered. A stream counts when it begins.
    pub fn answered(&self, route: Route, status: u16) {
        let class = usize::from(status / 100).saturating_sub(1).min(STATUSES.len() - 1);
        // The enum's order is that of `ALL`.
        self.counts[route as usize][class].fetch_add(1, Ordering::Relaxed);
    }

    /// Every route with the counts of its status classes, in the order of [`STATUSES`].
    pub fn counted(&self) -> impl Iterator<Item = (Route, [u64; STATUSES.len()])> {
        Route::ALL
            .into_iter()
            .zip(&self.counts)
            .map(|(route, counts)| (route, std::array::from_fn(|class| counts[class].load(Ordering::Relaxed))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_counted_by_its_class() {
        for (path, route) in [
            ("/mcp", Route::Mcp),
            ("/mcp/x", Route::Mcp),
            ("/logstream/stream", Route::Stream),
            ("/artifacts/art_x/raw", Route::Artifacts),
            ("/api/ask", Route::Api),
            ("/sync/ops", Route::Sync),
            ("/v1/mems", Route::Memory),
            ("/sign-in", Route::SignIn),
            ("/metrics", Route::Operations),
            ("/pkg/loggia.wasm", Route::Site),
            ("/favicon.svg", Route::Site),
            ("/", Route::Pages),
            ("/task", Route::Pages),
            ("/what/ever", Route::Pages),
        ] {
            assert_eq!(Route::of(path), route, "{path}");
        }
    }

    #[test]
    fn every_route_has_counts_of_its_own() {
        let requests = Requests::default();
        for (times, route) in (1..).zip(Route::ALL) {
            (0..times).for_each(|_| requests.answered(route, 204));
        }
        requests.answered(Route::Pages, 599);
        let counted: Vec<_> = requests.counted().collect();
        for (times, (route, counts)) in (1..).zip(&counted) {
            assert_eq!(counts[1], times, "{route:?}");
        }
        assert_eq!(counted[9], (Route::Pages, [0, 10, 0, 0, 1]));
    }
}
