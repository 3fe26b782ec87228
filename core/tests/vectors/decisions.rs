//! `decisions.json`: a long scripted run, and the hash of every decision in it. The same natively and as wasm.

use crate::cases;
use halfopen::Code;
use halfopen::event::Ring;
use halfopen::policy::{
    Breaker, BreakerOptions, Budget, BudgetOptions, Context, Engine, Failure, PolicyOptions, Shared, Step,
};
use halfopen::rng::SplitMix64;
use halfopen::time::{Millis, Timestamp};
use serde::Deserialize;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[derive(Deserialize)]
struct Case {
    name: String,
    policy: PolicyOptions,
    breaker: BreakerOptions,
    budget: Option<BudgetOptions>,
    seed: u64,
    rounds: u32,
    hash: String,
}

/// FNV-1a, <http://www.isthe.com/chongo/tech/comp/fnv/>: over the text of each decision.
struct Fnv(u64);

impl Fnv {
    fn add(&mut self, text: &str) {
        for byte in text.bytes().chain([b'\n']) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
    }
}

#[derive(Clone, Copy)]
struct Waiting {
    call: u32,
    due: u64,
}

fn run(case: &Case) -> String {
    let shared = Shared { breaker: 1, budget: u32::from(case.budget.is_some()) };
    let mut engine = Engine::new(case.policy.config(shared).unwrap(), case.seed);
    engine.observe(true);
    let mut breaker = Breaker::new(case.breaker.config());
    let mut budget = case.budget.as_ref().map(|options| Budget::new(options.config()));
    let mut events = Ring::new();
    let (mut hash, mut world) = (Fnv(0xCBF2_9CE4_8422_2325), SplitMix64::new(case.seed ^ 0x5EED));
    let (mut now, mut running, mut waiting): (u64, Vec<u32>, Vec<Waiting>) = (0, Vec::new(), Vec::new());
    for _ in 0..case.rounds {
        now += world.between(0, 400);
        let mut ctx = Context {
            breaker: Some(&mut breaker),
            budget: budget.as_mut(),
            events: &mut events,
            policy_id: 1,
            breaker_id: 1,
        };
        let at = Some(Timestamp(now));
        let mut steps = Vec::new();
        // A spell of failures every now and then, so that the breaker has something to do.
        let failing = now / 40_000 % 3 == 1;
        match world.between(0, 9) {
            0..=3 => steps.push(engine.begin(&mut ctx, at)),
            4..=8 if !running.is_empty() => {
                let call = running.swap_remove(world.between(0, running.len() as u64 - 1) as usize);
                let took = Some(Millis(world.between(0, 300)));
                if world.between(0, 99) < if failing { 85 } else { 10 } {
                    let code = Code::ALL[world.between(0, Code::ALL.len() as u64 - 1) as usize];
                    let hint = (world.between(0, 9) == 0).then(|| Millis(world.between(0, 90_000)));
                    let failure = Failure { hint, duration: took, ..Failure::of(code) };
                    steps.push(engine.fail(&mut ctx, call, at, &failure));
                } else {
                    steps.push(engine.succeed(&mut ctx, call, at, took));
                }
            }
            9 if !running.is_empty() => steps.push(engine.cancel(&mut ctx, running.swap_remove(0), at)),
            _ => {}
        }
        while let Some(place) = waiting.iter().position(|waiting| waiting.due <= now) {
            steps.push(engine.resume(&mut ctx, waiting.swap_remove(place).call, at));
        }
        while let Some(call) = engine.next_ready(at) {
            steps.push(engine.dequeue(&mut ctx, call, at));
        }
        for step in steps {
            match step {
                Step::Attempt { call, .. } => running.push(call),
                Step::Wait { call, plan, .. } => waiting.push(Waiting { call, due: plan.due.0 }),
                _ => {}
            }
            hash.add(&format!("{now} {step:?}"));
        }
        while let Some(record) = events.pop() {
            hash.add(&format!("{record:?}"));
        }
        hash.add(&format!("{:?} {:?}", breaker.state(Timestamp(now)), breaker.retry_after(Timestamp(now))));
    }
    format!("{:016x}", hash.0)
}

#[test]
fn the_same_decisions_fall_everywhere() {
    let cases: Vec<Case> = cases(include_str!("../../../tests/vectors/decisions.json"));
    let hashes: Vec<_> = cases.iter().map(|case| (case.name.as_str(), run(case))).collect();
    let expected: Vec<_> = cases.iter().map(|case| (case.name.as_str(), case.hash.clone())).collect();
    assert_eq!(hashes, expected);
}
