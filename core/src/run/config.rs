//! The rules of a run: its limits, the definition of a loop, and the ladder.

/// One task of an agent, as its driver configures it.
#[derive(Clone, Debug, PartialEq)]
pub struct RunConfig {
    /// The limits on its spending.
    pub limits: Limits,
    /// The definition of a loop; a run with [`Loops::NONE`] looks for none.
    pub loops: Loops,
    /// The consequences of a loop, in this order.
    pub ladder: Ladder,
    /// The share of a limit at which [`Run::warnings`](super::Run::warnings) names it.
    pub warn_at: f64,
}

impl Default for RunConfig {
    fn default() -> Self {
        Self { limits: Limits::default(), loops: Loops::default(), ladder: Ladder::default(), warn_at: 0.8 }
    }
}

/// The most that a run may spend of each. `INFINITY` is no limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Steps of the model.
    pub steps: f64,
    /// Calls of tools that were let through.
    pub tool_calls: f64,
    /// Input and output tokens.
    pub tokens: f64,
    /// In the driver's unit.
    pub cost: f64,
    /// Milliseconds.
    pub ms: f64,
}

impl Default for Limits {
    fn default() -> Self {
        let none = f64::INFINITY;
        Self { steps: none, tool_calls: none, tokens: none, cost: none, ms: none }
    }
}

/// The kinds of limits, in the order of [`Limits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// [`Limits::steps`].
    Steps,
    /// [`Limits::tool_calls`].
    ToolCalls,
    /// [`Limits::tokens`].
    Tokens,
    /// [`Limits::cost`].
    Cost,
    /// [`Limits::ms`].
    Ms,
}

impl Limit {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Steps, Self::ToolCalls, Self::Tokens, Self::Cost, Self::Ms];
    /// Those that stop a run at once.
    pub(super) const HARD: [Self; 3] = [Self::Tokens, Self::Cost, Self::Ms];
}

impl Limits {
    /// The limit of this kind.
    #[must_use]
    pub const fn of(&self, limit: Limit) -> f64 {
        match limit {
            Limit::Steps => self.steps,
            Limit::ToolCalls => self.tool_calls,
            Limit::Tokens => self.tokens,
            Limit::Cost => self.cost,
            Limit::Ms => self.ms,
        }
    }
}

/// How often in a row is a loop. [`OFF`](Self::OFF) switches a kind off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loops {
    /// Steps with the same outcomes.
    pub repeats: u32,
    /// Steps in which a tool failed with the same code.
    pub failures: u32,
    /// Sequences of two to five steps.
    pub cycles: u32,
    /// Calls of a tool that found nothing.
    pub nothing: u32,
    /// Steps that brought no outcome that is new to the run.
    pub stale: u32,
    /// Texts of the model, without a tool call.
    pub texts: u32,
}

impl Loops {
    /// The number that no row reaches.
    pub const OFF: u32 = u32::MAX;
    /// No kind of loop.
    pub const NONE: Self = Self {
        repeats: Self::OFF,
        failures: Self::OFF,
        cycles: Self::OFF,
        nothing: Self::OFF,
        stale: Self::OFF,
        texts: Self::OFF,
    };
}

impl Default for Loops {
    fn default() -> Self {
        Self { repeats: 3, failures: 4, cycles: 3, nothing: 5, stale: 10, texts: 3 }
    }
}

/// One thing that a loop leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rung {
    /// Say something to the model.
    Steer,
    /// Let a stronger model take the next step.
    Escalate,
    /// Do not run the loop's calls.
    Refuse,
    /// One last answer, without tools.
    Conclude,
    /// End the run.
    Stop,
}

impl Rung {
    /// All of them; a rung crosses as its place in here.
    pub const ALL: [Self; 5] = [Self::Steer, Self::Escalate, Self::Refuse, Self::Conclude, Self::Stop];
}

/// Rungs, each at most once. Without any, the run only observes: the driver goes on whatever the advice is, which is what the
/// default ladder would have said, each advice once until there is progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ladder(Vec<Rung>);

impl Ladder {
    /// A ladder of these rungs; `None` where one comes twice.
    #[must_use]
    pub fn new(rungs: &[Rung]) -> Option<Self> {
        let is_twice = |(at, rung): (usize, &Rung)| rungs.iter().take(at).any(|one| one == rung);
        (!rungs.iter().enumerate().any(is_twice)).then(|| Self(rungs.to_vec()))
    }

    /// Returns `true` if it has no rungs.
    #[must_use]
    pub fn observes(&self) -> bool {
        self.0.is_empty()
    }

    /// The rungs that the machine climbs: the default ones where it only observes.
    #[must_use]
    pub fn rungs(&self) -> &[Rung] {
        if self.0.is_empty() { &DEFAULT } else { &self.0 }
    }

    pub(super) fn has(&self, rung: Rung) -> bool {
        self.rungs().contains(&rung)
    }
}

const DEFAULT: [Rung; 4] = [Rung::Steer, Rung::Refuse, Rung::Conclude, Rung::Stop];

impl Default for Ladder {
    fn default() -> Self {
        Self(DEFAULT.to_vec())
    }
}
