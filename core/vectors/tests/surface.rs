//! The surface for JavaScript (`core/src/js`) as wasm, in Node and in a browser: numbers come in, and numbers and texts go
//! out, for the same vectors that the core itself is held to.

use crate::cases;
use crate::decisions::{Case, Driven, Input, Seen, run};
use halfopen::js::{backoff, breaker, budget, message, policy, world};
use halfopen::message::{ROW_END, templates};
use halfopen::policy::{Failure, JitterKind};
use halfopen::wire::{
    RETRY_ON_TYPES, breaker_option, flag, outcome, packed, policy_option, rate_limit_option, retry_option,
    slot, snapshot, step,
};
use halfopen::{Code, ErrorType};
use js_sys::{Float64Array, WebAssembly};
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Options as the package gives them: the numbers of these names, wherever in the options they stand.
fn numbers_of(names: &[&str], options: &Value) -> Vec<f64> {
    fn find<'a>(name: &str, options: &'a Value) -> Option<&'a Value> {
        let members = options.as_object()?;
        members.get(name).or_else(|| members.values().find_map(|inner| find(name, inner)))
    }
    let number = |name: &str| match find(name, options) {
        Some(Value::Number(number)) => number.as_f64().unwrap(),
        Some(Value::Bool(flag)) => f64::from(u8::from(*flag)),
        Some(Value::String(word)) if name == "breakerScope" => f64::from(u8::from(word == "attempt")),
        Some(Value::String(word)) => {
            let kind = JitterKind::ALL.iter().find(|kind| kind.as_str() == word).unwrap();
            -f64::from(*kind as u8)
        }
        Some(Value::Array(types)) => {
            let place = |word: &Value| ErrorType::ALL.iter().position(|kind| kind.as_str() == word).unwrap();
            types.iter().map(|word| 2_f64.powi(RETRY_ON_TYPES as i32 + place(word) as i32)).sum()
        }
        _ => f64::NAN,
    };
    names.iter().map(|name| number(name)).collect()
}

/// A breaker's options with the names that its numbers have.
fn breaker_numbers(options: &Value) -> Vec<f64> {
    let mut flat = options.clone();
    let throttle =
        [("k", "throttleK"), ("windowMs", "throttleWindowMs"), ("minimumCalls", "throttleMinimumCalls")];
    for (inner, names) in [
        ("window", [("size", "windowSize"), ("durationMs", "windowMs")].as_slice()),
        ("slowCall", &[("durationMs", "slowMs"), ("rate", "slowRate")]),
        ("throttle", &throttle),
    ] {
        for (name, flat_name) in names {
            if let Some(number) = flat[inner].get(name).cloned() {
                flat[*flat_name] = number;
            }
        }
    }
    if flat["throttle"].is_object() {
        flat["throttle"] = true.into();
    }
    numbers_of(breaker_option::NAMES, &flat)
}

/// A policy behind the surface: handles and packed steps, as `pkg/src/core/engine.ts` has them.
struct Surface {
    policy: u32,
    breaker: u32,
    numbers: Float64Array,
}

impl Surface {
    fn new(case: &Value) -> Self {
        let breaker = breaker::breaker_new(&breaker_numbers(&case["breaker"]));
        let budget = match &case["budget"] {
            Value::Null => 0,
            options => budget::budget_new(options["ratio"].as_f64().unwrap(), f64::NAN, f64::NAN),
        };
        let seed = case["seed"].as_f64().unwrap();
        let names = [retry_option::NAMES, policy_option::NAMES].concat();
        let mut options = numbers_of(&names, &case["policy"]);
        let limits = match &case["policy"]["rateLimit"] {
            Value::Array(several) => several.clone(),
            Value::Null => Vec::new(),
            one => vec![one.clone()],
        };
        for mut limit in limits {
            limit["ofTokens"] = (limit["unit"] == "tokens").into();
            options.extend(numbers_of(rate_limit_option::NAMES, &limit));
        }
        let policy = policy::policy_new(&options, breaker, budget, seed);
        policy::policy_observe(policy, true);
        Self { policy, breaker, numbers: numbers() }
    }

    /// One of the numbers that a step has beside its packed value.
    fn number(&mut self, slot: usize) -> Option<u64> {
        if self.numbers.length() == 0 {
            self.numbers = numbers(); // the memory has grown, which detaches the view of it
        }
        let number = self.numbers.get_index(slot as u32);
        (!number.is_nan()).then_some(number as u64)
    }
}

fn numbers() -> Float64Array {
    let memory = wasm_bindgen::memory().unchecked_into::<WebAssembly::Memory>();
    Float64Array::new_with_byte_offset_and_length(
        &memory.buffer(),
        world::slots_pointer(),
        slot::SLOTS as u32,
    )
}

