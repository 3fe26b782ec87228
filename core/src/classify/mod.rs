//! What was thrown, and what it means.
