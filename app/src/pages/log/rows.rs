//! The rows of the log in the document. What is there stays as it is: one event is one row put in, however many others there are and
//! however many come with it.
//!
//! # Design
//! The keyed list of Leptos takes out and puts back every row when two or more come at once, which costs a layout of the whole table in
//! each frame of a burst. The log needs less than that list can: rows come at the top, leave anywhere, and never change places.

use std::mem;
use std::sync::Arc;

use leptos::prelude::*;
use leptos::tachys::html::attribute::Attribute;
use leptos::tachys::html::attribute::any_attribute::AnyAttribute;
use leptos::tachys::hydration::Cursor;
use leptos::tachys::reactive_graph::OwnedView;
use leptos::tachys::renderer::Rndr;
use leptos::tachys::renderer::types::{Element, Node, Placeholder};
use leptos::tachys::view::add_attr::AddAnyAttr;
use leptos::tachys::view::{Mountable, Position, PositionState, Render, RenderHtml};

use super::window::Row;

/// Makes the view of a row.
pub(super) type Make = Arc<dyn Fn(&Row) -> AnyView + Send + Sync>;

/// The rows as they should be, newest first.
pub(super) struct Rows {
    wanted: Vec<Arc<Row>>,
    make: Make,
    /// Above what the rows own, so that a row ends by itself and not with all others.
    owner: Owner,
}

impl Rows {
    /// Rows that a component shows; `owner` is the component's.
    pub(super) fn new(wanted: Vec<Arc<Row>>, make: &Make, owner: &Owner) -> Self {
        Self { wanted, make: Arc::clone(make), owner: owner.clone() }
    }

    fn made(&self, row: &Row) -> OwnedView<AnyView> {
        let owner = self.owner.with(Owner::new);
        let view = owner.with(|| (self.make)(row));
        OwnedView::new_with_owner(view, owner)
    }
}

/// A row that is in the document.
type Shown = (Arc<Row>, <OwnedView<AnyView> as Render>::State);

/// The rows as they are in the document, and what stands below the last of them.
pub(super) struct RowsState {
    shown: Vec<Shown>,
    marker: Placeholder,
}

impl Render for Rows {
    type State = RowsState;

    fn build(self) -> RowsState {
        let shown = self.wanted.iter().map(|row| (Arc::clone(row), self.made(row).build())).collect();
        RowsState { shown, marker: Rndr::create_placeholder() }
    }

    fn rebuild(self, state: &mut RowsState) {
        let mut there = mem::take(&mut state.shown);
        // From the bottom up.
        let mut shown: Vec<Shown> = Vec::with_capacity(self.wanted.len());
        for row in self.wanted.iter().rev() {
            if let Some(at) = there.iter().rposition(|(other, _)| is_same(other, row)) {
                for (_, mut gone) in there.drain(at + 1..) {
                    gone.unmount();
                }
                shown.extend(there.pop());
                continue;
            }
            let mut fresh = self.made(row).build();
            let is_put = shown.last().is_some_and(|(_, below)| below.insert_before_this(&mut fresh));
            if !is_put {
                state.marker.insert_before_this(&mut fresh);
            }
            shown.push((Arc::clone(row), fresh));
        }
        for (_, mut gone) in there {
            gone.unmount();
        }
        shown.reverse();
        state.shown = shown;
    }
}

/// Whether a row that is in the document says what it should.
fn is_same(there: &Arc<Row>, wanted: &Arc<Row>) -> bool {
    Arc::ptr_eq(there, wanted) || there == wanted
}

impl Mountable for RowsState {
    fn unmount(&mut self) {
        for (_, row) in &mut self.shown {
            row.unmount();
        }
        self.marker.unmount();
    }

    fn mount(&mut self, parent: &Element, marker: Option<&Node>) {
        for (_, row) in &mut self.shown {
            row.mount(parent, marker);
        }
        self.marker.mount(parent, marker);
    }

    fn insert_before_this(&self, child: &mut dyn Mountable) -> bool {
        self.shown.first().is_some_and(|(_, row)| row.insert_before_this(child))
            || self.marker.insert_before_this(child)
    }

    fn elements(&self) -> Vec<Element> {
        self.shown.iter().flat_map(|(_, row)| row.elements()).collect()
    }
}

impl AddAnyAttr for Rows {
    type Output<SomeNewAttr: Attribute> = Self;

    fn add_any_attr<NewAttr: Attribute>(self, _: NewAttr) -> Self {
        self
    }
}

impl RenderHtml for Rows {
    type AsyncOutput = Self;
    type Owned = Self;

    const MIN_LENGTH: usize = 0;

    fn dry_resolve(&mut self) {}

    async fn resolve(self) -> Self {
        self
    }

    fn to_html_with_buf(
        self,
        buf: &mut String,
        position: &mut Position,
        escape: bool,
        mark_branches: bool,
        extra_attrs: Vec<AnyAttribute>,
    ) {
        for row in &self.wanted {
            self.made(row).to_html_with_buf(buf, position, escape, mark_branches, extra_attrs.clone());
            *position = Position::NextChild;
        }
        // What the browser takes as the marker.
        buf.push_str("<!>");
    }

    fn hydrate<const FROM_SERVER: bool>(self, cursor: &Cursor, position: &PositionState) -> RowsState {
        let shown = self
            .wanted
            .iter()
            .map(|row| (Arc::clone(row), self.made(row).hydrate::<FROM_SERVER>(cursor, position)))
            .collect();
        let marker = cursor.next_placeholder(position);
        position.set(Position::NextChild);
        RowsState { shown, marker }
    }

    fn into_owned(self) -> Self {
        self
    }
}
