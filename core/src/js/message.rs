//! The `message` area for JavaScript.
