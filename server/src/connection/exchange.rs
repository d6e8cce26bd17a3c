//! A request and its answer on one connection: where one of them ends, the connection's deadline changes.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;

use super::pace::Pace;

/// The routes, as one connection uses them.
pub struct Exchange {
    routes: TowerToHyperService<Router>,
    pace: Arc<Pace>,
}

impl Exchange {
    /// The routes for a connection with this deadline.
    pub fn new(routes: Router, pace: Arc<Pace>) -> Self {
        Self { routes: TowerToHyperService::new(routes), pace }
    }
}

impl Service<Request<Incoming>> for Exchange {
    type Response = Response<Leaving>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        self.pace.begins();
        let pace = Arc::clone(&self.pace);
        let request = request.map(|body| {
            let arriving = Arriving { body, pace: Arc::clone(&pace) };
            // Most requests have no body: those wait for nothing from here on.
            if arriving.body.is_end_stream() {
                pace.is_whole();
            }
            arriving
        });
        let answer = self.routes.call(request);
        Box::pin(async move { Ok(answer.await?.map(|body| Leaving { body, pace })) })
    }
}

/// The body of a request.
struct Arriving {
    body: Incoming,
    pace: Arc<Pace>,
}

impl HttpBody for Arriving {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        match &frame {
            Some(Ok(frame)) => self.pace.progressed(frame.data_ref().map_or(0, Bytes::len)),
            Some(Err(_)) | None => self.pace.is_whole(),
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Arriving {
    fn drop(&mut self) {
        self.pace.is_whole();
    }
}

/// The body of an answer; dropped when the last of it was taken over for the client.
pub struct Leaving {
    body: Body,
    pace: Arc<Pace>,
}

impl HttpBody for Leaving {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        self.pace.ends();
    }
}
