//! `once.json`: what a process does with each record of an act, and what each input makes of it. The npm package has
//! these functions in TypeScript, which this file holds to the core: it is written by the core, all cases of small numbers.

use halfopen::once::{Input, Owner, Record, Refusal, State, Step, next, step};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const FILE: &str = "tests/vectors/once.json";
const WRITTEN: &str = include_str!("../../../tests/vectors/once.json");

#[test]
fn records_change_as_is_written() {
    let text = file();
    #[cfg(not(target_arch = "wasm32"))]
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(format!("{}/../../{FILE}", env!("CARGO_MANIFEST_DIR")), text).unwrap();
        return;
    }
    assert!(text == WRITTEN, "{FILE} is stale: UPDATE=1 cargo test -p halfopen-vectors --test vectors once");
}

fn file() -> String {
    let (mine, other) = (Owner(1), Owner(2));
    let running = |owner| State::Running { owner, since: 10, until: 20 };
    let unknown = |owner| State::Unknown { owner, since: 10 };
    let states = [
        running(mine),
        running(other),
        unknown(Some(mine)),
        unknown(Some(other)),
        unknown(None),
        State::Failed,
        State::Done,
    ];
    let records = states.map(|state| Some(Record { attempts: 1, state }));
    let inputs = [
        Input::Claim { owner: mine, lease: 5 },
        Input::Renew { owner: mine, lease: 5 },
        Input::Done { owner: mine },
        Input::Failed { owner: mine },
        Input::Unknown { owner: mine },
        Input::Verified(Some(true)),
        Input::Verified(Some(false)),
        Input::Verified(None),
        Input::Settled(true),
        Input::Settled(false),
    ];
    let mut cases = Vec::new();
    for record in [None].into_iter().chain(records) {
        for now in [19, 20, 21] {
            let results: Vec<Value> = inputs
                .iter()
                .map(|&input| {
                    let result = next(record.as_ref(), input, now);
                    json!([input_json(input), result.map_or_else(refusal_json, |next| record_json(&next))])
                })
                .collect();
            let record_json = record.as_ref().map(record_json);
            let step = step_json(step(record.as_ref(), mine, now));
            let case = json!({ "record": record_json, "now": now, "step": step, "inputs": results });
            cases.push(format!("    {case}"));
        }
    }
    let about = "Written by core/vectors/tests/once.rs. Each case is a record of an act at a time of the store: the step of a process with the claim '1', and for each input the record after it, or why the record stays.";
    format!("{{\n  \"about\": {},\n  \"cases\": [\n{}\n  ]\n}}\n", json!(about), cases.join(",\n"))
}

fn owner_json(owner: Owner) -> Value {
    json!(owner.0.to_string())
}

fn record_json(Record { attempts, state }: &Record) -> Value {
    match *state {
        State::Running { owner, since, until } => {
            json!({ "attempts": attempts, "state": "running", "owner": owner_json(owner), "since": since, "until": until })
        }
        State::Unknown { owner, since } => match owner {
            Some(owner) => {
                json!({ "attempts": attempts, "state": "unknown", "owner": owner_json(owner), "since": since })
            }
            None => json!({ "attempts": attempts, "state": "unknown", "since": since }),
        },
        State::Failed => json!({ "attempts": attempts, "state": "failed" }),
        State::Done => json!({ "attempts": attempts, "state": "done" }),
    }
}

fn input_json(input: Input) -> Value {
    match input {
        Input::Claim { owner, lease } => {
            json!({ "type": "claim", "owner": owner_json(owner), "leaseMs": lease })
        }
        Input::Renew { owner, lease } => {
            json!({ "type": "renew", "owner": owner_json(owner), "leaseMs": lease })
        }
        Input::Done { owner } => json!({ "type": "done", "owner": owner_json(owner) }),
        Input::Failed { owner } => json!({ "type": "failed", "owner": owner_json(owner) }),
        Input::Unknown { owner } => json!({ "type": "unknown", "owner": owner_json(owner) }),
        Input::Verified(happened) => {
            json!({ "type": "verified", "happened": happened.map_or_else(|| json!("unknown"), Value::from) })
        }
        Input::Settled(happened) => json!({ "type": "verified", "happened": happened }),
    }
}

fn refusal_json(refusal: Refusal) -> Value {
    json!(match refusal {
        Refusal::Lost => "lost",
        Refusal::Running => "running",
        Refusal::Unknown => "unknown",
        Refusal::Done => "done",
        Refusal::Nothing => "nothing",
    })
}

fn step_json(step: Step) -> Value {
    match step {
        Step::Claim => json!({ "do": "claim" }),
        Step::Act => json!({ "do": "act" }),
        Step::Wait { left } => json!({ "do": "wait", "leftMs": left }),
        Step::Verify => json!({ "do": "verify" }),
        Step::Reuse => json!({ "do": "reuse" }),
    }
}
