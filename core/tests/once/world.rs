//! Processes that share a store, and a world in which acts happen or not. Processes die and are stopped, messages are lost
//! and come late.

use halfopen::once::{Input, Owner, Record, State, Step, next, step};

/// How long a claim holds, in ticks.
const LEASE: u64 = 2;

/// Something that goes on in the world: what a checker chooses from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Happens {
    /// A process does its next step; its message and the store's answer arrive.
    Goes(usize),
    /// Its message arrives; the answer is lost.
    AnswerLost(usize),
    /// Its message is lost.
    MessageLost(usize),
    /// Its message is on its way for long.
    Delayed(usize),
    /// A message that was on its way for long arrives.
    Arrives,
    /// Its act is carried out.
    Effect(usize),
    /// Its act is refused, and will not be carried out.
    Refused(usize),
    /// It learns nothing of its act: the connection broke.
    Unclear(usize),
    /// It renews its claim.
    Renews(usize),
    /// A look at the world does not say whether the act happened.
    Unsure(usize),
    Dies(usize),
    /// A tick of the store's clock.
    Tick,
}

/// A rule that is left out, so that the checker has something to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Without {
    Nothing,
    /// Acts although its lease is over.
    LeaseCheck,
    /// The store writes whatever the version is.
    Versions,
    /// A claim whose lease is over is free.
    Verification,
    /// Says "no" of an act that is under way.
    Patience,
    /// All claims have one owner.
    Owners,
}

