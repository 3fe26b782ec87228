//! The `response` area for JavaScript.
