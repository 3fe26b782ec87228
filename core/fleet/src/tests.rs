//! The laws of a fleet's state.

use super::*;
use proptest::prelude::*;
use proptest::sample::Index;

fn report(node: u64, number: u64, failed: u32) -> Delta {
    let breaker = BreakerReport {
        totals: Counts { total: u64::from(failed), failed: u64::from(failed), slow: 0 },
        streak: failed,
        ..BreakerReport::default()
    };
    Delta { node, number, breaker: Some(breaker), ..Delta::default() }
}

fn limited(node: u64, number: u64, limit: u32, wants: u32, used: u32, has: u32) -> Delta {
    let limit = LimitReport { limit, window: 1000, wants, used, has, ..LimitReport::default() };
    Delta { node, number, limits: vec![limit], ..Delta::default() }
}

fn probe(node: u64, number: u64, view: &View, result: ProbeResult) -> Delta {
    let mut delta = report(node, number, 0);
    if let Some(breaker) = &mut delta.breaker {
        breaker.generation = view.generation;
        breaker.wants_probe = true;
        breaker.probe = view.probe;
        breaker.result = result;
    }
    delta
}

/// A breaker that processes 1 and 2 opened at 1000.
fn opened() -> State {
    let mut state = State::new(1000);
    state.apply(&report(1, 1, 5), 1000);
    state.apply(&report(2, 1, 5), 1000);
    assert_eq!(state.view(1, 1000).state, BreakerState::Open);
    state
}

#[test]
fn one_process_that_fails_alone_does_not_open_it_for_others() {
    let mut state = State::new(0);
    state.apply(&report(2, 1, 0), 0);
    state.apply(&report(1, 1, 50), 10);
    assert_eq!(state.view(2, 10).state, BreakerState::Closed);
    // A process without others is the whole fleet.
    let mut alone = State::new(0);
    alone.apply(&report(1, 1, 50), 10);
    assert_eq!(alone.view(1, 10).state, BreakerState::Open);
}

#[test]
fn any_evidence_is_enough_where_that_is_said() {
    let mut state = State::new(0);
    state.apply(&report(2, 1, 0), 0);
    let mut delta = report(1, 1, 50);
    delta.breaker.iter_mut().for_each(|report| report.terms.quorum = false);
    state.apply(&delta, 10);
    assert_eq!(state.view(2, 10).state, BreakerState::Open);
}

#[test]
fn many_processes_with_few_failures_open_it_together() {
    let mut state = State::new(0);
    for node in 1..=4 {
        state.apply(&report(node, 1, 1), 10);
        assert_eq!(state.view(1, 10).state, BreakerState::Closed);
    }
    state.apply(&report(5, 1, 1), 10);
    assert_eq!(state.view(1, 10).state, BreakerState::Open);
}

#[test]
fn a_rate_is_that_of_all_results_within_the_window() {
    let trip = Trip::Rates { window: 10_000, minimum: 100, failure: 1 << 31, slow: 0 };
    let mut state = State::new(0);
    for node in 1..=10 {
        let mut delta = report(node, 1, 6);
        if let Some(report) = &mut delta.breaker {
            report.terms.trip = trip;
            report.totals.total = 10;
            report.streak = 0;
        }
        assert_eq!(state.view(1, 5000).state, BreakerState::Closed);
        state.apply(&delta, 5000);
    }
    assert_eq!(state.view(1, 5000).state, BreakerState::Open);
}

#[test]
fn a_probe_is_one_processs_until_its_lease_ends() {
    let mut state = opened();
    let early = probe(1, 2, &state.view(1, 2000), ProbeResult::Running);
    state.apply(&early, 2000);
    assert_eq!(state.view(1, 2000).probe, 0);
    let now = 61_000;
    state.apply(&probe(1, 3, &state.view(1, now), ProbeResult::Running), now);
    state.apply(&probe(2, 3, &state.view(2, now), ProbeResult::Running), now);
    let (first, second) = (state.view(1, now), state.view(2, now));
    assert!(first.probe > 0 && first.probe_for == 10_000);
    assert_eq!((second.probe, second.open_for, second.state), (0, 10_000, BreakerState::HalfOpen));
    assert_eq!((first.probes, second.probes), (1, 1));
    // It is suspended for longer than its lease, so the other process gets the next one.
    let later = now + 10_000;
    state.apply(&probe(2, 4, &state.view(2, later), ProbeResult::Running), later);
    assert!(state.view(2, later).probe > 0);
    // The result of the first probe then changes nothing.
    let generation = state.view(2, later).generation;
    let mut late = probe(1, 4, &first, ProbeResult::Succeeded);
    late.breaker.iter_mut().for_each(|report| report.wants_probe = false);
    state.apply(&late, later + 1);
    assert_eq!(state.view(2, later + 1).generation, generation);
    let second = state.view(2, later + 1);
    state.apply(&probe(2, 5, &second, ProbeResult::Succeeded), later + 2);
    assert_eq!(state.view(1, later + 2).state, BreakerState::Closed);
}

