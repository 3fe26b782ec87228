//! The shared vectors of `tests/vectors/*.json`, one module for each file. Cargo runs them natively; `wasm-pack test`
//! runs the same code as wasm, in Node and in a browser; `pkg/test/vectors/` runs the same files through the package.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod backoff;
mod breaker;
mod budget;
mod classify;
mod codes;
mod decisions;
mod messages;
mod once;
mod recovery;
mod redact;
mod response;
#[cfg(target_arch = "wasm32")]
mod surface;

/// The cases of a vector file, which is compiled in: in a browser there is no file to read.
pub fn cases<T: serde::de::DeserializeOwned>(json: &str) -> Vec<T> {
    #[derive(serde::Deserialize)]
    struct File<T> {
        cases: Vec<T>,
    }
    let file: File<T> = serde_json::from_str(json).expect("a vector file is { about, cases }");
    assert!(!file.cases.is_empty(), "a vector file without cases tests nothing");
    file.cases
}
