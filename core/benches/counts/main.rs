//! Performs one operation of the engine many times, to be counted from outside: `halfopen-counts <case> <times>`.
//! Without arguments it prints the cases, each with the allocations of one operation after a thousand.

use halfopen::Code;
use halfopen::classify::{Context as Origin, Thrown, classify};
use halfopen::message::redact;
use halfopen::policy::{
    Backoff, Breaker, BreakerConfig, Budget, BudgetConfig, BulkheadConfig, Context, Engine, Failure, Outcome,
    PolicyConfig, Rate, Rates, Ring, Step, Trip,
};
use halfopen::rng::SplitMix64;
use halfopen::time::{Millis, Timestamp};
use std::hint::black_box;

/// Performs the case that many times.
type Case = fn(times: u64);

const CASES: &[(&str, Case)] = &[
    ("breaker", |times| breaker(Trip::Consecutive(5), times)),
    ("breaker over 100 calls", |times| breaker(Trip::Count { size: 100, rates: rates() }, times)),
    ("breaker over a minute", |times| {
        breaker(Trip::Time { duration: Millis(60_000), rates: rates() }, times)
    }),
    ("refusal", refusal),
    ("delay", delay),
    ("budget", budget),
    ("call that succeeds", |times| calls(PolicyConfig::default(), times, succeed)),
    ("call that fails and succeeds", |times| calls(PolicyConfig::default(), times, fail_once)),
    ("call under a bulkhead", |times| {
        let bulkhead = Some(BulkheadConfig { max_concurrent: 2, max_queued: 2 });
        calls(PolicyConfig { bulkhead, ..PolicyConfig::default() }, times, succeed);
    }),
    ("classify", classified),
    ("redact", redacted),
];

fn rates() -> Rates {
    Rates { failure: Rate::from_f64(0.5), minimum_calls: 10, slow: None }
}

fn breaker(trip: Trip, times: u64) {
    let mut breaker = Breaker::new(BreakerConfig { trip, ..BreakerConfig::default() });
    for now in 0..times {
        let now = black_box(Timestamp(now));
        if let Ok(permit) = breaker.admit(now) {
            breaker.settle(permit, black_box(Outcome::Success), None, now);
        }
    }
}

fn refusal(times: u64) {
    let mut breaker = Breaker::new(BreakerConfig { trip: Trip::Consecutive(1), ..BreakerConfig::default() });
    breaker.record(Outcome::Failure, None, Timestamp(0));
    for _ in 0..times {
        let _ = black_box(breaker.admit(black_box(Timestamp(1))));
    }
}

fn delay(times: u64) {
    let (backoff, mut rng) = (Backoff::default(), SplitMix64::new(7));
    for _ in 0..times {
        black_box(backoff.delay(black_box(3), Millis::ZERO, &mut rng));
    }
}

fn budget(times: u64) {
    let mut budget = Budget::new(BudgetConfig::new(0.5, 1e6, Millis(10_000)));
    for now in 0..times {
        budget.deposit(black_box(Timestamp(now)));
        black_box(budget.withdraw(black_box(Timestamp(now))));
    }
}

fn calls(config: PolicyConfig, times: u64, one: fn(&mut Engine, &mut Context<'_>, Timestamp)) {
    let mut engine = Engine::new(config, 7);
    let (mut breaker, mut events) = (Breaker::new(BreakerConfig::default()), Ring::new());
    for now in 0..times {
        let (breaker, events) = (Some(&mut breaker), &mut events);
        let mut ctx = Context { breaker, budget: None, events, policy_id: 1, breaker_id: 1 };
        one(&mut engine, &mut ctx, black_box(Timestamp(now * 10_000)));
    }
}

fn succeed(engine: &mut Engine, ctx: &mut Context<'_>, _: Timestamp) {
    if let Step::Attempt { call, .. } = engine.begin(ctx, black_box(None)) {
        let _ = black_box(engine.succeed(ctx, call, None, None));
    }
}

fn fail_once(engine: &mut Engine, ctx: &mut Context<'_>, now: Timestamp) {
    let failure = Failure::of(Code::ServerError);
    if let Step::Attempt { call, .. } = engine.begin(ctx, Some(now))
        && let Step::Wait { call, plan, .. } = engine.fail(ctx, call, Some(now), &failure)
        && let Step::Attempt { call, .. } = engine.resume(ctx, call, Some(plan.due))
    {
        let _ = black_box(engine.succeed(ctx, call, Some(plan.due), None));
        return;
    }
    unreachable!("a call that fails once is tried again");
}

fn classified(times: u64) {
    let thrown = Thrown::from_json(
        r#"{"constructor":"RateLimitError","status":429,"message":"Rate limit reached for gpt-5 on tokens per min","code":"rate_limit_exceeded","headers":{"retry-after":"7","x-request-id":"req_1"}}"#,
    );
    let origin = Origin::default();
    for _ in 0..times {
        black_box(classify(black_box(&thrown), &origin));
    }
}

fn redacted(times: u64) {
    for _ in 0..times {
        black_box(redact(black_box("Could not reach the provider: the request timed out after 30 seconds.")));
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(name) = arguments.next() else {
        for (name, case) in CASES {
            let allocations = |times| allocation_counter::measure(|| case(times)).count_total;
            // Anything that grows at the start has grown by then.
            let of_a_thousand = allocations(2_000) - allocations(1_000);
            println!("{name}: {}", of_a_thousand as f64 / 1_000.0);
        }
        return;
    };
    let times = arguments.next().and_then(|text| text.parse().ok()).expect("how many times");
    let (_, case) = CASES.iter().find(|(case, _)| *case == name).expect("a case");
    case(times);
}
