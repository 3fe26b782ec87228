//! The machine: one input, one advice.

use super::advice::{Advice, Call, Outcome, Reason, Spent};
use super::climb::{Climb, Found, Judge};
use super::config::{Limit, RunConfig, Rung};
use super::rows::{Made, Rows, Step, mixed};
use super::seen::{Entry, Seen};

/// One task of an agent.
#[derive(Clone, Debug)]
pub struct Run {
    pub(super) config: RunConfig,
    pub(super) spent: Spent,
    pub(super) seen: Seen,
    /// Before the present step.
    pub(super) rows: Rows,
    pub(super) step: Step,
    /// With the present step, while it is judged.
    judged: Rows,
    /// When the present step began, or when it was last said something of.
    pub(super) before: Climb,
    /// Now.
    pub(super) climb: Climb,
    /// The last text without a tool call, and how often it has come in a row.
    pub(super) text: u64,
    pub(super) texts: u32,
    /// `step()` has been called: until then each tool call begins a step.
    pub(super) has_steps: bool,
    /// A call beyond the limit was refused.
    pub(super) is_over_calls: bool,
    pub(super) stopped: Option<Reason>,
    /// The limits that were warned of, as bits.
    pub(super) warned: u32,
    /// Of a run that observes: the advice that was said, as bits. That of loops is forgotten with progress.
    pub(super) said: u32,
    pub(super) said_of_limits: u32,
    pub(super) repeated: u32,
}

impl Run {
    /// Begins a run.
    #[must_use]
    pub fn new(config: RunConfig) -> Self {
        Self {
            config,
            spent: Spent::default(),
            seen: Seen::default(),
            rows: Rows::default(),
            step: Step::default(),
            judged: Rows::default(),
            before: Climb::default(),
            climb: Climb::default(),
            text: 0,
            texts: 0,
            has_steps: false,
            is_over_calls: false,
            stopped: None,
            warned: 0,
            said: 0,
            said_of_limits: 0,
            repeated: 0,
        }
    }

    /// Before each step of the model. `ms` is how long the run has lasted.
    pub fn step(&mut self, ms: f64) -> Advice {
        self.has_steps = true;
        self.begin(ms)
    }

    /// Before a tool call.
    pub fn tool_call(&mut self, call: &Call, ms: f64) -> Advice {
        let observes = self.config.ladder.observes();
        let of_step = if self.has_steps { Advice::Go } else { self.begin(ms) };
        if let Some(reason) = self.stopped {
            return Advice::Stop(reason);
        }
        let had_text = self.step.text.take().is_some();
        self.texts = 0;
        let advice = match self.hard_limit(ms) {
            Some(reason) => self.stop_for(reason),
            None => self.of_call(call),
        };
        if observes || advice == Advice::Go {
            self.spent.tool_calls += 1.0;
        } else if matches!(advice, Advice::Refuse(_)) {
            let refusal = refusal_of(call);
            self.step.refuse(refusal);
            self.repeated = self.rows.times(refusal) + 1;
        }
        if had_text || advice != Advice::Go {
            self.judge();
        }
        // Of a run that observes, the call that begins a step says the step's advice.
        let advice = self.once(advice);
        if observes && advice == Advice::Go { of_step } else { advice }
    }

    /// After a tool call.
    pub fn tool_result(&mut self, call: &Call, outcome: Outcome) {
        let (hash, code, is_nothing) = match outcome {
            Outcome::Ok(hash) => (hash, None, false),
            Outcome::Nothing(hash) => (hash, None, true),
            Outcome::Failed(code) => (outcome_of(call.key, code.index()), Some(code), false),
        };
        let failure = code.map_or(0, |code| outcome_of(call.tool, code.index()) as u32 | 1);
        let is_new = !self.seen.has(hash);
        let is_progress = is_new && (failure == 0 || !self.seen.has_failure(failure));
        let made = Made {
            outcome: hash,
            tool: call.tool,
            key: call.key,
            code,
            is_nothing,
            counts: call.counts,
            is_new,
            is_progress,
        };
        self.repeated = self.rows.times(hash) + 1;
        if self.step.add(made) && call.counts {
            self.seen.push(Entry { outcome: hash, key: call.key, failure });
        }
        self.judge();
    }

