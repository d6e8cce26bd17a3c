//! How many live streams there may be, in all and by one credential. A place is given back when it is dropped.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use loggia_domain::{ApiError, ErrorCode};

/// The places for live streams. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Streams {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    max: usize,
    max_per_owner: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    by_owner: HashMap<String, usize>,
}

/// One open stream's place.
#[derive(Debug)]
pub struct Place {
    streams: Streams,
    owner: String,
}

impl Streams {
    /// So many places, and so many of them for one owner.
    pub fn new(max: usize, max_per_owner: usize) -> Self {
        Self { inner: Arc::new(Inner { max, max_per_owner, taken: Mutex::default() }) }
    }

    /// How many are open.
    pub fn open(&self) -> usize {
        self.taken().all
    }

    /// How many there may be.
    pub fn max(&self) -> usize {
        self.inner.max
    }

    /// Takes a place for a credential: the name of its token. When there is none left the error says whose limit it was.
    pub fn take(&self, owner: &str) -> Result<Place, ApiError> {
        let Inner { max, max_per_owner, .. } = *self.inner;
        let hint = "try again in a few seconds; event_list and event_wait still work";
        let mut taken = self.taken();
        if taken.all >= max {
            return Err(ApiError::new(ErrorCode::Unavailable, format!("all {max} live streams are taken")).hint(hint));
        }
        let own = taken.by_owner.entry(owner.to_owned()).or_default();
        if *own >= max_per_owner {
            let error = format!("token `{owner}` holds {own} live streams, the most that one token may have");
            return Err(ApiError::new(ErrorCode::Unavailable, error).hint(hint));
        }
        *own += 1;
        taken.all += 1;
        Ok(Place { streams: self.clone(), owner: owner.to_owned() })
    }

    /// A panic elsewhere leaves nothing half-done behind this lock.
    fn taken(&self) -> std::sync::MutexGuard<'_, Taken> {
        self.inner.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.streams.taken();
        taken.all -= 1;
        if let Some(own) = taken.by_owner.get_mut(&self.owner) {
            *own -= 1;
            if *own == 0 {
                taken.by_owner.remove(&self.owner);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_given_back_and_nobody_takes_them_all() {
        let streams = Streams::new(3, 2);
        let first = streams.take("a").expect("a place");
        let _second = streams.take("a").expect("a place");
        assert!(streams.take("a").expect_err("its own limit").error.contains("token `a` holds 2"));
        let _third = streams.take("b").expect("a place");
        assert!(streams.take("c").expect_err("full").error.contains("all 3"));
        drop(first);
        assert_eq!(streams.open(), 2);
        let _again = streams.take("a").expect("a place");
        assert_eq!(streams.open(), 3);
    }
}
