//! The surface for JavaScript (`core/src/js`) as wasm, in Node and in a browser: options come in as objects, and numbers and
//! texts go out, for the same vectors that the core itself is held to.

use crate::cases;
use crate::decisions::{Case, Driven, Input, Seen, run};
use halfopen::Code;
use halfopen::js::{breaker, budget, message, policy, world};
use halfopen::message::{ROW_END, templates};
use halfopen::policy::Failure;
use halfopen::wire::{flag, packed, slot, step};
use js_sys::{Float64Array, JSON, WebAssembly};
use serde_json::Value;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test as test;

/// What `JSON.parse` makes of a value.
fn to_js(value: &Value) -> JsValue {
    JSON::parse(&value.to_string()).unwrap()
}

/// A policy behind the surface: handles and packed steps, as `pkg/src/core/engine.ts` has them.
struct Surface {
    policy: u32,
    breaker: u32,
    numbers: Float64Array,
}

impl Surface {
    fn new(case: &Value) -> Self {
        let breaker = breaker::breaker_new(to_js(&case["breaker"])).unwrap();
        let budget = match &case["budget"] {
            Value::Null => 0,
            options => budget::budget_new(to_js(options)).unwrap(),
        };
        let seed = case["seed"].as_f64().unwrap();
        let policy = policy::policy_new(to_js(&case["policy"]), breaker, budget, seed).unwrap();
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
    Float64Array::new_with_byte_offset_and_length(&memory.buffer(), world::lane_pointer(), slot::SLOTS as u32)
}

impl Driven for Surface {
    fn input(&mut self, now: u64, input: Input) -> Seen {
        let (policy, now) = (self.policy, now as f64);
        let packed = match input {
            Input::Begin => policy::begin(policy, now),
            Input::Fail { call, code, hint, took } => {
                let failure = Failure::of(code);
                let flags = [
                    (failure.retryable, flag::RETRYABLE),
                    (failure.counts, flag::COUNTS),
                    (failure.is_cancelled(), flag::CANCELLED),
                ];
                let flags = flags.iter().filter(|(set, _)| *set).map(|(_, flag)| flag).sum();
                let hint = hint.map_or(f64::NAN, |hint| hint as f64);
                policy::attempt_failed(policy, call, now, code.index(), flags, hint, took as f64)
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

#[test]
fn an_option_of_another_type_is_refused() {
    for options in [r#"{ "retry": { "maxRetries": "3" } }"#, r#"{ "bulkhead": { "maxConcurrent": {} } }"#] {
        assert!(policy::policy_new(JSON::parse(options).unwrap(), 0, 0, 1.0).is_err(), "{options}");
    }
}
