//! A fleet in virtual time. Each process has a breaker of the core, and the store has the state of `halfopen_fleet`.
//! Deltas and views pass between them as `halfopen/fleet` sends them (`pkg/src/fleet/member.ts`, `sync.ts`): paced by
//! the store, with jitter, at once when a breaker changes, and before a call that would be a probe.
//! `pkg/test/fleet/simulation.ts` simulates small fleets with the package itself, which covers the rest, and gets the
//! same results.
//!
//! Processes call a provider that is away for a while. The simulation measures the cost of learning late from each
//! other.

use halfopen::policy::{Breaker, BreakerConfig, BreakerState, Outcome, Permit};
use halfopen::rng::SplitMix64;
use halfopen::time::{Millis, Timestamp};
use halfopen_fleet::{BreakerReport, Counts, Delta, LimitReport, ProbeResult, State, Terms, View};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Times in milliseconds. The fleet has begun long enough before that also a large one syncs at its pace.
pub const AWAY_FROM: u64 = 30_000;
/// The steady part lasts from here until the provider goes away.
const STEADY_FROM: u64 = 20_000;
pub const AWAY_UNTIL: u64 = 50_000;
pub const ENDS: u64 = 65_000;
/// How long the provider takes, and the store's network there and back.
const LATENCY: u64 = 100;
const ROUND_TRIP: u64 = 2;
/// How long a breaker stays open.
const RESET: u64 = 5_000;
/// As in `pkg/src/fleet`: the soonest sync, the least time between two, the ramp after a breaker closed, the wait between questions for a probe.
const SYNC: u64 = 250;
const BETWEEN: u64 = 20;
const RAMP: u64 = 5_000;
const BETWEEN_QUERIES: u64 = 250;
/// A lease lasts for this number of waits between two syncs.
const LEASE_SYNCS: u64 = 4;

/// The settings of a simulated fleet.
#[derive(Clone, Copy)]
pub struct Setting {
    /// How many processes share one policy.
    pub size: usize,
    /// Calls a second of each process.
    pub rate: f64,
    /// Without a store: each process decides by itself.
    pub alone: bool,
    pub seed: u64,
}

/// The outcomes, added up over all processes of the added fleets.
#[derive(Default)]
pub struct Outcomes {
    pub processes: usize,
    /// How long after the provider went away each process stopped letting calls through, in milliseconds.
    pub known: Vec<u64>,
    /// How long after the provider came back each process's breaker was closed, in milliseconds.
    pub recovered: Vec<u64>,
    /// Calls that were sent while it was away.
    pub wasted: u64,
    pub probes: u64,
    /// Some of the waits for the next sync, before jitter.
    pub waits: Vec<u64>,
    /// Syncs and bytes from the store within the seconds before the absence, and how many seconds these are.
    pub steady_syncs: u64,
    pub steady_bytes: u64,
    pub steady_seconds: u64,
    /// The most syncs that one fleet had within a second: ever, and since the provider was first away.
    pub most_syncs: u64,
    pub most_syncs_in_outage: u64,
    /// The state of one fleet, in bytes.
    pub state_bytes: usize,
}

impl Outcomes {
    /// The value below which that share of the values is.
    pub fn at(values: &[u64], share: f64) -> u64 {
        let mut sorted = values.to_vec();
        sorted.sort_unstable();
        let place = (sorted.len() as f64 * share) as usize;
        sorted.get(place.min(sorted.len().saturating_sub(1))).copied().unwrap_or_default()
    }
}

struct Random(SplitMix64);

