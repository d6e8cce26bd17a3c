//! `POST /tokens`: what the forms of that page ask, and what the pages of whoever manages the hub show.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::Response;
use loggia_app::backend::admin::{
    AUDIT_PAGE_LINES, AuditLine, AuditPage, AuditQuery, Life, Made, Outcome, Refused, Session, Token, TokensPage,
};
use loggia_domain::{ApiError, ErrorCode};

use crate::AppState;
use crate::auth::{self, Caller};
use crate::error::HttpError;
use crate::session;
use crate::tokens::audit::{KEPT, Wanted};
use crate::tokens::{AuthError, Identity, NewToken, Scope, State as TokenState, TokenError, TokenRecord, lifetime};

/// How many of the tokens that are over are shown.
const OVER_SHOWN: usize = 50;

/// What the pages of whoever manages the hub show beside what is stored.
#[derive(Clone, Default)]
pub(super) struct Managed {
    /// What came of the form that led here.
    outcome: Outcome,
    /// The cookie of the session in which the page is looked at.
    cookie: Option<String>,
    /// The address by which the reader came.
    origin: String,
}

impl Managed {
    /// For a request with these headers.
    pub(super) fn of(state: &AppState, headers: &HeaderMap) -> Self {
        let scheme = if state.guard.is_behind_tls(headers) { "https" } else { "http" };
        // The guard let no other host in.
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        Self {
            outcome: Outcome::None,
            cookie: auth::cookie(headers, &state.cookie_name),
            origin: format!("{scheme}://{host}"),
        }
    }
}

/// What came of a form, beside what the page shows anyway.
enum Done {
    /// The page, with this on it.
    Shown(Outcome),
    /// Nothing to show: the page is asked for again, so that a reload does not post again.
    Again,
}

/// `POST /tokens`: makes, rotates or revokes a token, or ends a session, and answers the page. A secret is on this one answer alone.
pub async fn post_tokens(
    State(state): State<AppState>,
    caller: Caller,
    request: Request,
) -> Result<Response, HttpError> {
    let who = caller.poster()?;
    allowed(&who)?;
    let (mut parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 64 * 1024)
        .await
        .map_err(|_| HttpError::new(ApiError::new(ErrorCode::BadRequest, "the form is larger than 65536 bytes")))?;
    let values = form(&body);
    let (acting, by) = (state.clone(), who.name.clone());
    let asked = values.clone();
    let done = tokio::task::spawn_blocking(move || act(&acting, &by, &asked));
    let done =
        done.await.map_err(|_| HttpError::new(ApiError::new(ErrorCode::Internal, "the form was not worked off")))?;
    let (outcome, status) = match done {
        Ok(Done::Again) => return Ok(session::see_other("/tokens")),
        Ok(Done::Shown(outcome)) => (outcome, StatusCode::OK),
        Err(TokenError::Refused(refusal) | TokenError::NotFound(refusal)) => {
            let message = match refusal.hint {
                Some(hint) => format!("{}: {hint}", refusal.message),
                None => refusal.message,
            };
            (Outcome::Refused(Refused { values, field: refusal.field, message }), StatusCode::BAD_REQUEST)
        }
        Err(TokenError::Auth(error)) => return Err(error.into()),
    };
    parts.method = axum::http::Method::GET;
    parts.uri = Uri::from_static("/tokens");
    let page = Request::from_parts(parts, axum::body::Body::empty());
    let managed = Managed { outcome, ..Managed::of(&state, page.headers()) };
    let mut response = super::render_managed(&state, Some(who), managed, page).await;
    if response.status() == StatusCode::OK {
        *response.status_mut() = status;
    }
    Ok(response)
}

/// Managing is for admins.
fn allowed(who: &Identity) -> Result<(), ApiError> {
    if who.may(Scope::Admin) {
        return Ok(());
    }
    let error = format!("token `{}` lacks the scope `admin`, which this page needs", who.name);
    Err(ApiError::new(ErrorCode::Forbidden, error)
        .hint("sign out and sign in with an admin token, or use `loggia token` on the hub's machine"))
}

/// Names and values of a form; of line breaks only the line feed is left.
fn form(body: &Bytes) -> Vec<(String, String)> {
    let pairs = url::form_urlencoded::parse(body);
    pairs.map(|(key, value)| (key.into_owned(), value.replace("\r\n", "\n"))).collect()
}

