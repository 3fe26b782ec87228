//! The inputs that fuzzing has kept (core/fuzz/seeds), given to every fuzz target, natively. `make nightly` looks for new ones
//! with instrumented code; these hold in every run of the tests.

#![allow(clippy::expect_used, clippy::indexing_slicing, reason = "tests")]

use std::fs;
use std::path::Path;

/// Includes each target as a module, and makes a test of its seeds.
macro_rules! targets {
    ($($target:ident)*) => {
        $(
            #[path = "../../../core/fuzz/fuzz_targets"]
            mod $target {
                #[allow(unused_attributes, reason = "the file is a program of the fuzzer's")]
                mod $target;

                #[test]
                fn its_seeds_hold() {
                    super::each_seed(stringify!($target), $target::run);
                }
            }
        )*
    };
}

targets! { address filter fleet headers json line response scenario snapshot text thrown }

// The targets import the macro by this name, so it is defined below them.
extern crate self as libfuzzer_sys;

/// Makes of a target's body a function that takes one input.
#[macro_export]
macro_rules! fuzz_target {
    (|$text:ident: &str| $body:block) => {
        pub(crate) fn run(input: &[u8]) {
            if let Ok($text) = std::str::from_utf8(input) {
                $body
            }
        }
    };
    (|$bytes:ident: &[u8]| $body:block) => {
        pub(crate) fn run($bytes: &[u8]) {
            $body
        }
    };
}

fn each_seed(target: &str, run: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../core/fuzz/seeds").join(target);
    let mut count = 0;
    for entry in fs::read_dir(&folder).expect("the folder of the seeds") {
        run(&fs::read(entry.expect("an entry").path()).expect("a seed"));
        count += 1;
    }
    assert!(count > 0, "no seeds in {}", folder.display());
}

#[test]
fn every_target_is_here() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../core/fuzz/fuzz_targets");
    let here = include_str!("fuzz_seeds.rs");
    let list = here.lines().find(|line| line.starts_with("targets! {")).expect("the list");
    for entry in fs::read_dir(folder).expect("the folder of the targets") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name");
        assert!(list.split_whitespace().any(|word| word == name), "{name} is not in the list");
    }
}
