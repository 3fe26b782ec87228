//! The surface for JavaScript (`core/wasm/src`) as wasm, in Node and in a browser: numbers come in, and numbers and texts go
//! out, for the same vectors that the core itself is held to.

use crate::cases;
use crate::decisions::{Case, Driven, Input, Seen, run};
use halfopen::classify::{Context, Thrown};
use halfopen::message::{ROW_END, templates};
use halfopen::policy::{Failure, JitterKind};
use halfopen::{Code, ErrorType};
use halfopen_lab::{Run, Scenario};
use halfopen_wasm::wire::{
    RETRY_ON_TYPES, breaker_option, flag, outcome, packed, policy_option, rate_limit_option, retry_option,
    slot, snapshot, step,
};
use halfopen_wasm::{breaker, budget, classify, fleet, lab, message, policy, recovery, response, world};
use js_sys::{Float64Array, JSON, Uint8Array, WebAssembly};
use serde_json::{Value, json};
use std::collections::HashMap;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Options in the package's form: the numbers of these names, wherever they are in the options.
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
    /// How many attempts each call has made: the driver numbers them.
    attempts: HashMap<u32, u32>,
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
        Self { policy, breaker, numbers: numbers(), attempts: HashMap::new() }
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
        let begins = matches!(input, Input::Begin { .. });
        let packed = match input {
            Input::Begin { tokens: None } => policy::begin(policy, now),
            Input::Begin { tokens: Some(tokens) } => {
                let names = [retry_option::NAMES, policy_option::NAMES].concat();
                let own = numbers_of(&names, &json!({ "estimatedTokens": tokens }));
                policy::begin_with(policy, now, &own, 0, false)
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
                let delay = f64::NAN;
                let attempt = self.attempts[&call];
                policy::attempt_failed(
                    policy,
                    call,
                    now,
                    code.index(),
                    flags,
                    hint,
                    took as f64,
                    delay,
                    attempt,
                )
            }
            Input::Succeed { call, took } => policy::attempt_ok(policy, call, now, took as f64),
            Input::Cancel { call } => policy::cancel(policy, call, now),
            Input::Resume { call } => policy::resume(policy, call, now),
            Input::Dequeue { call } => policy::dequeue(policy, call, now),
        };
        let call = packed.cast_unsigned() >> packed::CALL_SHIFT;
        if begins {
            self.attempts.remove(&call); // a handle comes back when its call is over
        }
        if packed.cast_unsigned() & packed::STEP == step::ATTEMPT {
            *self.attempts.entry(call).or_default() += 1;
        }
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
        while halfopen_wasm::event::drain_events() != 0 {}
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
            u8::from(case["audience"] == "visitor"),
        );
        assert_eq!(message, case["message"], "{code:?} {locale}");
    }
}