    /// A text of the model, as a hash.
    pub fn text(&mut self, hash: u64) {
        // One that comes with a tool call is no text without one.
        if !self.step.made.is_empty() || !self.step.refusals.is_empty() {
            return;
        }
        self.texts = if self.text == hash && self.texts > 0 { self.texts.saturating_add(1) } else { 1 };
        self.text = hash;
        self.step.text = Some(hash);
        self.judge();
    }

    /// How many steps in a row had the outcome of the last result, or the refusal of the last call that was refused.
    #[must_use]
    pub const fn repeated(&self) -> u32 {
        self.repeated
    }

    /// Adds to what is spent: usage, and for a parent the steps and calls of its children.
    pub fn spend(&mut self, more: &Spent) {
        self.spent.steps += more.steps;
        self.spent.tool_calls += more.tool_calls;
        self.spent.input_tokens += more.input_tokens;
        self.spent.cached_input_tokens += more.cached_input_tokens;
        self.spent.output_tokens += more.output_tokens;
        self.spent.cost += more.cost;
    }

    /// Returns the amounts spent.
    #[must_use]
    pub const fn spent(&self) -> &Spent {
        &self.spent
    }

    /// The limit of tokens, cost or time that is reached: the run's next advice is to stop.
    #[must_use]
    pub fn hard_limit(&self, ms: f64) -> Option<Reason> {
        let over = Limit::HARD
            .into_iter()
            .find(|&limit| self.spent_of(limit, ms) >= self.config.limits.of(limit))?;
        Some(self.limit(over, ms))
    }

    /// The limits that are spent to the share `warn_at`, each once.
    pub fn warnings(&mut self, ms: f64) -> Vec<Reason> {
        let mut reached = Vec::new();
        for limit in Limit::ALL {
            let max = self.config.limits.of(limit);
            let bit = 1 << limit as u32;
            let is_near = max.is_finite() && self.spent_of(limit, ms) >= self.config.warn_at * max;
            if is_near && self.warned & bit == 0 {
                self.warned |= bit;
                reached.push(self.limit(limit, ms));
            }
        }
        reached
    }

    /// Returns the reason for requesting the last answer, if it was requested.
    #[must_use]
    pub const fn concluded(&self) -> Option<Reason> {
        self.climb.concluded
    }

    fn spent_of(&self, limit: Limit, ms: f64) -> f64 {
        match limit {
            Limit::Steps => self.spent.steps,
            Limit::ToolCalls => self.spent.tool_calls,
            Limit::Tokens => self.spent.input_tokens + self.spent.output_tokens,
            Limit::Cost => self.spent.cost,
            Limit::Ms => ms,
        }
    }

    fn limit(&self, limit: Limit, ms: f64) -> Reason {
        Reason::Limit { limit, max: self.config.limits.of(limit), spent: self.spent_of(limit, ms) }
    }

    /// Begins a step and says its advice.
    fn begin(&mut self, ms: f64) -> Advice {
        if let Some(reason) = self.stopped {
            return Advice::Stop(reason);
        }
        self.rows.add(&self.step);
        self.step.clear();
        self.climb.took = false;
        let advice = self.of_step(ms);
        self.before = self.climb.clone();
        if self.stopped.is_none() {
            self.spent.steps += 1.0;
        }
        self.once(advice)
    }