impl Driven for Surface {
    fn input(&mut self, now: u64, input: Input) -> Seen {
        let (policy, now) = (self.policy, now as f64);
        let packed = match input {
            Input::Begin { tokens: None } => policy::begin(policy, now),
            Input::Begin { tokens: Some(tokens) } => {
                let names = [retry_option::NAMES, policy_option::NAMES].concat();
                let own = numbers_of(&names, &json!({ "estimatedTokens": tokens }));
                policy::begin_with(policy, now, &own, 0)
            }
            Input::Used { call, tokens } => {
                policy::attempt_used(policy, call, 1, f64::from(tokens));
                return Seen::Done;
            }
            Input::Fail { call, code, hint, took } => {
                let failure = Failure::of(code);
                let flags = [(failure.retryable, flag::RETRYABLE), (failure.counts, flag::COUNTS)];
                let flags = flags.iter().filter(|(set, _)| *set).map(|(_, flag)| flag).sum();
                let hint = hint.map_or(f64::NAN, |hint| hint as f64);
                policy::attempt_failed(policy, call, now, code.index(), flags, hint, took as f64, f64::NAN, 0)
            }
            Input::Succeed { call, took } => policy::attempt_ok(policy, call, now, took as f64),
            Input::Cancel { call } => policy::cancel(policy, call, now),
            Input::Resume { call } => policy::resume(policy, call, now),
            Input::Dequeue { call } => policy::dequeue(policy, call, now),
        };
        let call = packed.cast_unsigned() >> packed::CALL_SHIFT;
        match packed.cast_unsigned() & packed::STEP {
            step::ATTEMPT => Seen::Attempt { call },
            step::WAIT => Seen::Wait { call, delay: self.number(slot::SLOT_DELAY).unwrap() },
            step::QUEUED => Seen::Queued { call },
            step::REJECTED => Seen::Rejected {
                by: self.number(slot::SLOT_BY).unwrap() as u8,
                retry_after: self.number(slot::SLOT_RETRY_AFTER),
            },
            step::GIVE_UP => Seen::GiveUp,
            step::DONE => Seen::Done,
            step => panic!("no such step: {step}"),
        }
    }

    fn next_ready(&mut self, now: u64) -> Option<u32> {
        Some(policy::next_ready(self.policy, now as f64)).filter(|call| *call != 0)
    }

    fn breaker(&mut self, now: u64) -> (u8, Option<u64>) {
        let retry_after = breaker::breaker_retry_after(self.breaker, now as f64);
        (
            breaker::breaker_state(self.breaker, now as f64),
            (!retry_after.is_nan()).then_some(retry_after as u64),
        )
    }

    fn said(&mut self) -> Vec<String> {
        while halfopen::js::event::drain_events() != 0 {}
        Vec::new()
    }
}

#[test]
fn decisions_are_those_of_the_engine() {
    for given in cases::<Value>(include_str!("../../../tests/vectors/decisions.json")) {
        let case: Case = serde_json::from_value(given.clone()).unwrap();
        assert_eq!(run(&case, &mut Surface::new(&given)).1, given["driven"], "{}", case.name);
    }
}

#[test]
fn messages_go_out_as_texts() {
    for case in cases::<Value>(include_str!("../../../tests/vectors/messages.json")) {
        let text = |name: &str| case[name].as_str().map(str::to_owned);
        let code = Code::from_name(case["code"].as_str().unwrap()).unwrap();
        let retry_after = case["retryAfterMs"].as_f64().unwrap_or(f64::NAN);
        let locale = text("locale").unwrap();
        let templates = templates(&locale).join(&ROW_END.to_string());
        let message = message::user_message(
            &templates,
            code.index(),
            text("provider"),
            text("model"),
            text("tool"),
            retry_after,
            case["circumstance"].as_u64().unwrap_or_default() as u8,
        );
        assert_eq!(message, case["message"], "{code:?} {locale}");
    }
}

/// What is not given is the default: the delays are those of `backoff.json` without jitter.
#[test]
fn options_that_are_not_given_are_the_defaults() {
    for retry in [[].as_slice(), &[f64::NAN; 10]] {
        let delays =
            [1.0, 2.0, 3.0, 4.0, 5.0].map(|attempt| backoff::backoff_delay(retry, attempt, 0.5, f64::NAN));
        assert_eq!(delays, [1000.0, 2000.0, 4000.0, 8000.0, 9000.0]);
    }
}

#[test]
fn a_snapshot_goes_out_and_in_as_numbers() {
    for options in
        ["{}", r#"{ "window": { "kind": "count", "size": 8, "failureRate": 1 } }"#, r#"{ "throttle": {} }"#]
    {
        let options = breaker_numbers(&serde_json::from_str(options).unwrap());
        let [from, to] = [0, 1].map(|_| breaker::breaker_new(&options));
        breaker::breaker_record(from, outcome::FAILURE, f64::NAN, 10.0);
        let taken = breaker::breaker_snapshot(from, 20.0, 1e12);
        breaker::breaker_restore(to, &taken, 20.0, 1e12);
        let again = breaker::breaker_snapshot(to, 20.0, 1e12);
        assert_eq!(again[snapshot::GENERATION], taken[snapshot::GENERATION] + 1.0);
        let rest =
            |numbers: &[f64]| format!("{:?}", [&numbers[..snapshot::GENERATION], &numbers[snapshot::AT..]]);
        assert_eq!(rest(&again), rest(&taken));
    }
}