/// Absent options have their defaults: the delays are those of `backoff.json` without jitter.
#[test]
fn options_that_are_not_given_are_the_defaults() {
    for retry in [[].as_slice(), &[f64::NAN; 10]] {
        let delays =
            [1.0, 2.0, 3.0, 4.0, 5.0].map(|attempt| policy::backoff_delay(retry, attempt, 0.5, f64::NAN));
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

/// Bytes of this memory, as `pkg/src/classify/thrown.ts` writes them.
fn memory_at(address: u32, length: usize) -> Uint8Array {
    let memory = wasm_bindgen::memory().unchecked_into::<WebAssembly::Memory>();
    Uint8Array::new_with_byte_offset_and_length(&memory.buffer(), address, length as u32)
}

/// How many numbers go back at the head of the buffer.
const NUMBERS: usize = 10;

#[test]
fn a_copy_that_crosses_is_what_the_core_makes_of_it() {
    for case in cases::<Value>(include_str!("../../../tests/vectors/classify.json")) {
        let thrown = Thrown::from_json(&case["thrown"].to_string());
        let context: Context = serde_json::from_value(case["context"].clone()).unwrap_or_default();
        let copy = thrown.bytes();
        memory_at(classify::buffer() + NUMBERS as u32 * 8, copy.len()).copy_from(copy);
        let layer = context.layer.map_or(0, |layer| layer as u8 + 1);
        let now = context.now.map_or(f64::NAN, |now| now as f64);
        let texts =
            classify::classify_copy(copy.len(), layer, now, context.provider.clone(), context.model.clone());
        let mut numbers = [0; NUMBERS * 8];
        memory_at(classify::buffer(), numbers.len()).copy_to(&mut numbers);
        let number = |place: usize| f64::from_le_bytes(numbers[place * 8..place * 8 + 8].try_into().unwrap());
        let expected = halfopen::classify::classify(&thrown, &context);
        let name = &case["name"];
        assert_eq!(number(0), f64::from(expected.code.index()), "{name}");
        let verdicts = [expected.retryable, expected.words_alone, expected.is_refusal];
        let verdicts = (0..).zip(verdicts).map(|(bit, held)| u8::from(held) << bit).sum::<u8>();
        assert_eq!(number(2), f64::from(verdicts), "{name}");
        assert_eq!(number(5), f64::from(expected.rule_index), "{name}");
        assert_eq!(texts.split('\u{1f}').next(), Some(expected.technical_details.as_str()), "{name}");
        let spoken = halfopen::classify::spoken(&thrown);
        let answered = if spoken.answered { "1" } else { "" };
        let parts = [spoken.head.as_str(), &spoken.words, answered].join("\u{1f}");
        assert_eq!(classify::spoken_in_copy(copy.len()), parts, "{name}");
    }
}

/// A value of a vector, as JavaScript has it.
fn js(value: &Value) -> JsValue {
    JSON::parse(&value.to_string()).unwrap()
}

/// Returns a value from JavaScript as JSON; null for `undefined`.
fn json_of(value: &JsValue) -> Value {
    let text = JSON::stringify(value).ok().and_then(|text| text.as_string());
    text.map_or(Value::Null, |text| serde_json::from_str(&text).unwrap())
}

#[test]
fn chunks_come_in_as_values() {
    for case in cases::<Value>(include_str!("../../../tests/vectors/response.json")) {
        let (Some(chunks), Some(said)) = (case["chunks"].as_array(), case["said"].as_array()) else {
            continue;
        };
        let handler = response::response_new(case["format"].as_str().map(str::to_owned), None);
        for (chunk, expected) in chunks.iter().zip(said) {
            let read = json_of(&response::response_chunk(handler, js(chunk)));
            let text = read.as_str().or_else(|| read["text"].as_str()).unwrap_or_default();
            assert_eq!(text, expected["text"].as_str().unwrap_or_default(), "{}", case["name"]);
            let calls = read["tools"].as_array().is_some_and(|tools| !tools.is_empty());
            assert_eq!(calls, expected["hasToolCall"] == true, "{}", case["name"]);
        }
        response::response_free(handler);
    }
}

#[test]
fn where_recovery_goes_crosses_as_a_list_and_a_report_as_a_text() {
    for case in cases::<Value>(include_str!("../../../tests/vectors/recovery.json")) {
        let name = &case["name"];
        if let Some(asked) = case["route"].as_object() {
            let policy = |field: &str| case["route"]["retryPolicy"][field].as_f64().unwrap_or(f64::NAN);
            let capability = match asked.get("capabilityName") {
                None => Some("search".to_owned()),
                Some(given) => given.as_str().map(str::to_owned),
            };
            let found = recovery::recovery_route(
                asked["severity"].as_str().unwrap(),
                policy("maxAttempts"),
                policy("delaySeconds"),
                policy("backoffFactor"),
                policy("maxRetryAfterMs"),
                case["route"]["retryCount"].as_f64().unwrap_or_default(),
                capability,
                case["route"]["retryAfterMs"].as_f64().unwrap_or(f64::NAN),
            );
            let next = found[0].as_string().unwrap();
            let next = if next == "exhausted" { "error".to_owned() } else { next };
            assert_eq!(next, case["goes"]["next"], "{name}");
            assert_eq!(found.get(1).and_then(JsValue::as_f64), case["goes"]["delayMs"].as_f64(), "{name}");
            assert_eq!(found.get(2).and_then(JsValue::as_f64), case["goes"]["attempt"].as_f64(), "{name}");
        }
        if case["prompt"].is_object() {
            let mut context = case["prompt"].clone();
            let of_error = context["classification"].take();
            for field in ["code", "severity", "userMessage"] {
                context[field] = of_error[field].clone();
            }
            let fields = of_error["metadata"].as_object().filter(|fields| !fields.is_empty());
            context["metadata"] = fields.map(|fields| json!(fields).to_string()).unwrap_or_default().into();
            let capabilities = case["capabilities"].as_str().map(str::to_owned);
            let prompt = recovery::recovery_prompt(js(&context), capabilities, 1);
            assert!(prompt.contains("Never tell them to check a key"), "{name}: {prompt}");
            assert!(prompt.contains(context["currentTask"].as_str().unwrap()), "{name}: {prompt}");
        }
    }
}

#[test]
fn a_run_of_the_lab_goes_on_by_its_handle() {
    let text = r#"{
        "version": 1, "durationMs": 2000,
        "clients": { "count": 2, "arrivals": { "kind": "open", "perSecond": 20 } },
        "policies": { "none": { "retry": false, "breaker": false } },
        "provider": { "servers": 2, "service": { "kind": "exponential", "mean": 100 } }
    }"#;
    let run = lab::lab_new(text, "none", f64::NAN);
    assert_ne!(run, 0, "{}", lab::lab_misfit());
    while !lab::lab_advance(run, 16) {}
    assert_eq!(lab::lab_share(run), 1.0);
    let scenario = Scenario::from_json(text).unwrap();
    assert_eq!(lab::lab_result(run), Run::new(&scenario, "none").unwrap().to_end().to_json());
    assert_eq!(lab::lab_new(text, "other", f64::NAN), 0);
    assert_ne!(lab::lab_misfit(), "");
}

#[test]
fn states_of_a_fleet_are_bytes() {
    let delta = fleet::fleet_delta(&[f64::NAN; 64], "");
    let state = fleet::fleet_merge(&[], &delta, &[delta.len() as u32], &[1000.0]);
    assert!(!state.is_empty(), "{}", fleet::fleet_misfit());
    let mut expected = halfopen_fleet::State::new(1000);
    expected.apply(&halfopen_fleet::Delta::from_bytes(&delta).unwrap(), 1000);
    assert_eq!(state, expected.to_bytes());
    assert!(fleet::fleet_merge(&[0xff], &delta, &[delta.len() as u32], &[1000.0]).is_empty());
    assert_ne!(fleet::fleet_misfit(), "");
}