#[test]
fn a_lease_that_is_free_is_shown_while_others_are_held() {
    let mut state = opened();
    let now = 61_000;
    let several = |node: u64, number: u64, view: &View| {
        let mut delta = probe(node, number, view, ProbeResult::Running);
        delta.breaker.iter_mut().for_each(|report| report.terms.max_probes = 2);
        delta
    };
    state.apply(&several(1, 2, &state.view(1, now)), now);
    assert_eq!(state.view(2, now).probes, 1);
    state.apply(&several(2, 2, &state.view(2, now)), now);
    state.apply(&several(3, 2, &state.view(3, now)), now);
    let held = [1, 2, 3].map(|node| state.view(node, now).probe > 0);
    assert_eq!((held, state.view(3, now).probes), ([true, true, false], 2));
    assert_eq!(state.view(3, now + 10_000).probes, 0);
}

#[test]
fn a_failed_probe_opens_it_again() {
    let mut state = opened();
    let now = 61_000;
    state.apply(&probe(1, 3, &state.view(1, now), ProbeResult::Running), now);
    let view = state.view(1, now);
    state.apply(&probe(1, 4, &view, ProbeResult::Failed), now + 5);
    let view = state.view(1, now + 5);
    assert_eq!((view.state, view.open_for), (BreakerState::Open, 60_000));
}

#[test]
fn counts_of_an_older_generation_do_not_open_it_again() {
    let mut state = opened();
    let now = 61_000;
    let old = state.view(1, now).generation;
    state.apply(&probe(1, 3, &state.view(1, now), ProbeResult::Running), now);
    state.apply(&probe(1, 4, &state.view(1, now), ProbeResult::Succeeded), now);
    for (node, number) in [(3, 1), (4, 1)] {
        let mut delta = report(node, number, 50);
        delta.breaker.iter_mut().for_each(|report| report.generation = old);
        state.apply(&delta, now + 1);
    }
    assert_eq!(state.view(1, now + 1).state, BreakerState::Closed);
}

/// Results that arrive after the breaker has opened and closed again count for no rate. Their older generation excludes
/// them: if they counted, their failures alone would open it, and together with the successes of the same processes
/// they would not.
#[test]
fn results_of_an_older_generation_count_for_no_rate() {
    let trip = Trip::Rates { window: 10_000, minimum: 3, failure: 1 << 31, slow: 0 };
    let closed_again = || {
        let mut state = opened();
        let now = 61_000;
        state.apply(&probe(1, 3, &state.view(1, now), ProbeResult::Running), now);
        state.apply(&probe(1, 4, &state.view(1, now), ProbeResult::Succeeded), now);
        state
    };
    let late = |generation: u64, succeeded: u64| {
        let mut state = closed_again();
        for node in 3..=8 {
            let mut delta = report(node, 1, 4);
            if let Some(report) = &mut delta.breaker {
                report.terms.trip = trip;
                report.totals.total += succeeded;
                report.generation = generation;
            }
            state.apply(&delta, 61_010);
        }
        state.view(1, 61_010).state
    };
    let old = opened().view(1, 1000).generation;
    for succeeded in [0, 20] {
        assert_eq!(late(old, succeeded), BreakerState::Closed);
    }
    // 0 means that the process knows no generation yet, so its results are present ones.
    assert_eq!(late(0, 0), BreakerState::Open);
    assert_eq!(late(0, 20), BreakerState::Closed);
}

/// A call that began before the breaker opened fails later, when its process already knows of the opening.
#[test]
fn late_failures_from_while_it_was_open_do_not_open_it_again() {
    let mut state = opened();
    let failed = |node: u64, number: u64, failed: u32, generation: u64| {
        let mut delta = report(node, number, failed);
        delta.lease = 120_000;
        delta.breaker.iter_mut().for_each(|report| report.generation = generation);
        delta
    };
    state.apply(&failed(2, 2, 6, state.view(2, 2000).generation), 2000);
    let now = 61_000;
    state.apply(&probe(1, 2, &state.view(1, now), ProbeResult::Running), now);
    state.apply(&probe(1, 3, &state.view(1, now), ProbeResult::Succeeded), now);
    assert_eq!(state.view(1, now).state, BreakerState::Closed);
    // One failure since then: five are needed.
    state.apply(&failed(1, 4, 1, state.view(1, now).generation), now + 10);
    assert_eq!(state.view(1, now + 10).state, BreakerState::Closed);
}

