//! What the palace's words mean: names and texts of drawers, ids, time windows, queries, and how hits are ranked.
//!
//! Pure rules for the store, the tools and the pages (`contract: palace-tools`). Where rows lie and how they are found is the
//! store's affair.

pub mod aaak;
pub mod alias;
pub mod diary;
pub mod fact;
pub mod graph;
pub mod id;
pub mod letters;
pub mod name;
pub mod query;
pub mod rank;
pub mod temporal;
pub mod text;
pub mod tunnel;
pub mod window;
pub mod words;
