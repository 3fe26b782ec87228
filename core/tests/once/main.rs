//! Acts that happen once: the law of `core/src/once`, over all interleavings of three processes and over random ones.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod interleavings;
mod laws;
mod world;
