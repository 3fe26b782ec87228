//! The dashboard's entry point.

fn main() {}
