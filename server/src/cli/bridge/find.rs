//! Finds the hub that runs on a palace: it notes its process and address in the palace's lock file.

use std::net::SocketAddr;
use std::path::Path;

use crate::cli::output::Failure;
use crate::lock;

/// The address of the hub on this palace. Believed only while its process lives: a token must not go to whatever got its port.
pub(super) fn running_hub(palace: &Path) -> Result<String, Failure> {
    let Some(holder) = lock::holder(palace).filter(lock::Holder::is_alive) else {
        return Err(Failure::new(format!("no hub is running on palace {}", palace.display()))
            .hint("start one with `loggia serve`, or give --url"));
    };
    reachable(&holder.address).ok_or_else(|| {
        Failure::new(format!("the hub on palace {} is not listening yet ({})", palace.display(), holder.address))
    })
}

/// The address by which this machine reaches what is bound to `http://…` or `https://…`; `None` while it is no address. Over TLS the loopback
/// is called by its name, which certificates hold sooner than its address.
fn reachable(bound: &str) -> Option<String> {
    let (scheme, address) = bound.split_once("://").filter(|(scheme, _)| matches!(*scheme, "http" | "https"))?;
    let address: SocketAddr = address.parse().ok()?;
    let host = match address {
        address if scheme == "https" && (address.ip().is_loopback() || address.ip().is_unspecified()) => {
            "localhost".to_owned()
        }
        SocketAddr::V4(v4) if v4.ip().is_unspecified() => "127.0.0.1".to_owned(),
        SocketAddr::V6(v6) if v6.ip().is_unspecified() => "[::1]".to_owned(),
        SocketAddr::V4(v4) => v4.ip().to_string(),
        SocketAddr::V6(v6) => format!("[{}]", v6.ip()),
    };
    Some(format!("{scheme}://{host}:{}", address.port()))
}

#[cfg(test)]
mod tests {
    use super::reachable;

    #[test]
    fn a_hub_on_every_address_is_reached_on_the_loopback() {
        assert_eq!(reachable("http://0.0.0.0:80").as_deref(), Some("http://127.0.0.1:80"));
        assert_eq!(reachable("http://[::]:80").as_deref(), Some("http://[::1]:80"));
        assert_eq!(reachable("http://10.0.0.7:80").as_deref(), Some("http://10.0.0.7:80"));
        assert_eq!(reachable("starting"), None);
        assert_eq!(reachable("file://127.0.0.1:80"), None);
    }

    #[test]
    fn over_tls_the_loopback_has_its_name() {
        assert_eq!(reachable("https://0.0.0.0:80").as_deref(), Some("https://localhost:80"));
        assert_eq!(reachable("https://[::1]:80").as_deref(), Some("https://localhost:80"));
        assert_eq!(reachable("https://10.0.0.7:80").as_deref(), Some("https://10.0.0.7:80"));
    }
}
