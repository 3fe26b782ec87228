//! `decisions.json`: a long scripted run, and the hash of every decision in it. `hash` is over everything that the engine
//! says, natively and as wasm. `driven` is over what a driver sees of it, and also holds for the surface for JavaScript, here
//! as wasm and in `pkg/test/vectors/decisions.test.ts` for the package.

use crate::cases;
use halfopen::Code;
use halfopen::policy::{
    Breaker, BreakerOptions, Budget, BudgetOptions, CallConfig, Context, Engine, Failure, PolicyOptions,
    Ring, Shared, Step, seed_from_f64,
};
use halfopen::rng::SplitMix64;
use halfopen::time::{Millis, Timestamp};
use serde::Deserialize;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[derive(Deserialize)]
pub(crate) struct Case {
    pub(crate) name: String,
    policy: PolicyOptions,
    breaker: BreakerOptions,
    budget: Option<BudgetOptions>,
    seed: u64,
    rounds: u32,
    /// The most that an attempt is estimated to take, and takes, of a limit on tokens; without, nothing is said of tokens.
    tokens: Option<u64>,
    hash: String,
    driven: String,
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

/// The script's input to a policy.
#[derive(Clone, Copy)]
pub(crate) enum Input {
    Begin { tokens: Option<u32> },
    Used { call: u32, tokens: u32 },
    Fail { call: u32, code: Code, hint: Option<u64>, took: u64 },
    Succeed { call: u32, took: u64 },
    Cancel { call: u32 },
    Resume { call: u32 },
    Dequeue { call: u32 },
}

/// A driver's view of a step.
#[derive(Clone, Copy)]
pub(crate) enum Seen {
    Attempt { call: u32 },
    Wait { call: u32, delay: u64 },
    Queued { call: u32 },
    Rejected { by: u8, retry_after: Option<u64> },
    GiveUp,
    Done,
}

/// A policy with its breaker and its budget, driven by the script.
pub(crate) trait Driven {
    fn input(&mut self, now: u64, input: Input) -> Seen;
    fn next_ready(&mut self, now: u64) -> Option<u32>;
    /// The breaker's state by number, and how long until it admits a call.
    fn breaker(&mut self, now: u64) -> (u8, Option<u64>);
    /// All else that the engine has said since.
    fn said(&mut self) -> Vec<String>;
}

/// Both hashes of the script: over everything, and over what a driver sees.
pub(crate) fn run(case: &Case, policy: &mut dyn Driven) -> (String, String) {
    let (mut hash, mut driven) = (Fnv(0xCBF2_9CE4_8422_2325), Fnv(0xCBF2_9CE4_8422_2325));
    let mut world = SplitMix64::new(case.seed ^ 0x5EED);
    let (mut now, mut running, mut waiting): (u64, Vec<u32>, Vec<Waiting>) = (0, Vec::new(), Vec::new());
    for _ in 0..case.rounds {
        now += world.between(0, 400);
        let mut steps = Vec::new();
        // A spell of failures every now and then, so that the breaker has something to do.
        let failing = now / 40_000 % 3 == 1;
        match world.between(0, 9) {
            0..=3 => {
                let tokens = case.tokens.map(|most| world.between(0, most) as u32);
                steps.push(policy.input(now, Input::Begin { tokens }));
            }
            4..=8 if !running.is_empty() => {
                let call = running.swap_remove(world.between(0, running.len() as u64 - 1) as usize);
                let took = world.between(0, 300);
                if let Some(most) = case.tokens {
                    policy.input(now, Input::Used { call, tokens: world.between(0, most) as u32 });
                }
                steps.push(policy.input(
                    now,
                    if world.between(0, 99) < if failing { 85 } else { 10 } {
                        let code = Code::ALL[world.between(0, Code::ALL.len() as u64 - 1) as usize];
                        let hint = (world.between(0, 9) == 0).then(|| world.between(0, 90_000));
                        Input::Fail { call, code, hint, took }
                    } else {
                        Input::Succeed { call, took }
                    },
                ));
            }
            9 if !running.is_empty() => {
                steps.push(policy.input(now, Input::Cancel { call: running.swap_remove(0) }));
            }
            _ => {}
        }
        while let Some(place) = waiting.iter().position(|waiting| waiting.due <= now) {
            steps.push(policy.input(now, Input::Resume { call: waiting.swap_remove(place).call }));
        }
        while let Some(call) = policy.next_ready(now) {
            steps.push(policy.input(now, Input::Dequeue { call }));
        }
        for step in steps {
            match step {
                Seen::Attempt { call } => running.push(call),
                Seen::Wait { call, delay } => waiting.push(Waiting { call, due: now + delay }),
                _ => {}
            }
            driven.add(&format!("{now} {}", as_text(step)));
        }
        let mut said = policy.said();
        let (state, retry_after) = policy.breaker(now);
        said.extend(policy.said());
        said.iter().for_each(|text| hash.add(text));
        driven.add(&format!("{state} {}", or_dash(retry_after)));
    }
    (format!("{:016x}", hash.0), format!("{:016x}", driven.0))
}

fn as_text(step: Seen) -> String {
    match step {
        Seen::Attempt { call } => format!("attempt {call}"),
        Seen::Wait { call, delay } => format!("wait {call} {delay}"),
        Seen::Queued { call } => format!("queued {call}"),
        Seen::Rejected { by, retry_after } => format!("rejected {by} {}", or_dash(retry_after)),
        Seen::GiveUp => "give up".to_owned(),
        Seen::Done => "done".to_owned(),
    }
}

fn or_dash(number: Option<u64>) -> String {
    number.map_or("-".to_owned(), |number| number.to_string())
}

/// The engine as it is.
struct Native {
    engine: Engine,
    breaker: Breaker,
    budget: Option<Budget>,
    events: Ring,
    said: Vec<String>,
}

impl Native {
    fn new(case: &Case) -> Self {
        let shared = Shared { breaker: 1, budget: u32::from(case.budget.is_some()) };
        let mut engine = Engine::new(case.policy.config(shared), seed_from_f64(case.seed as f64));
        engine.observe(true);
        Self {
            engine,
            breaker: Breaker::new(case.breaker.config()),
            budget: case.budget.as_ref().map(|options| Budget::new(options.config())),
            events: Ring::new(),
            said: Vec::new(),
        }
    }
}

impl Driven for Native {
    fn input(&mut self, now: u64, input: Input) -> Seen {
        let mut ctx = Context {
            breaker: Some(&mut self.breaker),
            budget: self.budget.as_mut(),
            events: &mut self.events,
            policy_id: 1,
            breaker_id: 1,
        };
        let (engine, at) = (&mut self.engine, Some(Timestamp(now)));
        let step = match input {
            Input::Begin { tokens: None } => engine.begin(&mut ctx, at),
            Input::Begin { tokens: Some(tokens) } => {
                let config = CallConfig { tokens, ..engine.config() };
                engine.begin_with(&mut ctx, at, config)
            }
            Input::Used { call, tokens } => {
                engine.observe_usage(call, 1, tokens);
                return Seen::Done;
            }
            Input::Fail { call, code, hint, took } => {
                let (hint, duration) = (hint.map(Millis), Some(Millis(took)));
                engine.fail(&mut ctx, call, at, &Failure { hint, duration, ..Failure::of(code) })
            }
            Input::Succeed { call, took } => engine.succeed(&mut ctx, call, at, Some(Millis(took))),
            Input::Cancel { call } => engine.cancel(&mut ctx, call, at),
            Input::Resume { call } => engine.resume(&mut ctx, call, at),
            Input::Dequeue { call } => engine.dequeue(&mut ctx, call, at),
        };
        self.said.push(format!("{now} {step:?}"));
        match step {
            Step::Attempt { call, .. } => Seen::Attempt { call },
            Step::Wait { call, plan, .. } => Seen::Wait { call, delay: plan.delay.delay.0 },
            Step::Queued { call, .. } => Seen::Queued { call },
            Step::Rejected { by, retry_after, .. } => {
                Seen::Rejected { by: by as u8, retry_after: retry_after.map(|wait| wait.0) }
            }
            Step::GiveUp { .. } => Seen::GiveUp,
            Step::Done { .. } => Seen::Done,
            Step::NeedTime => panic!("the time was given"),
            Step::NeedDelay { .. } => panic!("the backoff is the policy's"),
        }
    }

    fn next_ready(&mut self, now: u64) -> Option<u32> {
        self.engine.next_ready(Some(Timestamp(now)))
    }

    fn breaker(&mut self, now: u64) -> (u8, Option<u64>) {
        let at = Timestamp(now);
        let (state, retry_after) = (self.breaker.state(at), self.breaker.retry_after(at));
        self.said.push(format!("{state:?} {retry_after:?}"));
        (state as u8, retry_after.map(|wait| wait.0))
    }

    fn said(&mut self) -> Vec<String> {
        while let Some(record) = self.events.pop() {
            self.said.push(format!("{record:?}"));
        }
        std::mem::take(&mut self.said)
    }
}

#[test]
fn the_same_decisions_fall_everywhere() {
    let cases: Vec<Case> = cases(include_str!("../../../tests/vectors/decisions.json"));
    let hashes: Vec<_> = cases
        .iter()
        .map(|case| {
            let (hash, driven) = run(case, &mut Native::new(case));
            (case.name.as_str(), hash, driven)
        })
        .collect();
    let expected: Vec<_> =
        cases.iter().map(|case| (case.name.as_str(), case.hash.clone(), case.driven.clone())).collect();
    assert_eq!(hashes, expected);
}