#[test]
fn a_part_that_is_given_back_counts_for_a_window_more() {
    let mut state = State::new(0);
    state.apply(&limited(1, 1, 100, 100, 0, 0), 0);
    assert_eq!(state.view(1, 0).limits[0].granted, 100);
    state.apply(&limited(2, 1, 100, 100, 0, 0), 10);
    assert_eq!(state.view(2, 10).limits[0].granted, 0);
    // It learns of the smaller grant and confirms it: half of its part is free, but it has used all of it.
    state.apply(&limited(1, 2, 100, 100, 100, 100), 20);
    assert_eq!(state.view(1, 20).limits[0].granted, 50);
    state.apply(&limited(1, 3, 100, 100, 100, 50), 30);
    state.apply(&limited(2, 2, 100, 100, 0, 0), 40);
    assert_eq!(state.view(2, 40).limits[0].granted, 0);
    state.apply(&limited(2, 3, 100, 100, 0, 0), 1100);
    assert_eq!(state.view(2, 1100).limits[0].granted, 50);
}

#[test]
fn a_process_that_ends_frees_its_unused_part() {
    let mut state = State::new(0);
    state.apply(&limited(1, 1, 100, 100, 0, 0), 0);
    state.apply(&Delta { kind: Kind::Leave, ..limited(1, 2, 100, 0, 30, 100) }, 10);
    state.apply(&limited(2, 1, 100, 100, 0, 0), 20);
    assert_eq!(state.view(2, 20).limits[0].granted, 70);
}

#[test]
fn a_process_that_ends_without_a_report_may_have_used_its_whole_part() {
    let mut state = State::new(0);
    state.apply(&limited(1, 1, 100, 100, 0, 0), 0);
    state.apply(&limited(1, 2, 100, 100, 90, 100), 5);
    state.apply(&Delta { node: 1, number: 3, kind: Kind::Leave, ..Delta::default() }, 10);
    state.apply(&limited(2, 1, 100, 100, 0, 0), 20);
    assert_eq!(state.view(2, 20).limits[0].granted, 0);
    state.apply(&limited(2, 2, 100, 100, 0, 0), 1100);
    assert_eq!(state.view(2, 1100).limits[0].granted, 100);
}

#[test]
fn isolation_and_cool_down_hold_for_all() {
    let mut state = State::new(0);
    state.apply(&Delta { node: 9, number: 1, kind: Kind::Isolate, cool_down: 5000, ..Delta::default() }, 100);
    let view = state.view(1, 100);
    assert_eq!((view.state, view.since, view.cool_for, view.nodes), (BreakerState::Isolated, 100, 5000, 0));
    // A shorter hint does not shorten it.
    state.apply(&Delta { node: 8, number: 1, cool_down: 10, ..Delta::default() }, 110);
    assert_eq!(state.view(1, 110).cool_for, 4990);
    state.apply(&Delta { node: 7, number: 1, kind: Kind::Lift, ..Delta::default() }, 120);
    assert_eq!(state.view(1, 120).state, BreakerState::Closed);
}

#[test]
fn other_options_are_seen() {
    let mut state = State::new(0);
    state.apply(&Delta { options: 1, ..report(1, 1, 0) }, 0);
    assert!(!state.view(1, 0).mismatch);
    state.apply(&Delta { options: 2, ..report(2, 1, 0) }, 0);
    assert!(state.view(1, 0).mismatch && state.view(2, 0).mismatch);
}

#[test]
fn the_pace_keeps_the_store_at_two_thousand_syncs_a_second() {
    for (nodes, pace) in [(1, 0), (500, 250), (1000, 500), (30_000, 10_000)] {
        let mut state = State::new(0);
        for node in 1..=nodes {
            state.insert(node, living::Node { lease_until: 10, ..living::Node::default() });
        }
        assert_eq!(state.view(1, 0).next_sync, pace);
    }
}

#[test]
fn a_state_of_many_processes_is_fetched_less_often() {
    let mut state = State::new(0);
    for node in 1..=2000 {
        state.apply(&limited(node * 1_000_003, 1, 5000, 1, 1, 0), 10);
    }
    let bytes = state.to_bytes();
    let pace = View::read(&bytes, 1, 10).unwrap().next_sync;
    // 1 s by the number of syncs, and longer by their bytes.
    assert!(pace > 1000, "{pace} ms for {} bytes", bytes.len());
    assert_eq!(pace, 2000 * bytes.len() as u64 / 20_000);
}