/// A swap: the next record, in place of the version.
type Swap = (u32, Record);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    /// Reads the record.
    Looks,
    Sends {
        swap: Swap,
        sent: u64,
    },
    /// The store has its claim.
    Claimed {
        until: u64,
        /// The store's time in its answer, and how long the process has waited for it since it sent the claim.
        now: u64,
        sent: u64,
    },
    Verifies {
        version: u32,
        seen: Record,
    },
    Acts,
    /// Reports how its act ended.
    Reports(Input),
    Over,
    Dead,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Process {
    phase: Phase,
    claims: u64,
    /// Its report, until the store has it.
    report: Option<Input>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Outcome {
    UnderWay,
    Happened,
    DidNot,
}

/// How much goes wrong, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Bounds {
    pub(crate) processes: usize,
    pub(crate) ticks: u64,
    pub(crate) losses: u8,
    pub(crate) deaths: u8,
    /// Claims of one process.
    pub(crate) claims: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct World {
    without: Without,
    bounds: Bounds,
    now: u64,
    record: Option<Record>,
    version: u32,
    late: Option<Swap>,
    processes: Vec<Process>,
    /// Whose act, and how it ended.
    acts: Vec<(usize, Outcome)>,
}

impl World {
    pub(crate) fn new(bounds: Bounds, without: Without) -> Self {
        let process = Process { phase: Phase::Looks, claims: 0, report: None };
        Self {
            without,
            bounds,
            now: 0,
            record: None,
            version: 0,
            late: None,
            processes: vec![process; bounds.processes],
            acts: Vec::new(),
        }
    }

    /// The events that may happen next.
    pub(crate) fn choices(&self) -> Vec<Happens> {
        let mut all = Vec::new();
        for (who, process) in self.processes.iter().enumerate() {
            let sends = matches!(process.phase, Phase::Sends { .. });
            match process.phase {
                Phase::Over | Phase::Dead => {}
                Phase::Acts => match self.outcome(who) {
                    Outcome::UnderWay => all.push(Happens::Unclear(who)),
                    _ => all.extend([Happens::Goes(who), Happens::Unclear(who)]),
                },
                _ => all.push(Happens::Goes(who)),
            }
            if matches!(process.phase, Phase::Acts) && self.renewed(who) != self.record {
                all.push(Happens::Renews(who));
            }
            if matches!(process.phase, Phase::Verifies { .. }) {
                all.push(Happens::Unsure(who));
            }
            if self.outcome(who) == Outcome::UnderWay {
                all.extend([Happens::Effect(who), Happens::Refused(who)]);
            }
            if sends && self.bounds.losses > 0 {
                all.extend([Happens::AnswerLost(who), Happens::MessageLost(who)]);
                if self.late.is_none() {
                    all.push(Happens::Delayed(who));
                }
            }
            if self.bounds.deaths > 0 && !matches!(process.phase, Phase::Over | Phase::Dead) {
                all.push(Happens::Dies(who));
            }
        }
        if self.late.is_some() {
            all.push(Happens::Arrives);
        }
        if self.now < self.bounds.ticks {
            all.push(Happens::Tick);
        }
        all
    }

    pub(crate) fn after(&self, happens: Happens) -> Self {
        let mut world = self.clone();
        world.happen(happens);
        world
    }

    fn happen(&mut self, happens: Happens) {
        match happens {
            Happens::Tick => self.now += 1,
            Happens::Goes(who) => self.go(who),
            Happens::Arrives => {
                if let Some(swap) = self.late.take() {
                    self.swap(swap);
                }
            }
            Happens::Effect(who) => self.ends(who, Outcome::Happened),
            Happens::Refused(who) => self.ends(who, Outcome::DidNot),
            Happens::Unclear(who) => {
                let owner = self.owner(who);
                self.processes[who].phase = Phase::Reports(Input::Unknown { owner });
            }
            Happens::Renews(who) => {
                if let Some(renewed) = self.renewed(who) {
                    self.swap((self.version, renewed));
                }
            }
            Happens::Unsure(who) => {
                if let Phase::Verifies { version, seen } = self.processes[who].phase {
                    self.send(who, version, next(Some(&seen), Input::Verified(None), self.now).unwrap());
                }
            }
            Happens::Dies(who) => {
                self.bounds.deaths -= 1;
                self.processes[who].phase = Phase::Dead;
            }
            Happens::AnswerLost(who) | Happens::MessageLost(who) | Happens::Delayed(who) => {
                let Phase::Sends { swap, .. } = self.processes[who].phase else { return };
                self.bounds.losses -= 1;
                match happens {
                    Happens::AnswerLost(_) => drop(self.swap(swap)),
                    Happens::Delayed(_) => self.late = Some(swap),
                    _ => {}
                }
                self.look_again(who);
            }
        }
    }

    fn go(&mut self, who: usize) {
        let owner = self.owner(who);
        match self.processes[who].phase {
            Phase::Looks => self.look(who),
            Phase::Sends { swap, sent } => {
                let is_written = self.swap(swap);
                let is_own = self.record == Some(swap.1);
                self.processes[who].phase = match swap.1.state {
                    State::Running { owner: of, until, .. } if of == owner && (is_written || is_own) => {
                        Phase::Claimed { until, now: self.now, sent }
                    }
                    _ if is_written && self.processes[who].report.is_some() => self.reported(who),
                    // The outcome is unknown: the caller gets that as an error.
                    State::Unknown { .. } if is_written => Phase::Over,
                    _ => return self.look_again(who),
                };
            }
            Phase::Claimed { until, now, sent } => {
                // The process has no clock but its own: it counts from before it sent the claim.
                let holds = now + (self.now - sent) < until;
                if holds || self.without == Without::LeaseCheck {
                    self.acts.push((who, Outcome::UnderWay));
                    self.processes[who].phase = Phase::Acts;
                } else {
                    self.report(who, Input::Failed { owner });
                }
            }
            Phase::Acts => {
                let input = match self.outcome(who) {
                    Outcome::Happened => Input::Done { owner },
                    _ => Input::Failed { owner },
                };
                self.report(who, input);
            }
            Phase::Reports(input) => {
                self.processes[who].report = Some(input);
                match self.next(input) {
                    Ok(record) => self.send(who, self.version, record),
                    Err(_) => self.processes[who].phase = self.reported(who),
                }
            }
            Phase::Verifies { version, seen } => {
                let happened = self.seen_in_the_world();
                self.send(who, version, next(Some(&seen), Input::Verified(happened), self.now).unwrap());
            }
            Phase::Over | Phase::Dead => {}
        }
    }

    /// The record with a new lease, if the claim is still this process's.
    fn renewed(&self, who: usize) -> Option<Record> {
        self.next(Input::Renew { owner: self.owner(who), lease: LEASE }).ok().or(self.record)
    }

    fn look(&mut self, who: usize) {
        let owner = self.owner(who);
        match step(self.record.as_ref(), owner, self.now) {
            Step::Claim if self.processes[who].claims == self.bounds.claims => {
                self.processes[who].phase = Phase::Over;
            }
            Step::Claim => {
                self.processes[who].claims += 1;
                let claim = Input::Claim { owner: self.owner(who), lease: LEASE };
                self.send(who, self.version, self.next(claim).unwrap());
            }
            Step::Act => {
                let Some(Record { state: State::Running { until, .. }, .. }) = self.record else { return };
                // With one owner for all this may be the claim of somebody else.
                self.processes[who].phase = Phase::Claimed { until, now: self.now, sent: self.now };
            }
            // Without time it gives up: the caller gets a CONFLICT.
            Step::Wait { .. } if self.now < self.bounds.ticks => {}
            Step::Wait { .. } | Step::Reuse => self.processes[who].phase = Phase::Over,
            Step::Verify => {
                let seen = self.record.unwrap();
                if self.without == Without::Verification {
                    return self.send(
                        who,
                        self.version,
                        next(Some(&seen), Input::Verified(Some(false)), self.now).unwrap(),
                    );
                }
                self.processes[who].phase = Phase::Verifies { version: self.version, seen };
            }
        }
    }

    /// A process whose message may not have arrived reads what is there.
    fn look_again(&mut self, who: usize) {
        let process = &mut self.processes[who];
        process.phase = process.report.map_or(Phase::Looks, Phase::Reports);
    }

    /// It tries again where the act surely did not happen; else its call is over.
    fn reported(&mut self, who: usize) -> Phase {
        match self.processes[who].report.take() {
            Some(Input::Failed { .. }) => Phase::Looks,
            _ => Phase::Over,
        }
    }

    fn report(&mut self, who: usize, input: Input) {
        self.processes[who].phase = Phase::Reports(input);
    }

    fn send(&mut self, who: usize, version: u32, record: Record) {
        self.processes[who].phase = Phase::Sends { swap: (version, record), sent: self.now };
    }

    fn next(&self, input: Input) -> Result<Record, halfopen::once::Refusal> {
        next(self.record.as_ref(), input, self.now)
    }

    /// The store. Returns whether it has written.
    fn swap(&mut self, (version, record): Swap) -> bool {
        let writes = version == self.version || self.without == Without::Versions;
        if writes {
            self.record = Some(record);
            self.version += 1;
        }
        writes
    }

    fn owner(&self, who: usize) -> Owner {
        match self.without {
            Without::Owners => Owner(0),
            _ => Owner(who as u64 * 100 + self.processes[who].claims),
        }
    }

    fn outcome(&self, who: usize) -> Outcome {
        self.acts.iter().rev().find(|(of, _)| *of == who).map_or(Outcome::DidNot, |(_, outcome)| *outcome)
    }

    fn ends(&mut self, who: usize, outcome: Outcome) {
        if let Some(act) = self.acts.iter_mut().rev().find(|(of, _)| *of == who) {
            act.1 = outcome;
        }
    }

    /// The result of an honest look: unknown while an act may still be carried out.
    fn seen_in_the_world(&self) -> Option<bool> {
        let has = |outcome| self.acts.iter().any(|(_, of)| *of == outcome);
        if has(Outcome::Happened) {
            Some(true)
        } else if has(Outcome::UnderWay) && self.without != Without::Patience {
            None
        } else {
            Some(false)
        }
    }

    /// The law, and that no result is invented.
    pub(crate) fn breach(&self) -> Option<&'static str> {
        let may_have = self.acts.iter().filter(|(_, outcome)| *outcome != Outcome::DidNot).count();
        let is_done = matches!(self.record, Some(Record { state: State::Done, .. }));
        if may_have > 1 {
            Some("two acts that are not known to have failed to happen")
        } else if is_done && !self.acts.iter().any(|(_, outcome)| *outcome == Outcome::Happened) {
            Some("done, and no act happened")
        } else {
            None
        }
    }

    /// How many acts have happened.
    pub(crate) fn happened(&self) -> usize {
        self.acts.iter().filter(|(_, outcome)| *outcome == Outcome::Happened).count()
    }

    pub(crate) fn is_over(&self) -> bool {
        self.processes.iter().all(|process| matches!(process.phase, Phase::Over | Phase::Dead))
    }
}
