//! The dashboard: pages rendered by the app, its server functions, and the site's files.

mod assets;
mod backend;
mod hits;
mod hub;
mod matches;
mod memory;
mod memory_changes;
mod own;
mod past;
pub mod people;
mod sessions;
mod task_form;
mod task_report;
mod tasks;
mod tokens;
pub mod viewed;

use std::sync::Arc;

use axum::extract::{RawQuery, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use leptos::prelude::{provide_context, use_context};
use loggia_app::backend::BackendHandle;
use loggia_app::backend::asked::Typed;
use loggia_app::{Language, shell};
use loggia_domain::{ApiError, ErrorCode};

use crate::AppState;
use crate::auth::Caller;
use crate::error::HttpError;
use crate::language;
use crate::session;
use crate::tokens::{Identity, Scope};

pub use assets::is_built as site_is_built;
pub use task_form::{post_answer, post_task};
pub use task_report::get as get_task_report;
pub use tokens::post_tokens;

/// The pages that need a session; the app routes them again by the same paths.
pub const PAGES: [&str; 15] = [
    "/",
    "/log",
    "/event",
    "/task",
    "/task/new",
    "/compare",
    "/artifact",
    "/agents",
    "/agent",
    "/diary",
    "/palace",
    "/sessions",
    "/hub",
    "/tokens",
    "/audit",
];

/// Prepares the process for rendering; again is harmless.
pub fn init() {
    // A second call reports that there is an executor already, which is all we want.
    let _ = any_spawner::Executor::init_tokio();
}

/// A page for whoever has a session; the sign-in page for everybody else.
pub async fn get_page(State(state): State<AppState>, caller: Caller, request: Request) -> Result<Response, HttpError> {
    let Some(identity) = caller.viewer().filter(|who| who.may(Scope::Read)) else {
        return Ok(to_sign_in(&request));
    };
    Ok(render(&state, Some(identity), request).await)
}

/// `GET /sign-in`: the form, or the one-time link.
pub async fn get_sign_in(
    State(state): State<AppState>,
    headers: HeaderMap,
    query: RawQuery,
    request: Request,
) -> Result<Response, HttpError> {
    // A HEAD must not use the link up: programs that preview links send one.
    if request.method() == Method::GET
        && let Some(response) = redeem(&state, &headers, query)?
    {
        return Ok(response);
    }
    Ok(render(&state, None, request).await)
}

/// The one-time link, `GET /sign-in?code=…`; `None` when the address holds no code.
fn redeem(state: &AppState, headers: &HeaderMap, RawQuery(query): RawQuery) -> Result<Option<Response>, HttpError> {
    let query = query.unwrap_or_default();
    let Some((_, code)) = url::form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == "code") else {
        return Ok(None);
    };
    Ok(Some(match state.tokens.redeem_link(&code)? {
        Some(secret) => {
            session::note(state, &secret, "session.begin");
            session::begin(state, headers, &secret, "/")
        }
        None => session::see_other("/sign-in?error=expired"),
    }))
}

/// A server function: what a page asks or posts.
pub async fn server_function(
    State(state): State<AppState>,
    caller: Caller,
    request: Request,
) -> Result<Response, HttpError> {
    let identity = caller.poster()?;
    let path = request.uri().path().to_owned();
    if !leptos::server_fn::axum::server_fn_paths().any(|(known, method)| known == path && method == request.method()) {
        return Err(not_found(&path));
    }
    let managed = tokens::Managed::of(&state, request.headers());
    let language = language::of(request.headers());
    let context = backend_context(&state, Some(identity), managed, Typed::default(), language);
    Ok(language.around(leptos_axum::handle_server_fns_with_context(context, request)).await.into_response())
}

/// A file of the site, or the page that says that there is no such page.
pub async fn fallback(State(state): State<AppState>, caller: Caller, request: Request) -> Result<Response, HttpError> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return Err(HttpError::new(ApiError::new(ErrorCode::NotFound, "there is nothing to post to here")));
    }
    if let Some(response) = assets::get(request.uri().path(), request.headers()) {
        return Ok(response);
    }
    // No sign-in first: a client that probes for something must not take a form for it.
    let wants_page =
        request.headers().get(header::ACCEPT).is_some_and(|v| v.to_str().is_ok_and(|v| v.contains("text/html")));
    if !wants_page {
        return Err(not_found(request.uri().path()));
    }
    let mut response = render(&state, caller.viewer(), request).await;
    *response.status_mut() = StatusCode::NOT_FOUND;
    Ok(response)
}

fn not_found(path: &str) -> HttpError {
    let shown: String = path.chars().take(200).collect();
    HttpError::new(ApiError::new(ErrorCode::NotFound, format!("there is no `{shown}`")))
}

async fn render(state: &AppState, identity: Option<Identity>, request: Request) -> Response {
    let managed = tokens::Managed::of(state, request.headers());
    render_managed(state, identity, managed, request).await
}

async fn render_managed(
    state: &AppState,
    identity: Option<Identity>,
    managed: tokens::Managed,
    request: Request,
) -> Response {
    let options = state.leptos.clone();
    let typed = request.extensions().get::<Typed>().cloned().unwrap_or_default();
    let language = language::of(request.headers());
    let context = backend_context(state, identity, managed, typed, language);
    let handler = leptos_axum::render_app_async_with_context(context, move || shell(options.clone()));
    let mut response = language.around(handler(request)).await;
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // With `no-referrer` browsers would send `Origin: null` on the forms of our own pages.
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    response
}

/// What a page needs while it renders: the hub's answers, and a policy for the browser that names this response's nonce.
fn backend_context(
    state: &AppState,
    identity: Option<Identity>,
    managed: tokens::Managed,
    typed: Typed,
    language: Language,
) -> impl Fn() + Clone + Send + Sync + 'static {
    let backend =
        BackendHandle(Arc::new(backend::HubBackend::new(state.clone(), identity).managed(managed).with_typed(typed)));
    move || {
        provide_context(backend.clone());
        provide_context(language);
        if let (Some(nonce), Some(response)) =
            (leptos::nonce::use_nonce(), use_context::<leptos_axum::ResponseOptions>())
            && let Ok(policy) = HeaderValue::from_str(&format!(
                "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; \
                 connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
            ))
        {
            response.insert_header(header::CONTENT_SECURITY_POLICY, policy);
        }
    }
}

fn to_sign_in(request: &Request) -> Response {
    let here = request.uri().path_and_query().map_or("/", |p| p.as_str());
    let query = url::form_urlencoded::Serializer::new(String::new()).append_pair("next", here).finish();
    session::see_other(&if here == "/" { "/sign-in".to_owned() } else { format!("/sign-in?{query}") })
}

#[cfg(test)]
mod tests {
    use super::PAGES;

    #[test]
    fn the_hub_routes_every_page_of_the_app() {
        let app = leptos_axum::generate_route_list(loggia_app::App);
        let mut routed: Vec<&str> = PAGES.iter().copied().chain(["/sign-in"]).collect();
        let mut known: Vec<&str> = app.iter().map(leptos_axum::AxumRouteListing::path).collect();
        routed.sort_unstable();
        known.sort_unstable();
        assert_eq!(known, routed);
    }
}
