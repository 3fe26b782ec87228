//! The `recovery` area for JavaScript.
