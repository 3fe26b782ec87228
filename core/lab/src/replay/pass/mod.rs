//! One replay of a log: the recorded calls under their policies, with the engines that ship.
//!
//! A call begins when it began, an attempt that was recorded comes to what it came to, after as long; one that never
//! happened is drawn from the model. As long as a call goes as it was recorded, its timers are as late as they were, and what
//! happened in one millisecond keeps its order.

mod arrive;
mod attempt;
mod end;
mod fail;
mod frame;

use super::host::Hosts;
use super::recorded::{How, Moment};
use super::tally::{Ended, Tallies};
use super::under::Under;
use super::world::{LATE, Outside, World};
use frame::{Frame, State, What};
use halfopen::code::Code;
use halfopen::policy::{Context, Engine, Why};
use halfopen::time::Timestamp;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Events without an order of their own come after those recorded in the same microsecond, as they were scheduled.
const AFTERWARDS: u64 = 1 << 62;

/// One replay, as far as it has come.
#[derive(Debug)]
pub(super) struct Pass {
    seed: u64,
    hosts: Hosts,
    frames: Vec<Frame>,
    events: BinaryHeap<Reverse<(u64, u64, What)>>,
    /// The number of events scheduled without an order of their own.
    scheduled: u64,
    next_arrival: usize,
    next_outside: usize,
    now: u64,
    pub(super) tallies: Tallies,
    /// How many attempts were drawn.
    pub(super) drawn: u64,
    otherwise: Otherwise,
    /// Hosts whose delays are not those of their seed: the log begins later than they did, or the application drew them.
    own_delays: Vec<u32>,
}

/// The end of attempts of which the log cannot tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Otherwise {
    /// They are never answered.
    Hang,
    /// They are answered at once.
    Answered,
}

impl Pass {
    pub(super) fn new(under: Under<'_>, seed: u64, otherwise: Otherwise) -> Self {
        let frame = || Frame {
            handle: 0,
            state: State::Over,
            attempts: 0,
            hedges: 0,
            round: 0,
            running: Vec::new(),
            deadline: u64::MAX,
            last: Code::Unknown,
            modelled: false,
            unknown: false,
            result: None,
        };
        Self {
            seed,
            hosts: Hosts::new(under),
            frames: under.world.history.calls.iter().map(|_| frame()).collect(),
            events: BinaryHeap::new(),
            scheduled: AFTERWARDS,
            next_arrival: 0,
            next_outside: 0,
            now: 0,
            tallies: Tallies::new(under.world.history.policies),
            drawn: 0,
            otherwise,
            own_delays: Vec::new(),
        }
    }

    /// Processes up to `events` events. Returns `true` once the pass has ended.
    pub(super) fn advance(&mut self, under: Under<'_>, events: u64) -> bool {
        for _ in 0..events {
            if !self.next(under) {
                return true;
            }
            self.tallies.all.events += 1;
        }
        false
    }

    pub(super) fn is_hanging(&self) -> bool {
        self.otherwise == Otherwise::Hang
    }

    /// How far it has come, from 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "for a progress bar")]
    pub(super) fn share(&self, world: &World) -> f64 {
        self.next_arrival as f64 / world.arrivals.len().max(1) as f64
    }

    /// How a call ended; nothing for one that the log does not have from its beginning to its end.
    pub(super) fn result(&self, call: u32) -> Option<Ended> {
        self.frames.get(call as usize)?.result
    }

    /// Returns `true` if a call had an attempt that never happened.
    pub(super) fn is_modelled(&self, call: u32) -> bool {
        self.frames.get(call as usize).is_some_and(|frame| frame.modelled)
    }

    /// Returns `true` if a call had an attempt of which the log cannot tell.
    pub(super) fn is_unknown(&self, call: u32) -> bool {
        self.frames.get(call as usize).is_some_and(|frame| frame.unknown)
    }