impl Random {
    fn share(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Draws the time until the next of random events, which come at `rate` a second.
    fn wait(&mut self, rate: f64) -> u64 {
        (-(1.0 - self.share()).ln() * 1_000.0 / rate) as u64 + 1
    }
}

enum Event {
    Call(usize),
    Ended(usize, Permit),
    Sync(usize, u64),
    Stored(usize, Box<Delta>, u64),
    Answered(usize, Box<View>, u64),
}

struct Process {
    breaker: Breaker,
    number: u64,
    succeeded: u64,
    acknowledged: Counts,
    sent: Counts,
    sent_number: u64,
    generation: u64,
    follows: bool,
    open_until: u64,
    query_after: u64,
    wants_probe: bool,
    /// The lease, and the probes counted when it was granted.
    probe: Option<(u64, u32, u32)>,
    /// Since when its own breaker would let a probe through, while that of all is closed as far as it knows, and when the view
    /// was requested that it knows it from.
    alone_since: Option<u64>,
    viewed_at: u64,
    /// A call waits for the sync on its way, or for the next one.
    waits: bool,
    will_wait: bool,
    /// Its part of the limit, until when, and among how many processes: none before the first answer.
    granted: Option<u32>,
    lease_until: u64,
    sent_lease: u64,
    nodes: u64,
    /// How many calls it has admitted, and refused since it has last said so.
    used: u32,
    refused: u32,
    /// How often the store lets it sync.
    pace: u64,
    /// The sync that is planned, when it is due, the one before it, whether one is on its way, and how long after its begin
    /// another one is wanted.
    plan: u64,
    due: u64,
    synced_at: u64,
    runs: bool,
    again: Option<u64>,
    known: Option<u64>,
    recovered: Option<u64>,
}

impl Process {
    /// Returns `true` if a call that begins now would be a probe that needs the store's lease.
    fn lacks_probe(&mut self, now: u64) -> bool {
        if self.follows {
            return self.probe.is_none() && now >= self.open_until;
        }
        let is_half_open = self.breaker.state(Timestamp(now)) == BreakerState::HalfOpen;
        self.alone_since = is_half_open.then(|| self.alone_since.unwrap_or(now));
        self.alone_since.is_some_and(|since| self.viewed_at < since)
    }
}

struct World<'a> {
    setting: Setting,
    random: Random,
    now: u64,
    queue: BinaryHeap<Reverse<(u64, u64)>>,
    events: Vec<Option<Event>>,
    free: Vec<usize>,
    order: u64,
    processes: Vec<Process>,
    state: State,
    state_bytes: usize,
    /// How many syncs the store has had, and with which one the state is measured next.
    stored: u64,
    measured_at: u64,
    /// Syncs in each second.
    syncs: [u64; (ENDS / 1_000) as usize + 1],
    out: &'a mut Outcomes,
}

/// Simulates one fleet, and adds its outcomes.
pub fn simulate(setting: Setting, out: &mut Outcomes) {
    let config = BreakerConfig { reset_timeout: Millis(RESET), ..BreakerConfig::default() };
    let process = |_| Process {
        breaker: Breaker::new(config),
        number: 0,
        succeeded: 0,
        acknowledged: Counts::default(),
        sent: Counts::default(),
        sent_number: 0,
        generation: 0,
        follows: false,
        open_until: 0,
        query_after: 0,
        wants_probe: false,
        probe: None,
        alone_since: None,
        viewed_at: 0,
        waits: false,
        will_wait: false,
        granted: None,
        lease_until: 0,
        sent_lease: 0,
        nodes: 0,
        used: 0,
        refused: 0,
        pace: 0,
        plan: 0,
        due: u64::MAX,
        synced_at: 0,
        runs: false,
        again: None,
        known: None,
        recovered: None,
    };
    out.processes += setting.size;
    out.steady_seconds = (AWAY_FROM - STEADY_FROM) / 1_000;
    let mut world = World {
        setting,
        random: Random(SplitMix64::new(setting.seed)),
        now: 0,
        queue: BinaryHeap::new(),
        events: Vec::new(),
        free: Vec::new(),
        order: 0,
        processes: (0..setting.size).map(process).collect(),
        state: State::new(1),
        state_bytes: 0,
        stored: 0,
        measured_at: 0,
        syncs: [0; (ENDS / 1_000) as usize + 1],
        out,
    };
    for one in 0..setting.size {
        let wait = world.random.wait(setting.rate);
        world.push(wait, Event::Call(one));
    }
    world.run();
    for process in &world.processes {
        // A process without a call in that time learns nothing until the end.
        world.out.known.push(process.known.unwrap_or(AWAY_UNTIL - AWAY_FROM));
        world.out.recovered.push(process.recovered.unwrap_or(ENDS - AWAY_UNTIL));
    }
    world.out.state_bytes = world.state.to_bytes().len();
    let most =
        |from: u64| world.syncs.iter().skip((from / 1_000) as usize).copied().max().unwrap_or_default();
    let (ever, in_outage) = (most(0), most(AWAY_FROM));
    world.out.most_syncs = world.out.most_syncs.max(ever);
    world.out.most_syncs_in_outage = world.out.most_syncs_in_outage.max(in_outage);
}

