//! The demonstration: an agent at work in the page, on the core's own policies and simulated providers.
//!
//! A driver as the core's documentation describes one: it gives the engine one input, obeys the step that comes back,
//! and moves its own clock. It writes the same lines of log that a real agent sends.

use super::record;
use super::scene::{self, Fault, POLICIES, Reply, Task};
use halfopen::code::Code;
use halfopen::policy::{
    Breaker, BreakerConfig, BreakerScope, BulkheadConfig, CallConfig, Context, Engine, Failure, Layer,
    PolicyConfig, RetryConfig, Ring, Step,
};
use halfopen::rng::SplitMix64;
use halfopen::time::{Millis, Timestamp};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// How many agents work at once.
const AGENTS: usize = 3;

/// An event that is due at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    /// An agent begins its next task.
    Task(usize),
    /// An attempt's answer, or its failure.
    Reply(Key),
    /// A wait is over.
    Resume(Key),
    /// Some chunks of a stream.
    Chunk(Key, u32),
}

/// A call: its policy, and the engine's number for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    policy: usize,
    call: u32,
}

/// A call on its way.
#[derive(Clone, Debug)]
struct Live {
    number: u64,
    agent: usize,
    attempt: u32,
    began: u64,
    reply: Option<Reply>,
}

struct Guard {
    engine: Engine,
    breaker: Breaker,
}

/// The state of an agent.
#[derive(Clone, Debug, Default)]
struct Agent {
    task: Task,
    stage: usize,
    outer: Option<Key>,
    waiting_for: usize,
    failed: bool,
}

/// The world of the demonstration.
pub struct Demo {
    now: u64,
    order: u64,
    queue: BinaryHeap<Reverse<(u64, u64, Due)>>,
    guards: Vec<Guard>,
    live: BTreeMap<Key, Live>,
    agents: Vec<Agent>,
    ring: Ring,
    rng: SplitMix64,
    recorder: record::Recorder,
}

impl Demo {
    /// The world at its beginning; `wall` is the wall time there.
    pub fn new(wall: f64) -> Self {
        let guards = POLICIES.iter().zip(1..).map(|(policy, seed)| {
            let bulkhead = (policy.places > 0)
                .then_some(BulkheadConfig { max_concurrent: policy.places, max_queued: 20 });
            let retry = RetryConfig { max_retries: policy.retries, ..RetryConfig::default() };
            let scope = if policy.each_attempt { BreakerScope::Attempt } else { BreakerScope::Call };
            let call = CallConfig { retry, scope, ..CallConfig::default() };
            let mut engine = Engine::new(PolicyConfig { call, bulkhead, ..PolicyConfig::default() }, seed);
            engine.observe(true);
            let config = BreakerConfig {
                reset_timeout: Millis(scene::RESET),
                probe_timeout: Millis(scene::RESET),
                ..BreakerConfig::default()
            };
            Guard { engine, breaker: Breaker::new(config) }
        });
        let mut demo = Self {
            now: 0,
            order: 0,
            queue: BinaryHeap::new(),
            guards: guards.collect(),
            live: BTreeMap::new(),
            agents: vec![Agent::default(); AGENTS],
            ring: Ring::default(),
            rng: SplitMix64::new(2026),
            recorder: record::Recorder::new(wall),
        };
        demo.recorder.configured();
        for agent in 0..AGENTS {
            demo.at(300 + 1_900 * agent as u64, Due::Task(agent));
        }
        demo
    }

    /// Moves the clock, and gives the lines of what happened until then.
    pub fn run_until(&mut self, until: u64) -> String {
        while let Some(&Reverse((at, _, due))) = self.queue.peek() {
            if at > until {
                break;
            }
            self.queue.pop();
            self.now = self.now.max(at);
            match due {
                Due::Task(agent) => self.begin_task(agent),
                Due::Reply(key) => self.reply(key),
                Due::Resume(key) => self.input(key.policy, Some(key.call), |guard, context, now| {
                    guard.resume(context, key.call, now)
                }),
                Due::Chunk(key, chunk) => self.chunk(key, chunk),
            }
        }
        self.now = self.now.max(until);
        self.recorder.take_lines()
    }

    fn at(&mut self, at: u64, due: Due) {
        self.order += 1;
        self.queue.push(Reverse((at, self.order, due)));
    }

