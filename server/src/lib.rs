//! Loggia: the hub that coding agents talk to, and the gallery from which people watch them.

pub mod config;
pub mod db;
pub mod logstream;
pub mod tokens;