impl World<'_> {
    fn push(&mut self, after: u64, event: Event) {
        let place = self.free.pop().unwrap_or(self.events.len());
        if place == self.events.len() {
            self.events.push(None);
        }
        self.events[place] = Some(event);
        self.order += 1;
        // Events of the same moment come in the order in which they were planned. The lower half holds the index.
        self.queue.push(Reverse((self.now + after, self.order << 32 | place as u64)));
    }

    fn run(&mut self) {
        while let Some(Reverse((at, key))) = self.queue.pop() {
            if at > ENDS {
                break;
            }
            self.now = at;
            let place = (key & 0xFFFF_FFFF) as usize;
            self.free.push(place);
            match self.events[place].take() {
                Some(Event::Call(one)) => self.call(one),
                Some(Event::Ended(one, permit)) => self.ended(one, permit),
                Some(Event::Sync(one, plan)) if self.processes[one].plan == plan => self.sync(one),
                Some(Event::Stored(one, delta, sent_at)) => self.stored(one, &delta, sent_at),
                Some(Event::Answered(one, view, sent_at)) => self.answered(one, &view, sent_at),
                Some(Event::Sync(..)) | None => {}
            }
        }
    }

    const fn is_away(&self) -> bool {
        self.now >= AWAY_FROM && self.now < AWAY_UNTIL
    }

    fn call(&mut self, one: usize) {
        let wait = self.random.wait(self.setting.rate);
        self.push(wait, Event::Call(one));
        let now = self.now;
        if !self.setting.alone {
            let process = &mut self.processes[one];
            if process.due == u64::MAX && !process.runs {
                self.soon(one, 0);
            }
            let process = &mut self.processes[one];
            let lacks_probe = process.lacks_probe(now);
            if lacks_probe && !process.follows {
                process.breaker.allow_probes(0, Timestamp(now));
            }
            if lacks_probe && now >= process.query_after.max(process.viewed_at + process.pace) {
                process.wants_probe = true;
                process.query_after = now + BETWEEN_QUERIES;
                process.will_wait = true;
                if process.runs {
                    process.again = Some(0);
                } else {
                    self.sync(one);
                }
                return;
            }
        }
        self.admit(one);
    }

    fn admit(&mut self, one: usize) {
        let now = Timestamp(self.now);
        let is_probe = self.processes[one].breaker.state(now) != BreakerState::Closed;
        let limit = self.limit();
        let process = &mut self.processes[one];
        let part = match process.granted {
            None => limit,
            Some(granted) if self.now < process.lease_until => granted,
            Some(_) => (u64::from(limit) / process.nodes.max(1)).max(1) as u32,
        };
        if !self.setting.alone && process.used >= part && process.breaker.state(now) == BreakerState::Closed {
            process.refused += 1;
            let pace = process.pace;
            self.soon(one, pace);
            return;
        }
        let Ok(permit) = process.breaker.admit(now) else { return };
        process.used += 1;
        self.out.probes += u64::from(is_probe);
        self.out.wasted += u64::from(self.is_away());
        self.push(LATENCY, Event::Ended(one, permit));
    }

    fn ended(&mut self, one: usize, permit: Permit) {
        let (now, failed) = (Timestamp(self.now), self.is_away());
        let process = &mut self.processes[one];
        process.succeeded += u64::from(!failed);
        let outcome = if failed { Outcome::Failure } else { Outcome::Success };
        process.breaker.settle(permit, outcome, Some(Millis(LATENCY)), now);
        self.changed(one);
    }

    /// Notes what a breaker does; what it does by itself is sent at once.
    fn changed(&mut self, one: usize) {
        let (now, process) = (self.now, &mut self.processes[one]);
        let mut changes = false;
        while process.breaker.poll_change().is_some() {
            changes = true;
        }
        let is_closed = process.breaker.state(Timestamp(now)) == BreakerState::Closed;
        if now >= AWAY_FROM && !is_closed {
            process.known.get_or_insert(now - AWAY_FROM);
        }
        if now >= AWAY_UNTIL && is_closed {
            process.recovered.get_or_insert(now - AWAY_UNTIL);
        }
        if changes && !self.setting.alone {
            self.soon(one, 0);
        }
    }

    /// Nearly twice what the processes use of it: nothing that is used is free again before the simulation ends.
    fn limit(&self) -> u32 {
        (self.setting.size as f64 * self.setting.rate * 120.0).ceil() as u32
    }

    /// Syncs as soon as may be, but so long at least after the last one began.
    fn soon(&mut self, one: usize, apart: u64) {
        let process = &mut self.processes[one];
        if process.runs {
            process.again = Some(process.again.map_or(apart, |again| again.min(apart)));
        } else {
            let at = (process.synced_at + apart.max(BETWEEN)).max(self.now);
            self.plan(one, at - self.now);
        }
    }

    /// Plans a sync, unless an earlier one is planned.
    fn plan(&mut self, one: usize, after: u64) {
        let process = &mut self.processes[one];
        if process.due <= self.now + after {
            return;
        }
        (process.due, process.plan) = (self.now + after, process.plan + 1);
        let plan = process.plan;
        self.push(after, Event::Sync(one, plan));
    }

    fn sync(&mut self, one: usize) {
        let (now, limit) = (self.now, self.limit());
        let process = &mut self.processes[one];
        (process.runs, process.due, process.synced_at) = (true, u64::MAX, now);
        process.waits = std::mem::take(&mut process.will_wait);
        process.sent_lease = State::LEASE.max(LEASE_SYNCS * process.pace);
        process.plan += 1;
        process.number += 1;
        let counted = process.breaker.counted();
        let failed = u64::from(counted.failed);
        process.sent = Counts { total: failed + process.succeeded, failed, slow: 0 };
        process.sent_number = process.number;
        let result = match process.probe {
            Some((_, _, failed)) if counted.probes_failed > failed => ProbeResult::Failed,
            Some((_, succeeded, _)) if counted.probes_succeeded > succeeded => ProbeResult::Succeeded,
            _ => ProbeResult::Running,
        };
        let breaker = BreakerReport {
            terms: Terms { reset: RESET, ..Terms::default() },
            generation: process.generation,
            base: process.acknowledged,
            totals: process.sent,
            streak: counted.streak,
            wants_probe: process.wants_probe && process.probe.is_none(),
            probe: process.probe.map_or(0, |probe| probe.0),
            result,
            ..BreakerReport::default()
        };
        let wanted = f64::from(process.used + std::mem::take(&mut process.refused));
        let report = LimitReport {
            limit,
            window: 60_000,
            wants: ((wanted * 1.25).ceil() as u32).min(limit),
            used: process.used,
            has: if now < process.lease_until { process.granted.unwrap_or(0) } else { 0 },
            ..LimitReport::default()
        };
        let delta = Delta {
            // Numbers of processes are random, 52 bits.
            node: (one as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 12,
            number: process.number,
            lease: process.sent_lease,
            options: 0x811c_9dc5,
            breaker: Some(breaker),
            limits: vec![report],
            ..Delta::default()
        };
        self.push(ROUND_TRIP / 2, Event::Stored(one, Box::new(delta), now));
    }

    fn stored(&mut self, one: usize, delta: &Delta, sent_at: u64) {
        self.state.apply(delta, self.now + 1);
        let mut view = self.state.view(delta.node, self.now + 1);
        // The size changes slowly: it is measured now and then.
        self.stored += 1;
        if self.stored >= self.measured_at {
            self.state_bytes = self.state.to_bytes().len();
            self.measured_at = self.stored + (view.nodes / 16).max(1);
        }
        let bytes = view.nodes * self.state_bytes as u64;
        view.next_sync = view.next_sync.max(bytes / (View::BYTES_PER_SECOND / 1_000)).min(View::LATEST_SYNC);
        self.syncs[(self.now / 1_000) as usize] += 1;
        if (STEADY_FROM..AWAY_FROM).contains(&self.now) {
            self.out.steady_syncs += 1;
            self.out.steady_bytes += self.state_bytes as u64;
        }
        self.push(ROUND_TRIP / 2, Event::Answered(one, Box::new(view), sent_at));
    }

    fn answered(&mut self, one: usize, view: &View, sent_at: u64) {
        let now = Timestamp(self.now);
        let process = &mut self.processes[one];
        process.runs = false;
        if view.acknowledged == process.sent_number {
            process.acknowledged = process.sent;
        }
        process.wants_probe = false;
        process.viewed_at = sent_at;
        process.granted = view.limits.first().map(|limit| limit.granted);
        process.lease_until = sent_at + process.sent_lease;
        (process.nodes, process.pace) = (view.nodes, view.next_sync);
        let held = process.probe.map(|probe| probe.0);
        let is_new = view.probe != 0 && held != Some(view.probe);
        let is_open = matches!(view.state, BreakerState::Open | BreakerState::HalfOpen);
        if is_open {
            process.open_until = sent_at + view.open_for.max(view.next_sync);
            if view.probe == 0 {
                process.breaker.open_with_others(Timestamp(process.open_until), now);
            } else if is_new {
                process.breaker.allow_probes(1, now);
            }
        } else if process.follows || process.generation != view.generation && process.generation != 0 {
            process.breaker.close_with_others(Millis(RAMP), now);
        } else {
            process.breaker.allow_probes(u32::MAX, now);
        }
        process.follows = is_open;
        process.generation = view.generation;
        if is_new {
            let counted = process.breaker.counted();
            process.probe = Some((view.probe, counted.probes_succeeded, counted.probes_failed));
        } else if view.probe == 0 {
            process.probe = None;
        }
        if process.number % 4 == 1 && (STEADY_FROM..AWAY_FROM).contains(&self.now) {
            self.out.waits.push(view.next_sync.max(SYNC));
        }
        // A quarter more or less, so that processes that began together do not sync together.
        let soonest = view.next_sync.max(SYNC);
        // The lease was sized before the store said how large the fleet is.
        let soonest = soonest.min(process.sent_lease / 2);
        let next = if process.probe.is_some() { soonest.min(view.probe_for / 3) } else { soonest };
        let waits = std::mem::take(&mut process.waits);
        let (again, will_wait) = (process.again.take(), process.will_wait);
        let after = (next as f64 * (0.75 + self.random.share() / 2.0)) as u64;
        self.plan(one, after);
        self.changed(one);
        if waits {
            self.admit(one);
        }
        match again {
            Some(_) if will_wait => self.sync(one),
            Some(apart) => self.soon(one, apart),
            None => {}
        }
    }
}
