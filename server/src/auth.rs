//! Who calls: the bearer token or the browser session of a request, as an extractor in a handler's signature.

#[cfg(test)]
mod hostile;

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::{HeaderMap, header, request::Parts};
use loggia_domain::{ApiError, ErrorCode};

use crate::AppState;
use crate::error::HttpError;
use crate::tokens::{Identity, Scope, Tokens};

/// A request that may not go on: 401 or 403 in our JSON form.
pub type Denied = HttpError;

/// A secret that a request carried. Never printed.
#[derive(Clone)]
pub enum Credential {
    /// From `Authorization: Bearer`.
    Bearer(String),
    /// From our cookie.
    Session(String),
    /// None is needed: the hub runs with `--no-auth`.
    Everybody,
}

impl Credential {
    /// Whose it is, now: it may have been revoked since it was last asked.
    pub fn identity(&self, tokens: &Tokens) -> Option<Identity> {
        match self {
            Self::Bearer(secret) => tokens.bearer(secret),
            Self::Session(secret) => tokens.session(secret),
            Self::Everybody => Some(Identity::admin("everybody")),
        }
    }

    /// Waits until it does not allow this any more: it was revoked, signed out, or its time is over. Noticed within a second.
    pub async fn ended(self, tokens: Arc<Tokens>, scope: Scope) {
        let mut changes = tokens.changes();
        while self.identity(&tokens).is_some_and(|who| who.may(scope)) {
            // The tokens are held here, and with them the sender.
            if changes.changed().await.is_err() {
                return;
            }
        }
    }

    /// Whether a browser sent it.
    pub fn is_session(&self) -> bool {
        matches!(self, Self::Session(_))
    }
}

/// Whoever calls. Handlers ask it for what their route needs.
pub struct Caller {
    tokens: Arc<Tokens>,
    bearer: Option<Credential>,
    session: Option<Credential>,
    has_origin: bool,
}

impl FromRequestParts<AppState> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Infallible> {
        Ok(Self::of(&parts.headers, state))
    }
}

impl Caller {
    /// The caller of a request with these headers.
    pub fn of(headers: &HeaderMap, state: &AppState) -> Self {
        let everybody = state.settings.no_auth.then_some(Credential::Everybody);
        Self {
            tokens: Arc::clone(&state.tokens),
            bearer: everybody.clone().or_else(|| bearer(headers)),
            session: everybody.or_else(|| cookie(headers, &state.cookie_name).map(Credential::Session)),
            has_origin: headers.contains_key(header::ORIGIN),
        }
    }

    /// For machine routes: the token's owner.
    pub fn identity(&self) -> Result<Identity, Denied> {
        self.bearer().map(|(identity, _)| identity)
    }

    /// For machine routes that last: the token's owner, and what to ask whether it still is one.
    pub fn bearer(&self) -> Result<(Identity, Credential), Denied> {
        self.known(self.bearer.as_ref())
    }

    /// For routes that agents and browsers share: the token's or the session's owner, if it may do this.
    pub fn either(&self, scope: Scope) -> Result<(Identity, Credential), Denied> {
        let known = self.known(self.bearer.as_ref().or(self.session.as_ref()))?;
        allow(&known.0, scope)?;
        Ok(known)
    }

    /// For pages: the session's owner, if there is a session.
    pub fn viewer(&self) -> Option<Identity> {
        self.session.as_ref()?.identity(&self.tokens)
    }

    /// The cookie of the session, to tell it from others.
    pub fn session_secret(&self) -> Option<&str> {
        match &self.session {
            Some(Credential::Session(secret)) => Some(secret),
            _ => None,
        }
    }

    /// For what a page posts: the session's owner. The guard has checked that the Origin is ours; here it must be there, since
    /// a cookie travels by itself.
    pub fn poster(&self) -> Result<Identity, Denied> {
        let (identity, credential) = self.known(self.session.as_ref())?;
        if credential.is_session() && !self.has_origin {
            return Err(HttpError::new(
                ApiError::new(ErrorCode::Forbidden, "a request with a session cookie needs an Origin header")
                    .hint("browsers send it; a program should use a bearer token instead"),
            ));
        }
        Ok(identity)
    }

    fn known(&self, credential: Option<&Credential>) -> Result<(Identity, Credential), Denied> {
        let unauthorized = || {
            HttpError::new(
                ApiError::new(ErrorCode::Unauthorized, "a valid token is needed")
                    .hint("send `Authorization: Bearer <token>`, or sign in at /sign-in in a browser"),
            )
        };
        let credential = credential.ok_or_else(unauthorized)?;
        let identity = credential.identity(&self.tokens).ok_or_else(unauthorized)?;
        Ok((identity, credential.clone()))
    }
}

fn allow(identity: &Identity, scope: Scope) -> Result<(), Denied> {
    if identity.may(scope) {
        return Ok(());
    }
    Err(HttpError::new(ApiError::new(
        ErrorCode::Forbidden,
        format!("token `{}` lacks the scope `{}`", identity.name, scope.as_str()),
    )))
}

/// The one bearer token of a request. Two headers, another scheme, an empty token or odd bytes are no token.
fn bearer(headers: &HeaderMap) -> Option<Credential> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let (first, None) = (values.next()?, values.next()) else { return None };
    let token = first.to_str().ok()?.strip_prefix("Bearer ")?;
    let plausible = !token.is_empty() && token.len() <= 512 && token.bytes().all(|b| b.is_ascii_graphic());
    plausible.then(|| Credential::Bearer(token.to_owned()))
}

/// The value of a cookie.
pub fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|v| v.to_str().ok())
        .flat_map(|v| v.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value.to_owned())
}
