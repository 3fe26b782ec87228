//! One guarded call in the log: its attempts, and the waits and marks between them.

use crate::group::Key;
use crate::names::Name;
use crate::numbers::{CallNumber, EventNumber, RunNumber, ShortNumber};
use crate::policy::PolicyId;
use crate::time::Moment;

/// The stage of a call, or its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// An attempt runs, or is about to.
    Running,
    /// It waits to try again.
    Waiting,
    /// It waits for a slot.
    Queued,
    /// It answered.
    Succeeded,
    /// A fallback answered instead.
    Degraded,
    /// It failed for good.
    Failed,
    /// The policy refused it: before its first attempt, or before another one.
    Rejected,
    /// The caller gave up.
    Cancelled,
    /// It has not ended, and its process no longer reports.
    Silent,
}

impl Status {
    /// All, in the order in which help lists them.
    pub const ALL: [Self; 9] = [
        Self::Succeeded,
        Self::Degraded,
        Self::Failed,
        Self::Rejected,
        Self::Cancelled,
        Self::Running,
        Self::Waiting,
        Self::Queued,
        Self::Silent,
    ];

    /// Its name in filters.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Queued => "queued",
            Self::Succeeded => "ok",
            Self::Degraded => "fallback",
            Self::Failed => "failed",
            Self::Rejected => "rejected",
            Self::Cancelled => "cancelled",
            Self::Silent => "silent",
        }
    }

    /// A sign that does not need its colour.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Running => "▸",
            Self::Waiting => "◷",
            Self::Queued => "≡",
            Self::Succeeded => "✓",
            Self::Degraded => "↪",
            Self::Failed => "✕",
            Self::Rejected => "⊘",
            Self::Cancelled => "−",
            Self::Silent => "…",
        }
    }

    /// Returns `true` if more events will come.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Running | Self::Waiting | Self::Queued)
    }
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Running,
    Succeeded,
    Failed,
}

/// One call of the operation. `None` means that it has not happened yet, or that no event has it.
#[derive(Clone, Debug)]
pub struct Attempt {
    pub number: u32,
    pub started: Moment,
    pub ended: Option<Moment>,
    pub duration_ms: Option<f64>,
    pub first_chunk_ms: Option<f64>,
    pub retry_after_ms: Option<f64>,
    pub outcome: Outcome,
    pub provider: Name,
    pub model: Name,
    pub code: Name,
    pub rule: Name,
    /// The kind of change of the request that would help.
    pub remedy: Name,
    /// The answer was empty.
    pub empty_answer: bool,
    pub retryable: bool,
    /// Only the words of its message indicated a retryable code, so it was not retried.
    pub words_alone: bool,
    pub counted: bool,
    pub probe: bool,
    pub generation: Option<u32>,
    pub status_code: u32,
    pub chunks: u64,
    pub characters: u64,
    /// The operation returned an unread stream, so a later failure of that stream is not visible.
    pub unread_stream: bool,
    /// Tokens in and out.
    pub tokens: Option<(u32, u32)>,
    /// The event that ended it; its line has the details.
    pub ended_by: Option<EventNumber>,
}

impl Attempt {
    pub const fn new(number: u32, started: Moment) -> Self {
        Self {
            number,
            started,
            ended: None,
            duration_ms: None,
            first_chunk_ms: None,
            retry_after_ms: None,
            outcome: Outcome::Running,
            provider: Name::NONE,
            model: Name::NONE,
            code: Name::NONE,
            rule: Name::NONE,
            remedy: Name::NONE,
            empty_answer: false,
            retryable: false,
            words_alone: false,
            counted: false,
            probe: false,
            generation: None,
            status_code: 0,
            chunks: 0,
            characters: 0,
            unread_stream: false,
            tokens: None,
            ended_by: None,
        }
    }
}

/// Why a call waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The policy's own backoff.
    Backoff,
    /// The provider said how long.
    RetryAfter,
    /// No slot was free: the queue of the bulkhead or of the rate limit.
    Queue,
}

impl Reason {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Backoff => "backoff",
            Self::RetryAfter => "Retry-After",
            Self::Queue => "queue",
        }
    }
}

/// A span in which a call waited.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    pub reason: Reason,
    /// The attempt that comes after it.
    pub attempt: u32,
    pub from: Moment,
    /// When it was to end, as planned; `None` for a queue without a time.
    pub due: Option<Moment>,
    /// The earliest and the latest end that jitter allows; `None` for a queue.
    pub band: Option<(Moment, Moment)>,
    /// When it did end; `None` while it lasts.
    pub ended: Option<Moment>,
    /// The layer of the queue.
    pub by: Name,
    pub budget_left: Option<f64>,
}