    /// Stop before conclude before the others; limits before loops.
    fn of_step(&mut self, ms: f64) -> Advice {
        if let Some(reason) = self.hard_limit(ms) {
            return self.stop_for(reason);
        }
        let is_over_steps = self.spent.steps >= self.config.limits.steps;
        let over = match (is_over_steps, self.is_over_calls) {
            (true, _) => Some(self.limit(Limit::Steps, ms)),
            (false, true) => Some(self.limit(Limit::ToolCalls, ms)),
            (false, false) => None,
        };
        if let Some(reason) = over
            && (self.climb.concluded.is_some() || !self.config.ladder.has(Rung::Conclude))
        {
            return self.stop_for(reason);
        }
        if let Some(reason) = self.climb.concluded
            && self.config.ladder.has(Rung::Stop)
        {
            return self.stop_for(reason);
        }
        let of_loop = self.climb.found.as_ref().map(Found::reason);
        let due = self.climb.due;
        if let (Some(Rung::Stop), Some(reason)) = (due, of_loop) {
            self.climb.due = None;
            return self.stop_for(reason);
        }
        if let Some(reason) = over {
            self.climb.concluded = Some(reason);
            return Advice::Conclude(reason);
        }
        let (Some(rung), Some(reason)) = (due, of_loop) else { return Advice::Go };
        if rung == Rung::Refuse {
            return Advice::Go;
        }
        self.climb.due = None;
        match rung {
            Rung::Steer => Advice::Steer(reason),
            Rung::Escalate => Advice::Escalate(reason),
            _ => {
                self.climb.concluded = Some(reason);
                Advice::Conclude(reason)
            }
        }
    }

    fn of_call(&mut self, call: &Call) -> Advice {
        if self.spent.tool_calls >= self.config.limits.tool_calls {
            let reason = self.limit(Limit::ToolCalls, 0.0);
            if !self.config.ladder.has(Rung::Refuse) && self.climb.concluded.is_none() {
                return self.stop_for(reason);
            }
            self.is_over_calls = true;
            return Advice::Refuse(reason);
        }
        if let Some(reason) = self.climb.concluded {
            return Advice::Refuse(reason);
        }
        let Some(found) = self.climb.found.as_ref().filter(|found| self.climb.refuses && found.is_call(call))
        else {
            return Advice::Go;
        };
        let reason = found.reason();
        if self.climb.due == Some(Rung::Refuse) {
            // A refusal that was said is a fact: no later result of the step withdraws it.
            self.climb.due = None;
            if self.before.due != Some(Rung::Refuse) {
                self.before = self.climb.clone();
            }
            self.before.due = None;
        }
        self.step.is_refused = true;
        Advice::Refuse(reason)
    }

    fn stop_for(&mut self, reason: Reason) -> Advice {
        if !self.config.ladder.observes() {
            self.stopped = Some(reason);
        }
        Advice::Stop(reason)
    }

    /// Judges the present step as far as its results are known.
    fn judge(&mut self) {
        self.judged.set(&self.rows, &self.step);
        let judge = Judge {
            loops: &self.config.loops,
            ladder: &self.config.ladder,
            seen: &self.seen,
            rows: &self.judged,
            step: &self.step,
            texts: self.texts,
        };
        let (climb, is_progress) = judge.after(&self.before);
        self.climb = climb;
        if is_progress {
            self.said = 0;
        }
    }

    /// A run that observes says each advice once.
    fn once(&mut self, advice: Advice) -> Advice {
        if !self.config.ladder.observes() {
            return advice;
        }
        let (place, reason) = match advice {
            Advice::Go => return advice,
            Advice::Steer(reason) => (0, reason),
            Advice::Escalate(reason) => (1, reason),
            Advice::Refuse(reason) => (2, reason),
            Advice::Conclude(reason) => (3, reason),
            Advice::Stop(reason) => (4, reason),
        };
        let (said, bit) = match reason {
            Reason::Loop { .. } => (&mut self.said, 1_u32 << place),
            Reason::Limit { limit, .. } => (&mut self.said_of_limits, 1 << (place + 5 * limit as u32)),
        };
        let is_said = *said & bit != 0;
        *said |= bit;
        if is_said { Advice::Go } else { advice }
    }
}

/// The hash of a tool or a call, and of the code it failed with.
fn outcome_of(call: u32, code: u8) -> u64 {
    mixed(u64::from(call) << 8 | u64::from(code))
}

fn refusal_of(call: &Call) -> u64 {
    outcome_of(call.key, u8::MAX)
}
