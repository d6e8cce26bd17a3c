//! Tunnels between rooms: their ids, how wings are compared, and how a tunnel grows stronger by being followed.

use crate::artifact::sha256_hex;

/// What a tunnel's strength grows by when it is followed.
const STRENGTH_STEP: f64 = 0.05;
/// The strongest a tunnel can be.
const MAX_STRENGTH: f64 = 5.0;
/// What its stability grows by when it is followed after a pause.
const STABILITY_STEP: f64 = 0.1;
/// How long such a pause lasts at least, in milliseconds.
const PAUSE_MS: i64 = 60 * 60 * 1000;

/// The id of the tunnel between two places, whichever is named first.
pub fn id(source: (&str, &str), target: (&str, &str)) -> String {
    let place = |(wing, room): (&str, &str)| format!("{wing}/{room}");
    let mut ends = [place(source), place(target)];
    ends.sort();
    sha256_hex(format!("{}\u{2194}{}", ends[0], ends[1]).as_bytes())[..16].to_owned()
}

/// What wings are compared by where graphs and tunnels are asked for: `My wing`, `my-wing` and `my_wing` are one.
pub fn wing_key(wing: &str) -> String {
    wing.to_lowercase().replace(['-', ' '], "_").trim_matches('_').to_owned()
}

/// How lively a tunnel is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dynamics {
    /// From 1, by following, to 5.
    pub strength: f64,
    /// From 1, by following after a pause.
    pub stability: f64,
}

impl Dynamics {
    /// After it was followed once more, so long after the last time; `None` when that is not known.
    #[must_use]
    pub fn followed(self, idle_ms: Option<i64>) -> Self {
        let rested = idle_ms.is_some_and(|ms| ms >= PAUSE_MS);
        Self {
            strength: (self.strength + STRENGTH_STEP).min(MAX_STRENGTH),
            stability: self.stability + if rested { STABILITY_STEP } else { 0.0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tunnel_has_one_id_from_either_end() {
        assert_eq!(id(("my-wing", "ra"), ("other", "shared")), "f506e9d0b13890fc");
        assert_eq!(id(("other", "shared"), ("my-wing", "ra")), "f506e9d0b13890fc");
        assert_ne!(id(("my_wing", "ra"), ("other", "shared")), "f506e9d0b13890fc");
        assert_eq!(id(("my-wing", "ra"), ("my-wing", "ra")), "51c0f59dbdcbe333");
    }

    #[test]
    fn wings_are_compared_by_their_words() {
        for wing in ["my-wing", "My wing", "my_wing", "MY-WING"] {
            assert_eq!(wing_key(wing), "my_wing");
        }
        assert_ne!(wing_key("été"), wing_key("ete"));
    }

    #[test]
    fn following_strengthens_up_to_a_bound() {
        let new = Dynamics { strength: 1.0, stability: 1.0 };
        assert_eq!(new.followed(Some(PAUSE_MS - 1)), Dynamics { strength: 1.05, stability: 1.0 });
        assert_eq!(new.followed(Some(PAUSE_MS)), Dynamics { strength: 1.05, stability: 1.1 });
        assert_eq!(new.followed(None), new.followed(Some(0)));
        let strongest = Dynamics { strength: 5.0, ..new };
        assert_eq!(Dynamics { strength: 4.99, ..new }.followed(None), strongest);
    }
}
