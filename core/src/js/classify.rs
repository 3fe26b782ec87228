//! The `classify` area for JavaScript.