#[test]
fn a_store_whose_clock_is_an_hour_behind_after_a_failover_goes_on_from_where_it_was() {
    let hour = 3_600_000;
    let mut state = State::new(hour);
    state.apply(&report(1, 1, 5), hour + 1000);
    state.apply(&report(2, 1, 5), hour + 1000);
    let view = state.view(1, hour + 1000);
    assert_eq!((view.state, view.open_for), (BreakerState::Open, 60_000));
    // The replica's clock says 1000 ms.
    state.apply(&report(1, 2, 5), 1000);
    assert_eq!(state.view(1, 1000).open_for, 60_000);
    state.apply(&report(1, 3, 5), 31_000);
    assert_eq!(state.view(1, 31_000).open_for, 30_000);
    assert_eq!(state.view(1, 61_000).state, BreakerState::HalfOpen);
}

#[test]
fn bytes_that_are_none_are_refused() {
    let state = opened().to_bytes();
    let delta = report(1, 3, 0).to_bytes();
    assert_eq!(merge(Some(b"hello world"), &delta, 0), Err(Misfit::Foreign));
    assert_eq!(merge(Some(&delta), &delta, 0), Err(Misfit::Foreign));
    let mut newer = state.clone();
    newer[3] = 9;
    assert_eq!(merge(Some(&newer), &delta, 0), Err(Misfit::Schema(9)));
    for length in 4..state.len() {
        assert_eq!(merge(Some(&state[..length]), &delta, 0), Err(Misfit::Broken), "{length}");
    }
}

/// A process of the model, which follows its grants.
#[derive(Clone, Debug, Default)]
struct Process {
    number: u64,
    view: Option<View>,
    /// When it requested the view, on the store's clock.
    at: u64,
    /// The times at which it used the limit.
    used: Vec<u64>,
}

const LIMIT: u32 = 20;
const WINDOW: u64 = 1000;

impl Process {
    fn part(&self, now: u64) -> u32 {
        match &self.view {
            Some(view) if now < self.at + State::LEASE => {
                view.limits.first().map_or(0, |limit| limit.granted)
            }
            _ => 0,
        }
    }

