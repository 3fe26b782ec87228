//! A seed fixes a run: the same again, however it is cut into pieces, and another with another seed.

use super::{run, scenario};
use halfopen_lab::{Run, Scenario};
use serde_json::json;

/// A scenario in which everything happens.
fn everything() -> Scenario {
    scenario(serde_json::from_str(include_str!("../../../../tests/vectors/lab/everything.json")).unwrap())
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let scenario = everything();
    for (policy, _) in &scenario.policies {
        let whole = run(&scenario, policy, 5);
        let mut pieces = Run::with_seed(&scenario, policy, 5).unwrap();
        while !pieces.advance(7) {}
        assert_eq!(pieces.to_end(), whole);
        assert_ne!(run(&scenario, policy, 6).hash, whole.hash);
    }
}

#[test]
fn compared_policies_meet_the_same_arrivals() {
    let scenario = everything();
    let mut offered = scenario.policies.iter().map(|(name, _)| run(&scenario, name, 5).series.offered);
    let first = offered.next().unwrap();
    let until_arrivals_end = |series: &Vec<u32>| series[..60].to_vec();
    assert!(offered.all(|other| until_arrivals_end(&other) == until_arrivals_end(&first)));
}

/// Natively and as WebAssembly the hashes are the same: the package's test has them from the same file.
#[test]
fn the_hashes_are_those_that_every_host_has() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors/lab/hashes.json");
    let mut hashes: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let scenario = everything();
    let here: serde_json::Map<_, _> = (scenario.policies.iter())
        .map(|(name, _)| (name.clone(), json!(Run::new(&scenario, name).unwrap().to_end().hash)))
        .collect();
    if std::env::var_os("UPDATE").is_some() {
        hashes["hashes"] = json!(here);
        std::fs::write(path, serde_json::to_string_pretty(&hashes).unwrap() + "\n").unwrap();
    }
    assert_eq!(json!(here), hashes["hashes"], "what decides has changed: UPDATE=1 writes the new hashes");
}