    fn next(&mut self, under: Under<'_>) -> bool {
        let world = under.world;
        let arrival = world.arrivals.get(self.next_arrival).copied();
        let begun = arrival.and_then(|call| under.call(call)?.begun);
        let outside = world.outside.get(self.next_outside);
        let scheduled = self.events.peek().map(|Reverse((at, order, _))| Moment { at: *at, seq: *order });
        let first = [begun, outside.map(|&(moment, ..)| moment), scheduled].into_iter().flatten().min();
        let Some(first) = first else { return false };
        self.now = self.now.max(first.at);
        if Some(first) == begun {
            self.next_arrival += 1;
            if let Some(call) = arrival {
                self.arrive(under, call);
                self.pump(under, under.host(call));
            }
        } else if let Some(&(moment, host, what)) = outside
            && moment == first
        {
            self.next_outside += 1;
            self.change(under, host, what);
            self.pump(under, host);
        } else if let Some(Reverse((_, _, what))) = self.events.pop() {
            self.happen(under, what);
        }
        true
    }

    fn happen(&mut self, under: Under<'_>, what: What) {
        let host = match what {
            What::Turn(host) => {
                self.hosts.turn_passed(host);
                host
            }
            What::Resume(call)
            | What::Ends(call, _)
            | What::Beyond(call, _)
            | What::Timeout(call, _)
            | What::Deadline(call)
            | What::Cancel(call)
            | What::Close(call)
            | What::Hedge(call, _) => under.host(call),
        };
        match what {
            What::Resume(call) => self.resume(under, call),
            What::Ends(call, number) => self.attempt_ends(under, call, number),
            What::Beyond(call, number) => self.beyond(under, call, number),
            What::Timeout(call, number) => self.time_out(under, call, number),
            What::Deadline(call) => self.pass_deadline(under, call),
            What::Cancel(call) => {
                self.leave(under, call, How::Failed { code: Code::Cancelled, why: Why::Cancelled })
            }
            What::Close(call) => self.leave(under, call, How::Closed),
            What::Hedge(call, number) => self.hedge(under, call, number),
            What::Turn(_) => {}
        }
        self.pump(under, host);
    }

    const fn clock(&self) -> Timestamp {
        Timestamp(self.now / 1000)
    }

    /// Schedules what has no order of its own.
    fn at(&mut self, at: u64, what: What) {
        self.scheduled += 1;
        self.events.push(Reverse((at.max(self.now), self.scheduled, what)));
    }

    /// Schedules what is in the log.
    fn as_recorded(&mut self, moment: Moment, what: What) {
        self.events.push(Reverse((moment.at.max(self.now), moment.seq, what)));
    }

    fn frame(&mut self, call: u32) -> Option<&mut Frame> {
        self.frames.get_mut(call as usize)
    }

    fn input<R>(
        &mut self,
        under: Under<'_>,
        call: u32,
        input: impl FnOnce(&mut Engine, &mut Context<'_>, u32, Timestamp) -> R,
    ) -> Option<R> {
        let handle = self.frames.get(call as usize)?.handle;
        let now = self.clock();
        self.hosts.input(under.host(call), |engine, context| input(engine, context, handle, now))
    }

    fn change(&mut self, under: Under<'_>, host: u32, what: Outside) {
        match what {
            Outside::Control(control) => self.hosts.control(host, control, self.clock()),
            Outside::Settings(settings) => {
                let policy = under.policies().get(settings as usize);
                let seed = under.world.history.hosts.get(host as usize).map_or(0, |host| host.seed);
                if let Some(policy) = policy
                    && !under.is_replaced(host)
                {
                    self.hosts.update(host, policy, seed);
                }
            }
        }
    }
}

/// Returns `true` if a timer that was due then fired then: at once, or late as timers are. The clock of its process may
/// differ from wall time by a fraction of a millisecond.
const fn is_late(due: u64, fired: u64) -> bool {
    fired + 1000 >= due && fired < due.saturating_add(LATE)
}