    fn use_at(&self, now: u64) -> u32 {
        self.used.iter().filter(|&&at| at + WINDOW > now).count() as u32
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// In any history, even if responses are lost: no window contains more use than the limit, and no more than
    /// `max_probes` leases are valid at once.
    #[test]
    fn no_window_sees_more_than_the_limit_and_no_instant_more_probes(
        steps in prop::collection::vec((0_usize..4, 0_u64..400, 0_u32..30, 0_u8..8, any::<bool>()), 1..200),
        max_probes in 1_u32..3,
    ) {
        let mut processes = vec![Process::default(); 4];
        let mut state = State::new(0);
        let (mut now, mut uses) = (0, Vec::<u64>::new());
        for (who, step, wants, act, lost) in steps {
            now += if act == 7 { step * 40 } else { step };
            let process = &mut processes[who];
            // It uses all that it may.
            let free = process.part(now).saturating_sub(process.use_at(now)).min(wants);
            for _ in 0..free {
                process.used.push(now);
                uses.push(now);
            }
            let in_window = uses.iter().filter(|&&at| at + WINDOW > now).count();
            prop_assert!(in_window <= LIMIT as usize, "{in_window} of {LIMIT} at {now}");
            process.number += 1;
            let mut delta =
                limited(who as u64 + 1, process.number, LIMIT, wants, process.use_at(now), process.part(now));
            delta.options = u32::from(act == 6);
            let failed = if act < 3 { 10 } else { 0 };
            delta.breaker = report(1, 1, failed).breaker;
            if let Some(report) = &mut delta.breaker {
                report.terms.max_probes = max_probes;
                report.terms.reset = 100;
                report.generation = process.view.as_ref().map_or(0, |view| view.generation);
                report.totals = Counts { total: process.number * 10, failed: process.number * 10, slow: 0 };
                report.wants_probe = act % 2 == 1;
                report.probe = process.view.as_ref().map_or(0, |view| view.probe);
                report.result = match act {
                    3 | 4 => ProbeResult::Succeeded,
                    5 => ProbeResult::Failed,
                    _ => ProbeResult::Running,
                };
            }
            let before = state.clone();
            state.apply(&delta, now);
            let once = state.clone();
            state.apply(&delta, now + 5);
            prop_assert_eq!(&state, &once, "twice is once");
            let read = State::from_bytes(&state.to_bytes()).unwrap();
            prop_assert_eq!(&read, &state);
            let together = |state: &State| (state.living.nodes, state.living.parts(0), state.living.differ(0));
            prop_assert_eq!(together(&read), together(&state), "what the living have is what each of them has");
            // The store's time goes back, but the state's time does not.
            let mut back = before;
            back.apply(&delta, 0);
            prop_assert!(back.now + step * 40 >= state.now && back.now <= state.now);
            if !lost {
                process.view = Some(state.view(who as u64 + 1, now));
                process.at = now;
            }
            let valid = state.breaker.probes.iter().filter(|probe| probe.expiry > now).count();
            prop_assert!(valid <= max_probes as usize);
            let granted: u64 = state.nodes.values().filter(|node| node.lease_until > now)
                .flat_map(|node| node.parts.first()).map(|part| u64::from(part.outstanding())).sum();
            prop_assert!(granted + state.limits[0].cooling() <= u64::from(LIMIT));
        }
    }

    /// Counts are the same in any order.
    #[test]
    fn counts_do_not_depend_on_the_order(
        reports in prop::collection::vec((0_u32..4, 0_u64..5000, 0_u64..3000, 0_u8..2), 1..8), order in prop::collection::vec(any::<Index>(), 8),
    ) {
        let deltas: Vec<Delta> = reports.iter().enumerate().map(|(place, &(failed, cool_down, hint, name))| {
            let mut delta = report(place as u64 + 1, 1, failed);
            delta.cool_down = cool_down;
            delta.names = vec![format!("policy-{name}")];
            if let Some(report) = &mut delta.breaker {
                report.hint = if failed > 0 { hint } else { 0 };
                // Never opens: the process with the last evidence opens it, and which process that is depends on the
                // order.
                report.terms.trip = Trip::Rates { window: 10_000, minimum: 1000, failure: 1 << 31, slow: 0 };
            }
            delta
        }).collect();
        let mut other = deltas.clone();
        for (place, index) in order.iter().enumerate().take(deltas.len()) {
            let with = index.index(deltas.len());
            other.swap(place, with);
        }
        let folded = |deltas: &[Delta]| {
            let mut state = State::new(500);
            deltas.iter().for_each(|delta| state.apply(delta, 1000));
            state
        };
        prop_assert_eq!(folded(&deltas), folded(&other));
    }

    /// An older delta that arrives after a newer one changes nothing, and loses nothing.
    #[test]
    fn the_newer_delta_has_what_the_older_one_had(first in 0_u32..20, more in 0_u32..20) {
        let (older, mut newer) = (report(1, 1, first), report(1, 2, first + more));
        newer.breaker.iter_mut().for_each(|report| report.base = Counts::default());
        let mut in_order = State::new(0);
        in_order.apply(&older, 10);
        in_order.apply(&newer, 10);
        let mut late = State::new(0);
        late.apply(&newer, 10);
        late.apply(&older, 10);
        prop_assert_eq!(in_order.nodes[&1].totals, late.nodes[&1].totals);
        prop_assert_eq!(in_order.view(1, 10).state, late.view(1, 10).state);
    }

    /// Any bytes are read or refused, without a panic. Bytes that are read are written back unchanged.
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200), form in 0_u8..2, now in any::<u64>()) {
        let mut bytes = bytes;
        if let Some((head, _)) = bytes.split_at_mut_checked(4) {
            head.copy_from_slice(if form == 0 { b"HFs\x01" } else { b"HFd\x01" });
        }
        let delta = report(1, 1, 5).to_bytes();
        let _ = merge(Some(&bytes), &delta, now);
        let _ = merge(None, &bytes, now);
        let _ = View::read(&bytes, 1, now);
    }

    /// Damaged states of every kind keep their numbers within bounds.
    #[test]
    fn a_damaged_state_is_no_panic(place in any::<Index>(), byte in any::<u8>(), now in any::<u64>()) {
        let mut state = opened();
        state.apply(&limited(3, 1, 100, 10, 5, 0), 1500);
        let mut bytes = state.to_bytes();
        let place = place.index(bytes.len());
        bytes[place] = byte;
        let delta = Delta { limits: limited(3, 2, 100, 10, 5, 0).limits, ..report(3, 2, 9) }.to_bytes();
        if let Ok(next) = merge(Some(&bytes), &delta, now) {
            prop_assert!(View::read(&next, 3, now).is_ok());
        }
    }
}