impl Wait {
    /// How long it was to last, in milliseconds.
    pub fn planned_ms(&self) -> Option<f64> {
        self.due.map(|due| due - self.from)
    }

    /// How long it lasted, in milliseconds.
    pub fn lasted_ms(&self) -> Option<f64> {
        self.ended.map(|ended| ended - self.from)
    }
}

/// Something that happened to a call at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkKind {
    Fallback,
    FallbackFailed,
    Failover,
    StreamBroken,
    Rejected,
    /// The request was changed; `from` is the remedy that asked for it.
    Repaired,
}

/// A moment worth a sign.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    pub kind: MarkKind,
    pub at: Moment,
    pub code: Name,
    pub from: Name,
    pub to: Name,
}

/// Most events, attempts, waits and marks that are kept for one call: an agent that never ends must not exhaust the page's memory.
pub const MOST_PARTS: usize = 2_000;

/// How many parts of a call are not kept, because there are more than [`MOST_PARTS`] of a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unkept {
    pub events: u32,
    pub attempts: u32,
    pub waits: u32,
    pub marks: u32,
}

/// One call.
#[derive(Clone, Debug)]
pub struct Call {
    pub id: Box<str>,
    pub source: Name,
    pub policy: Name,
    pub task: Name,
    /// The name of the function that ran, of a call without a task.
    pub operation: Name,
    pub trace: Name,
    pub parent: Option<CallNumber>,
    /// The run of an agent that it belongs to.
    pub run: Option<RunNumber>,
    /// The outermost call that this one is part of: itself, if none.
    pub root: CallNumber,
    pub depth: u8,
    pub started: Moment,
    /// When it ended; while its process does not report, the time of its last report; `None` while it goes on.
    pub ended: Option<Moment>,
    /// The time at which the policy ends it, by its options; `None` without a limit, or if they are unknown.
    pub deadline: Option<Moment>,
    pub status: Status,
    /// Its stream has a stall timeout.
    pub stall_limited: bool,
    /// Its consumer closed its stream before the end.
    pub closed_early: bool,
    pub code: Name,
    pub why: Name,
    pub attempts: Vec<Attempt>,
    pub waits: Vec<Wait>,
    pub marks: Vec<Mark>,
    /// The numbers of its events, shortened to 32 bits. The last one is always the newest.
    pub events: Vec<ShortNumber>,
    /// `None` unless parts were dropped.
    unkept: Option<Box<Unkept>>,
}

impl Call {
    pub fn new(id: &str, number: CallNumber, started: Moment) -> Self {
        Self {
            id: id.into(),
            source: Name::NONE,
            policy: Name::NONE,
            task: Name::NONE,
            operation: Name::NONE,
            trace: Name::NONE,
            parent: None,
            run: None,
            root: number,
            depth: 0,
            started,
            ended: None,
            deadline: None,
            status: Status::Running,
            stall_limited: false,
            closed_early: false,
            code: Name::NONE,
            why: Name::NONE,
            attempts: Vec::new(),
            waits: Vec::new(),
            marks: Vec::new(),
            // Most calls have four events: call and attempt, each started and ended.
            events: Vec::with_capacity(4),
            unkept: None,
        }
    }

    /// Returns its title: its task; else its operation, or its policy.
    pub fn title(&self) -> Name {
        let names = [self.task, self.operation, self.policy];
        names.into_iter().find(|name| !name.is_none()).unwrap_or(Name::NONE)
    }

    /// Its policy.
    pub fn policy_id(&self) -> PolicyId {
        PolicyId { source: self.source, name: self.policy }
    }

    /// Shows every name that it has.
    pub(crate) fn names(&self, show: &mut dyn FnMut(Name)) {
        let own = [self.source, self.policy, self.task, self.operation, self.trace, self.code, self.why];
        own.into_iter().for_each(&mut *show);
        for attempt in &self.attempts {
            [attempt.provider, attempt.model, attempt.code, attempt.rule, attempt.remedy]
                .into_iter()
                .for_each(&mut *show);
        }
        self.waits.iter().for_each(|wait| show(wait.by));
        for mark in &self.marks {
            [mark.code, mark.from, mark.to].into_iter().for_each(&mut *show);
        }
    }

    /// How many of its parts are not kept.
    pub fn unkept(&self) -> Unkept {
        self.unkept.as_deref().copied().unwrap_or_default()
    }

