//! The `policy` area for JavaScript.
