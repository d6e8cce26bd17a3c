//! `GET /healthz`: whether the process answers. It needs no token; the door's Host check still stands before it.

/// `ok`
pub async fn get() -> &'static str {
    "ok\n"
}