    /// Adds an event. If there are too many, it replaces the last one.
    pub fn push_event(&mut self, event: ShortNumber) {
        let Self { events, unkept, .. } = self;
        push(events, event, || unkept.get_or_insert_default().events += 1);
    }

    /// Adds an attempt. If there are too many, it replaces the last one.
    pub fn push_attempt(&mut self, attempt: Attempt) {
        // Most calls have one attempt, so room for one saves memory.
        if self.attempts.is_empty() {
            self.attempts.reserve_exact(1);
        }
        let Self { attempts, unkept, .. } = self;
        push(attempts, attempt, || unkept.get_or_insert_default().attempts += 1);
    }

    /// Adds a wait. If there are too many, it replaces the last one.
    pub fn push_wait(&mut self, wait: Wait) {
        let Self { waits, unkept, .. } = self;
        push(waits, wait, || unkept.get_or_insert_default().waits += 1);
    }

    /// Adds a mark. If there are too many, it replaces the last one.
    pub fn push_mark(&mut self, mark: Mark) {
        let Self { marks, unkept, .. } = self;
        push(marks, mark, || unkept.get_or_insert_default().marks += 1);
    }

    /// Undoes the silence: the process reports again.
    pub(crate) fn resume(&mut self) {
        self.ended = None;
        self.status = match self.waits.last().filter(|wait| wait.ended.is_none()) {
            Some(Wait { reason: Reason::Queue, .. }) => Status::Queued,
            Some(_) => Status::Waiting,
            None => Status::Running,
        };
    }

    /// The attempt of that number, made if the log does not have its beginning.
    pub fn attempt(&mut self, number: u32, started: Moment) -> &mut Attempt {
        let known = self.attempts.iter().rposition(|attempt| attempt.number == number);
        let at = known.unwrap_or_else(|| {
            self.push_attempt(Attempt::new(number, started));
            self.attempts.len() - 1
        });
        #[expect(clippy::indexing_slicing, reason = "found or pushed just above")]
        &mut self.attempts[at]
    }

    /// Frees spare capacity: most calls get no more events once they have ended.
    pub fn shrink(&mut self) {
        self.attempts.shrink_to_fit();
        self.waits.shrink_to_fit();
        self.marks.shrink_to_fit();
        self.events.shrink_to_fit();
    }

    /// Ends the wait that lasts, if one does.
    pub fn end_wait(&mut self, at: Moment) {
        if let Some(wait) = self.waits.last_mut().filter(|wait| wait.ended.is_none()) {
            wait.ended = Some(at.max(wait.from));
        }
    }

    /// The end, or `now` of a call that goes on.
    pub fn end_or(&self, now: Moment) -> Moment {
        self.ended.unwrap_or_else(|| now.max(self.started))
    }

    /// The attempt whose error the caller got; `None` if the call did not fail, or failed with an error of its own, such as that
    /// of a fallback.
    #[inline(never)]
    pub fn ended_with(&self) -> Option<&Attempt> {
        if self.status != Status::Failed {
            return None;
        }
        let is_the_end = |attempt: &&Attempt| attempt.outcome == Outcome::Failed && attempt.code == self.code;
        self.attempts.iter().rev().find(is_the_end)
    }

    /// The policy's refusal of it, also if a fallback answered afterwards.
    pub(crate) fn refusal(&self) -> Option<(Key, Moment)> {
        let mark = self.marks.iter().find(|mark| mark.kind == MarkKind::Rejected)?;
        Some((Key::Refused { code: mark.code, by: self.why }, mark.at))
    }

    /// The group of the failure or the refusal that the caller got; `None` for an error that no attempt had.
    pub(crate) fn ended_by(&self) -> Option<Key> {
        if self.status == Status::Rejected {
            return Some(Key::Refused { code: self.code, by: self.why });
        }
        self.ended_with().map(|attempt| Key::Failed { code: attempt.code, rule: attempt.rule })
    }

    /// How often the operation was called.
    pub fn tries(&self) -> usize {
        self.attempts.len() + self.unkept().attempts as usize
    }

    /// How often the operation was called again.
    pub fn retries(&self) -> usize {
        self.tries().saturating_sub(1)
    }
}

/// Adds a part to those of a call. If there are too many, it replaces the last one, which is counted.
#[inline(never)]
fn push<T>(parts: &mut Vec<T>, part: T, count: impl FnOnce()) {
    if parts.len() >= MOST_PARTS {
        parts.pop();
        count();
    }
    parts.push(part);
}