    /// One input to a policy's engine, and the step that comes back.
    fn input(
        &mut self,
        policy: usize,
        of: Option<u32>,
        give: impl FnOnce(&mut Engine, &mut Context<'_>, Option<Timestamp>) -> Step,
    ) {
        let Some(guard) = self.guards.get_mut(policy) else { return };
        let id = u32::try_from(policy).unwrap_or(0);
        let mut context = Context {
            breaker: Some(&mut guard.breaker),
            budget: None,
            events: &mut self.ring,
            policy_id: id,
            breaker_id: id,
        };
        let step = give(&mut guard.engine, &mut context, Some(Timestamp(self.now)));
        let number = match step {
            Step::Attempt { call, .. } | Step::Wait { call, .. } | Step::Queued { call, .. } => {
                guard.engine.number_of(call)
            }
            _ => None,
        };
        let begun = guard.engine.begun();
        self.recorder.drain(&mut self.ring, self.now);
        self.obey(policy, of, step, number.unwrap_or(begun));
        self.hand_over(policy);
    }

    /// Queued calls whose turn has come.
    fn hand_over(&mut self, policy: usize) {
        let now = Some(Timestamp(self.now));
        let ready = self.guards.get_mut(policy).and_then(|guard| guard.engine.next_ready(now));
        if let Some(call) = ready {
            self.input(policy, Some(call), |engine, context, now| engine.dequeue(context, call, now));
        }
    }

    fn obey(&mut self, policy: usize, of: Option<u32>, step: Step, number: u64) {
        match step {
            Step::Attempt { call, attempt, .. } => self.attempt(Key { policy, call }, number, attempt),
            Step::Wait { call, plan, .. } => self.at(plan.due.0, Due::Resume(Key { policy, call })),
            Step::Queued { call, .. } => self.keep(Key { policy, call }, number, 0),
            Step::Rejected { by, .. } => {
                let agent =
                    of.and_then(|call| self.live.remove(&Key { policy, call })).map(|live| live.agent);
                self.ended(
                    policy,
                    agent,
                    Err(if by == Layer::Breaker { Code::CircuitOpen } else { Code::CapacityExceeded }),
                );
            }
            // It always says what time it is, and has no backoff of its own.
            Step::GiveUp { .. } | Step::Done { .. } | Step::NeedTime | Step::NeedDelay { .. } => {}
        }
    }

    fn keep(&mut self, key: Key, number: u64, attempt: u32) {
        let (agent, began) = (self.recorder.agent_of(key.policy, number), self.now);
        let live = self.live.entry(key).or_insert(Live { number, agent, attempt, began, reply: None });
        (live.attempt, live.began) = (attempt, began);
    }

    /// Calls the simulated operation.
    fn attempt(&mut self, key: Key, number: u64, attempt: u32) {
        self.keep(key, number, attempt);
        let Some(policy) = POLICIES.get(key.policy) else { return };
        if policy.name == scene::OUTER {
            let agent = self.recorder.agent_of(key.policy, number);
            if let Some(agent) = self.agents.get_mut(agent) {
                agent.outer = Some(key);
            }
            self.next_stage(agent);
            return;
        }
        let reply = scene::reply(policy, self.now, &mut self.rng);
        let end = self.now + reply.after;
        if reply.fault.is_none() && reply.chunks > 0 {
            for chunk in 1..=reply.chunks {
                let first = reply.after / 4;
                let at =
                    self.now + first + (reply.after - first) * u64::from(chunk) / u64::from(reply.chunks + 1);
                self.at(at, Due::Chunk(key, chunk));
            }
        }
        if let Some(live) = self.live.get_mut(&key) {
            live.reply = Some(reply);
        }
        self.at(end, Due::Reply(key));
    }

    fn chunk(&mut self, key: Key, chunk: u32) {
        if let Some(live) = self.live.get(&key) {
            self.recorder.chunk(key.policy, live.number, live.attempt, chunk, self.now);
        }
    }

    fn reply(&mut self, key: Key) {
        let Some(live) = self.live.get(&key).cloned() else { return };
        let Some(reply) = live.reply else { return };
        let duration = Some(Millis(self.now - live.began));
        match reply.fault {
            None => {
                self.recorder.usage(&reply, live.agent);
                self.live.remove(&key);
                self.input(key.policy, Some(key.call), |engine, context, now| {
                    engine.succeed(context, key.call, now, duration)
                });
                self.recorder.limits(key.policy, self.now, &mut self.rng);
                self.ended(key.policy, Some(live.agent), Ok(()));
            }
            Some(fault) => self.fail(key, &live, fault, duration),
        }
    }

    fn fail(&mut self, key: Key, live: &Live, fault: Fault, duration: Option<Millis>) {
        let Some(policy) = POLICIES.get(key.policy) else { return };
        let read = fault.read(policy, self.order);
        let code = read.found.code;
        let failure =
            Failure { retryable: read.found.retryable, hint: read.found.hint, duration, ..Failure::of(code) };
        self.recorder.failing(read);
        self.input(key.policy, Some(key.call), |engine, context, now| {
            engine.fail(context, key.call, now, &failure)
        });
        let over = self
            .guards
            .get(key.policy)
            .is_none_or(|guard| guard.engine.number_of(key.call) != Some(live.number));
        if over {
            self.live.remove(&key);
            self.recorder.forget_fault();
            self.ended(key.policy, Some(live.agent), Err(code));
        }
    }

    fn begin_task(&mut self, agent: usize) {
        let task = scene::task(&mut self.rng);
        if let Some(working) = self.agents.get_mut(agent) {
            *working = Agent { task, ..Agent::default() };
        }
        self.recorder.run_begins(agent, task.name, self.now);
        self.begin(scene::OUTER, agent, task.name, None);
    }

    fn begin(&mut self, policy: &str, agent: usize, task: &'static str, parent: Option<Key>) {
        let Some(index) = POLICIES.iter().position(|known| known.name == policy) else { return };
        let number = parent.and_then(|parent| Some((parent.policy, self.live.get(&parent)?.number)));
        self.recorder.beginning(agent, task, number);
        self.input(index, None, Engine::begin);
    }

    /// A call of an agent is over: the next stage when all of the present one are.
    fn ended(&mut self, policy: usize, agent: Option<usize>, result: Result<(), Code>) {
        let agent = agent.unwrap_or_else(|| self.recorder.last_agent());
        let name = POLICIES.get(policy).map_or("", |policy| policy.name);
        if name == scene::OUTER {
            return;
        }
        let mut failed = result.is_err();
        if let (&Err(code), scene::WRITER) = (&result, name) {
            // The writer has a fallback: the other provider answers instead.
            self.recorder.fallback(policy, agent, code, self.now);
            failed = false;
        }
        if name == scene::SEARCH {
            self.recorder.tool(agent, name, result, self.now);
            if let Err(code) = result {
                self.recorder.degraded(policy, agent, code, self.now);
                failed = false;
            }
        }
        let Some(working) = self.agents.get_mut(agent) else { return };
        working.failed |= failed;
        working.waiting_for = working.waiting_for.saturating_sub(1);
        if working.waiting_for == 0 {
            self.next_stage(agent);
        }
    }

    fn next_stage(&mut self, agent: usize) {
        let Some(working) = self.agents.get_mut(agent) else { return };
        let Some(outer) = working.outer else { return };
        let stages = scene::STAGES;
        let (stage, task, failed) = (working.stage, working.task, working.failed);
        working.stage += 1;
        match stages.get(stage).filter(|_| !failed) {
            Some(&(policy, count, says)) => {
                let count = if policy == scene::SEARCH { task.searches } else { count };
                working.waiting_for = count;
                self.recorder.run_steps(agent, u32::try_from(stage + 1).unwrap_or(1), self.now);
                for _ in 0..count {
                    self.begin(policy, agent, says, Some(outer));
                }
            }
            None => self.end_task(agent, outer, failed),
        }
    }

    fn end_task(&mut self, agent: usize, outer: Key, failed: bool) {
        let Some(live) = self.live.remove(&outer) else { return };
        let duration = Some(Millis(self.now - live.began));
        if let Some(working) = self.agents.get_mut(agent) {
            working.outer = None;
        }
        if failed {
            let Some(policy) = POLICIES.get(outer.policy) else { return };
            let read = scene::STEP_FAILED.read(policy, self.order);
            let failure = Failure { nested: true, counts: false, duration, ..Failure::of(read.found.code) };
            let code = read.found.code;
            self.recorder.failing(read);
            self.input(outer.policy, Some(outer.call), |engine, context, now| {
                engine.fail(context, outer.call, now, &failure)
            });
            self.recorder.forget_fault();
            self.recorder.run_ends(agent, Some(code), self.now);
        } else {
            self.input(outer.policy, Some(outer.call), |engine, context, now| {
                engine.succeed(context, outer.call, now, duration)
            });
            self.recorder.run_ends(agent, None, self.now);
        }
        let rest = self.rng.between(400, 3_500);
        self.at(self.now + rest, Due::Task(agent));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_world_has_the_same_lines_however_it_is_stepped() {
        let whole = Demo::new(0.0).run_until(60_000);
        let mut demo = Demo::new(0.0);
        let steps: String = (1..=600).map(|step| demo.run_until(step * 100)).collect();
        assert_eq!(whole, steps);
    }
}
