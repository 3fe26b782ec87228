//! The short way of a call against the long one: whether the clock was read says nothing about what happens.

use crate::harness::Harness;
use halfopen::policy::{BreakerConfig, BreakerScope, PolicyConfig, Step, Trip};
use halfopen::time::Timestamp;
use proptest::prelude::*;

#[derive(Clone, Copy, Debug)]
enum Input {
    Begin,
    Succeed(usize),
    Fail(usize),
    Cancel(usize),
    Resume(usize),
    Pass(u64),
    Isolate,
    LiftIsolation,
    Observe(bool),
    /// Calls on their way go on under the settings that they began with.
    Update,
}

fn inputs() -> impl Strategy<Value = Vec<Input>> {
    let input = prop_oneof![
        6 => Just(Input::Begin),
        4 => (0_usize..8).prop_map(Input::Succeed),
        4 => (0_usize..8).prop_map(Input::Fail),
        1 => (0_usize..8).prop_map(Input::Cancel),
        3 => (0_usize..8).prop_map(Input::Resume),
        2 => (0_u64..5000).prop_map(Input::Pass),
        1 => Just(Input::Isolate),
        1 => Just(Input::LiftIsolation),
        1 => any::<bool>().prop_map(Input::Observe),
        1 => Just(Input::Update),
    ];
    prop::collection::vec(input, 1..120)
}

/// `eager` reads the clock for every input; otherwise it is read only on request.
fn take(harness: &mut Harness, eager: bool, input: Input, calls: &[u32]) -> Option<Step> {
    let call = |at: usize| calls.get(at % calls.len().max(1)).copied().unwrap_or_default();
    let now = Timestamp(harness.now);
    let late = |harness: &mut Harness, take: &mut dyn FnMut(&mut Harness, bool) -> Step| match take(
        harness, eager,
    ) {
        Step::NeedTime => take(harness, true),
        step => step,
    };
    Some(match input {
        Input::Begin => late(harness, &mut |harness, timed| {
            harness.input(|engine, ctx, now| engine.begin(ctx, now.filter(|_| timed)))
        }),
        Input::Succeed(at) => late(harness, &mut |harness, timed| {
            harness.input(|engine, ctx, now| engine.succeed(ctx, call(at), now.filter(|_| timed), None))
        }),
        Input::Fail(at) => harness.fail(call(at)),
        Input::Cancel(at) => harness.input(|engine, ctx, now| engine.cancel(ctx, call(at), now)),
        Input::Resume(at) => harness.input(|engine, ctx, now| engine.resume(ctx, call(at), now)),
        Input::Pass(ms) => {
            harness.now += ms;
            return None;
        }
        Input::Isolate => {
            harness.breaker.iter_mut().for_each(|breaker| breaker.isolate(now));
            return None;
        }
        Input::LiftIsolation => {
            harness.breaker.iter_mut().for_each(|breaker| breaker.lift_isolation(now));
            return None;
        }
        Input::Observe(observed) => {
            harness.engine.observe(observed);
            return None;
        }
        Input::Update => {
            let call = harness.engine.config();
            harness.engine.update(PolicyConfig { call, ..PolicyConfig::default() });
            return None;
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn both_ways_lead_to_the_same_steps(inputs in inputs(), threshold in 1_u32..4, each_attempt: bool, guarded: bool) {
        let [mut short, mut long] = [(); 2].map(|()| {
            let scope = if each_attempt { BreakerScope::Attempt } else { BreakerScope::Call };
            let harness = Harness::calls(|config| config.scope = scope);
            let trip = Trip::Consecutive(threshold);
            if guarded { harness.with_breaker(BreakerConfig { trip, ..BreakerConfig::default() }) } else { harness }
        });
        let mut calls = Vec::new();
        for input in inputs {
            let step = take(&mut short, false, input, &calls);
            prop_assert_eq!(step, take(&mut long, true, input, &calls), "{:?}", input);
            if let Some(Step::Attempt { call, .. }) = step {
                calls.push(call);
            }
            let now = Timestamp(short.now);
            let state = |harness: &Harness| harness.breaker.as_ref().map(|breaker| (breaker.state(now), breaker.generation()));
            prop_assert_eq!(state(&short), state(&long));
            prop_assert_eq!(short.engine.in_flight(), long.engine.in_flight());
        }
    }
}