fn act(state: &AppState, by: &str, values: &[(String, String)]) -> Result<Done, TokenError> {
    let value = |name: &str| values.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value.as_str());
    let lines = |name: &str| {
        let lines = value(name).lines().map(str::trim).filter(|line| !line.is_empty());
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let tokens = &state.tokens;
    let (kind, object, done) = match value("action") {
        "create" => {
            let scopes = values.iter().filter(|(key, _)| key == "scope").filter_map(|(_, word)| Scope::parse(word));
            let new = NewToken {
                name: value("name").to_owned(),
                scopes: scopes.collect(),
                agents: lines("agents"),
                streams: lines("streams"),
                expires: value("expires").to_owned(),
            };
            let made = tokens.create(&new, by);
            ("token.create", new.name, made.map(|made| shown(made, false)))
        }
        "rotate" => {
            let overlap = lifetime::length("overlap", value("overlap"))?;
            let made = tokens.rotate(value("token"), overlap, by);
            let name = made.as_ref().map_or_else(|_| value("token").to_owned(), |made| made.name.clone());
            ("token.rotate", name, made.map(|made| shown(made, true)))
        }
        "revoke" => {
            let ended = tokens.revoke(value("token"));
            let first = ended.as_ref().ok().and_then(|ended| ended.first());
            let name = first.map_or_else(|| value("token").to_owned(), |token| token.name.clone());
            ("token.revoke", name, ended.map(|_| Done::Again))
        }
        "end-session" => {
            ("session.end", value("session").to_owned(), tokens.end_session(value("session")).map(|_| Done::Again))
        }
        other => {
            let message = format!("action {} is none of these forms'", loggia_domain::refusal::quoted(other));
            return Err(loggia_domain::Refusal::new("action", message)
                .accepted("create, rotate, revoke, end-session")
                .into());
        }
    };
    state.audit.note(by, kind, &object, if done.is_ok() { "ok" } else { "refused" });
    done
}

fn shown(made: crate::tokens::Created, is_rotated: bool) -> Done {
    let crate::tokens::Created { name, secret, expires_at, .. } = made;
    Done::Shown(Outcome::Made(Made { name, secret, expires_at, is_rotated }))
}

/// What `/tokens` shows to whoever may see it.
pub(super) async fn tokens_page(
    state: &AppState,
    who: Option<&Identity>,
    managed: Managed,
) -> Result<TokensPage, ApiError> {
    signed_in(who).and_then(allowed)?;
    let Managed { outcome, cookie, origin } = managed;
    let tokens = Arc::clone(&state.tokens);
    let read = tokio::task::spawn_blocking(move || Ok((tokens.list()?, tokens.sessions()?))).await;
    let (all, sessions) = read.map_err(|_| unreadable())?.map_err(|error| failed(&error))?;
    let (living, mut over): (Vec<_>, Vec<_>) = all.into_iter().partition(TokenRecord::is_alive);
    over.truncate(OVER_SHOWN);
    let sessions = sessions.into_iter().map(|session| Session {
        is_own: cookie.as_ref().is_some_and(|cookie| session.is_of(cookie)),
        id: session.id,
        token: session.token,
        created_at: session.created_at,
        expires_at: session.expires_at,
    });
    Ok(TokensPage {
        living: living.into_iter().map(token).collect(),
        over: over.into_iter().map(token).collect(),
        sessions: sessions.collect(),
        outcome,
        origin,
    })
}

fn token(record: TokenRecord) -> Token {
    Token {
        id: record.id,
        name: record.name,
        prefix: record.prefix,
        scopes: record.scopes.split(' ').map(str::to_owned).collect(),
        agents: record.agents,
        streams: record.streams,
        life: match record.state {
            TokenState::Active => Life::Active,
            TokenState::Replaced => Life::Replaced,
            TokenState::Expired => Life::Expired,
            TokenState::Revoked => Life::Revoked,
        },
        created_at: record.created_at,
        created_by: record.created_by,
        expires_at: record.expires_at,
        last_used_at: record.last_used_at,
        revoked_at: record.revoked_at,
    }
}

/// What `/audit` shows to whoever may see it.
pub(super) async fn audit_page(
    state: &AppState,
    who: Option<&Identity>,
    query: AuditQuery,
) -> Result<AuditPage, ApiError> {
    signed_in(who).and_then(allowed)?;
    let audit = state.audit.clone();
    let wanted = Wanted { who: query.who, kind: query.kind, before: query.before };
    let read = tokio::task::spawn_blocking(move || audit.read(&wanted, AUDIT_PAGE_LINES + 1)).await;
    let mut lines = read.map_err(|_| unreadable())?.map_err(|error| failed(&error))?;
    let has_more = lines.len() > AUDIT_PAGE_LINES;
    lines.truncate(AUDIT_PAGE_LINES);
    let lines = lines.into_iter().map(|line| AuditLine {
        id: line.id,
        at: line.at,
        who: line.who,
        kind: line.kind,
        object: line.object,
        outcome: line.outcome,
    });
    let kept = u64::try_from(KEPT).unwrap_or(0);
    Ok(AuditPage { lines: lines.collect(), has_more, kept, dropped: state.audit.dropped() })
}

fn signed_in(who: Option<&Identity>) -> Result<&Identity, ApiError> {
    who.ok_or_else(|| ApiError::new(ErrorCode::Unauthorized, "you are not signed in"))
}

fn failed(error: &AuthError) -> ApiError {
    tracing::error!(%error, "tokens, sessions or the audit could not be read");
    unreadable()
}

fn unreadable() -> ApiError {
    ApiError::new(ErrorCode::Internal, "tokens, sessions or the audit could not be read")
}
