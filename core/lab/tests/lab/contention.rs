//! N clients that contend for one row, with optimistic locking: how much work and how long until all have written.
//!
//! Marc Brooker, "Exponential Backoff And Jitter" (2015),
//! <https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/>, and its simulator,
//! <https://github.com/aws-samples/aws-arch-backoff-simulator>: a client reads the row's version, then writes with it, and
//! fails if another has written in between; network delays are normal, 10 ms with a variance of 4; base 5 ms, cap 2 s.
//! Its figures have no numbers; its words are the tolerance here: without jitter is the clear loser, at 100 clients full
//! jitter has cut the calls by more than half, and equal jitter does slightly more work than full.
//!
//! The retries are the engine's: [`Engine`] decides when each client comes back.

use super::SEEDS;
use halfopen::Code;
use halfopen::policy::{Backoff, Context, Engine, Factor, Failure, Jitter, PolicyConfig, Ring, Step};
use halfopen::rng::SplitMix64;
use halfopen::time::{Millis, Timestamp};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Read { call: u32 },
    Reply { call: u32, version: u64 },
    Write { call: u32, version: u64 },
    Result { call: u32, ok: bool },
    Resume { call: u32 },
}

/// Requests, and milliseconds until the last client is done.
fn contend(clients: u64, jitter: Jitter, seed: u64) -> (u64, u64) {
    let backoff = Backoff { base: Millis(5), cap: Millis(2000), factor: Factor::TWO, jitter };
    let mut config = PolicyConfig::default();
    (config.call.retry.max_retries, config.call.retry.backoff) = (u32::MAX - 1, backoff);
    let (mut engine, mut ring) = (Engine::new(config, seed), Ring::new());
    let mut context = Context { breaker: None, budget: None, events: &mut ring, policy_id: 0, breaker_id: 0 };
    let mut rng = SplitMix64::new(seed);
    // Normal by the central limit: twelve uniform numbers have a variance of 1.
    let mut network = || {
        let sum: u64 = (0..12).map(|_| rng.between(0, 1000)).sum();
        u64::try_from((10_000 + 2 * (i64::try_from(sum).unwrap() - 6000)).max(0)).unwrap()
    };
    let (mut version, mut requests, mut last) = (0, 0, 0);
    let mut queue: BinaryHeap<Reverse<(u64, Event)>> = BinaryHeap::new();
    let mut steps: Vec<Step> = (0..clients).map(|_| engine.begin(&mut context, Some(Timestamp(0)))).collect();
    let mut now = 0;
    loop {
        for step in steps.drain(..) {
            match step {
                Step::Attempt { call, .. } => queue.push(Reverse((now + network(), Event::Read { call }))),
                Step::Wait { call, plan, .. } => {
                    queue.push(Reverse((now + plan.delay.delay.0 * 1000, Event::Resume { call })));
                }
                Step::Done { .. } => last = now,
                other => panic!("{other:?}"),
            }
        }
        let Some(Reverse((at, event))) = queue.pop() else { return (requests, last / 1000) };
        now = at;
        let clock = Some(Timestamp(now / 1000));
        match event {
            Event::Read { call } => queue.push(Reverse((now + network(), Event::Reply { call, version }))),
            Event::Reply { call, version } => {
                queue.push(Reverse((now + network(), Event::Write { call, version })));
            }
            Event::Write { call, version: read } => {
                requests += 1;
                let ok = read == version;
                version += u64::from(ok);
                queue.push(Reverse((now + network(), Event::Result { call, ok })));
            }
            Event::Result { call, ok: true } => steps.push(engine.succeed(&mut context, call, clock, None)),
            Event::Result { call, ok: false } => {
                steps.push(engine.fail(&mut context, call, clock, &Failure::of(Code::Conflict)));
            }
            Event::Resume { call } => steps.push(engine.resume(&mut context, call, clock)),
        }
    }
}

#[test]
fn without_jitter_is_the_clear_loser() {
    for seed in SEEDS {
        let (none, none_ms) = contend(100, Jitter::None, seed);
        for (jitter, share) in [(Jitter::Full, 0.5), (Jitter::Equal, 1.0), (Jitter::Decorrelated, 1.0)] {
            let (calls, ms) = contend(100, jitter, seed);
            assert!((calls as f64) < share * none as f64, "{jitter:?}: {calls} calls, {none} without");
            assert!(ms < none_ms, "{jitter:?}: {ms} ms, {none_ms} without");
        }
    }
}

#[test]
fn equal_jitter_does_more_work_than_full() {
    let calls = |jitter| SEEDS.map(|seed| contend(100, jitter, seed).0).iter().sum::<u64>();
    assert!(calls(Jitter::Full) < calls(Jitter::Equal));
}

#[test]
fn work_grows_faster_than_the_number_of_clients() {
    for seed in SEEDS {
        let (few, _) = contend(20, Jitter::Full, seed);
        let (many, _) = contend(100, Jitter::Full, seed);
        assert!(many > 5 * few, "{few} calls of 20 clients, {many} of 100");
    }
}
