//! Adding, removing and renaming: the policies of a scenario and its faults.

use super::MOST_POLICIES;
use super::field::new_fault;
use super::json::{Json, Key, path};

/// The names of the policies, in their order.
pub fn policies(document: &Json) -> Vec<String> {
    document.get("policies").map_or(&[][..], Json::fields).iter().map(|(name, _)| name.clone()).collect()
}

/// The path of the policy with that number.
pub fn policy(document: &Json, index: usize) -> Vec<Key> {
    let name = policies(document).into_iter().nth(index).unwrap_or_default();
    vec![Key::Name("policies".into()), Key::Name(name)]
}

/// Adds a policy under a name of its own, with the deadlines of the first: else it would be compared under other conditions.
/// Not beyond the most.
pub fn add_policy(document: &mut Json, name: &str, options: &str) {
    let names = policies(document);
    if names.len() >= MOST_POLICIES {
        return;
    }
    let mut free = name.to_owned();
    let mut number = 2;
    while names.contains(&free) {
        free = format!("{name} {number}");
        number += 1;
    }
    let mut options = Json::parse(options).unwrap_or(Json::Map(Vec::new()));
    let mut timeout = policy(document, 0);
    timeout.push(Key::Name("timeout".into()));
    if let Some(timeout) = document.at(&timeout) {
        options.set(&path("timeout"), timeout.clone());
    }
    document.set(&[Key::Name("policies".into()), Key::Name(free)], options);
}

/// Takes a policy out; the last one stays.
pub fn remove_policy(document: &mut Json, index: usize) {
    if policies(document).len() > 1 {
        let place = policy(document, index);
        document.remove(&place);
    }
}

/// Renames a policy, unless another one has the name.
pub fn rename_policy(document: &mut Json, index: usize, name: &str) {
    if name.is_empty() || policies(document).iter().any(|known| known == name) {
        return;
    }
    let renamed: Vec<_> = document
        .get("policies")
        .map_or(&[][..], Json::fields)
        .iter()
        .enumerate()
        .map(|(at, (known, options))| {
            (if at == index { name.to_owned() } else { known.clone() }, options.clone())
        })
        .collect();
    document.set(&path("policies"), Json::Map(renamed));
}

/// How many faults there are.
pub fn faults(document: &Json) -> usize {
    document.get("faults").map_or(0, |faults| faults.items().len())
}

/// The path of the fault with that number.
pub fn fault(index: usize) -> Vec<Key> {
    vec![Key::Name("faults".into()), Key::Index(index)]
}

/// Adds an outage.
pub fn add_fault(document: &mut Json) {
    let mut all = document.get("faults").map_or(Vec::new(), |faults| faults.items().to_vec());
    all.push(new_fault("outage", 60_000.0, 10_000.0));
    document.set(&path("faults"), Json::List(all));
}

/// Takes a fault out.
pub fn remove_fault(document: &mut Json, index: usize) {
    document.remove(&fault(index));
}

/// The limits of a real run: its clients, and its length (`pkg/src/lab/real/limits.ts`).
pub const REAL_CLIENTS: f64 = 200.0;
pub const REAL_MS: f64 = 60_000.0;

/// Returns `true` if a scenario is small enough for a real run.
pub fn is_small(document: &Json) -> bool {
    let number = |at: &str| document.at(&path(at)).and_then(Json::number).unwrap_or(0.0);
    number("clients.count") <= REAL_CLIENTS && number("durationMs") <= REAL_MS
}

/// Makes a scenario small enough: its faults come in the same order, each for a shorter time.
pub fn make_small(document: &mut Json) {
    let number = |document: &Json, at: &[Key]| document.at(at).and_then(Json::number);
    let factor = (REAL_MS / number(document, &path("durationMs")).unwrap_or(REAL_MS)).min(1.0);
    let mut times = vec![path("durationMs")];
    for index in 0..faults(document) {
        times.extend(["atMs", "forMs", "rampMs"].map(|key| [fault(index), path(key)].concat()));
    }
    for time in times {
        if let Some(ms) = number(document, &time) {
            document.set(&time, Json::Number((ms * factor).round()));
        }
    }
    let clients = path("clients.count");
    if let Some(count) = number(document, &clients) {
        document.set(&clients, Json::Number(count.min(REAL_CLIENTS)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::presets::{POLICIES, PRESETS, scenario};
    use super::*;
    use halfopen_lab::Scenario;

    #[test]
    fn policies_come_go_and_change_their_names() {
        let mut document = scenario(&PRESETS[0]);
        add_policy(&mut document, "one more", "{}");
        assert_eq!(policies(&document).len(), MOST_POLICIES);
        remove_policy(&mut document, 0);
        rename_policy(&mut document, 0, "ours");
        rename_policy(&mut document, 1, "ours");
        add_policy(&mut document, "ours", POLICIES[1].1);
        let names = policies(&document);
        assert_eq!(names.first().map(String::as_str), Some("ours"));
        assert_eq!(names.last().map(String::as_str), Some("ours 2"));
        let mut timeout = policy(&document, 3);
        timeout.extend(path("timeout.attemptMs"));
        assert_eq!(document.at(&timeout), Some(&Json::Number(1000.0)));
        Scenario::from_json(&document.compact()).unwrap();
        for _ in 0..5 {
            remove_policy(&mut document, 0);
        }
        assert_eq!(policies(&document).len(), 1);
    }

    #[test]
    fn what_is_too_large_to_be_run_for_real_can_be_made_smaller() {
        for preset in PRESETS {
            let mut document = scenario(preset);
            assert!(!is_small(&document));
            make_small(&mut document);
            assert!(is_small(&document));
            let read = Scenario::from_json(&document.compact()).unwrap();
            assert!(read.faults.iter().all(|fault| fault.at_ms + fault.for_ms < REAL_MS), "{}", preset.name);
        }
    }

    #[test]
    fn faults_come_and_go() {
        let mut document = scenario(&PRESETS[0]);
        let before = faults(&document);
        add_fault(&mut document);
        assert_eq!(faults(&document), before + 1);
        Scenario::from_json(&document.compact()).unwrap();
        for _ in 0..=before {
            remove_fault(&mut document, 0);
        }
        assert_eq!(faults(&document), 0);
        add_fault(&mut document);
        Scenario::from_json(&document.compact()).unwrap();
    }
}
