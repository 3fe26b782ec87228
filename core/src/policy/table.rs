//! The options of a policy: one table, a row for each.
//!
//! From it come the lab's strict reader, the schema of its scenarios, its fields in the dashboard, the names that recorded
//! policies and actions of the dashboard know, and `docs/policies/options.md`. Tests hold to it the structs of this crate
//! and the types of the package.

/// The values that an option accepts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// `true` or `false`.
    Flag,
    /// A string.
    Text,
    /// One of these strings.
    OneOf(&'static [&'static str]),
    /// A finite number of milliseconds, 0 or more.
    Millis,
    /// A number of milliseconds, 0 or more: `Infinity` is no bound.
    MillisOrInfinity,
    /// A finite number of milliseconds above 0.
    Span,
    /// A number of milliseconds above 0: `Infinity` is no limit.
    SpanOrInfinity,
    /// A whole number, 1 or more.
    PositiveCount,
    /// A whole number, 0 or more, or `Infinity`.
    CountOrInfinity,
    /// A finite number, 0 or more.
    Factor,
    /// A finite number, 1 or more.
    Growth,
    /// A number above 0, at most 1.
    Rate,
    /// A number from 0 to 1.
    Share,
    /// A finite number.
    Finite,
    /// A share, or the name of a distribution.
    Jitter,
    /// A list of error codes and types, or a function.
    RetryOn,
    /// A function.
    Function,
    /// An object of a class, in these words.
    Instance(&'static str),
    /// An object of the options below it; of one that may be a list, each.
    Options,
}

impl Kind {
    /// The words of the package's errors.
    #[must_use]
    pub const fn expected(self) -> &'static str {
        match self {
            Self::Flag => "a boolean",
            Self::Text => "a string",
            Self::OneOf(_) => "one of",
            Self::Millis => "a finite number of milliseconds, 0 or more",
            Self::MillisOrInfinity => "a number of milliseconds, 0 or more",
            Self::Span => "a finite number of milliseconds above 0",
            Self::SpanOrInfinity => "a number of milliseconds above 0",
            Self::PositiveCount => "a whole number, 1 or more",
            Self::CountOrInfinity => "a whole number, 0 or more, or Infinity",
            Self::Factor => "a finite number, 0 or more",
            Self::Growth => "a finite number, 1 or more",
            Self::Rate => "a number above 0, at most 1",
            Self::Share => "a number from 0 to 1",
            Self::Finite => "a finite number",
            Self::Jitter => "a number from 0 to 1, or 'full', 'equal', 'decorrelated'",
            Self::RetryOn => "a function, or an array of error codes and types",
            Self::Function => "a function",
            Self::Instance(what) => what,
            Self::Options => "an object",
        }
    }
}

/// The default of an option that must be given with the object around it.
pub const REQUIRED: &str = "required";

/// The default of an option that is off, or does nothing, by itself.
pub const NONE: &str = "none";

/// An option of a policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OptionRow {
    /// Its path in the options: `retry.maxRetries`.
    pub path: &'static str,
    /// The values that it accepts.
    pub kind: Kind,
    /// Its value in `createPolicy()` as code, or words; [`REQUIRED`], [`NONE`].
    pub default: &'static str,
    /// That of the class which has the option too (`new CircuitBreaker()`, `new RetryHandler()`), if it is another.
    pub class: Option<&'static str>,
    /// Those of the presets 'capability' and 'service', if they set it.
    pub presets: [Option<&'static str>; 2],
    /// Options of one number exclude those of another of the same letter: `Some(('a', 1))`.
    pub alternative: Option<(char, u8)>,
    /// Its name in the dashboard; empty without a field there.
    pub label: &'static str,
    /// The unit of a field.
    pub unit: &'static str,
    /// `true` if `false` turns it off.
    pub off: bool,
    /// `true` if it may be a list.
    pub several: bool,
    /// `true` if the lab knows it: it is plain data.
    pub lab: bool,
    /// `false` for an option that only the package's own modules set.
    pub shown: bool,
}

const fn row(path: &'static str, kind: Kind, default: &'static str) -> OptionRow {
    OptionRow {
        path,
        kind,
        default,
        class: None,
        presets: [None, None],
        alternative: None,
        label: "",
        unit: "",
        off: false,
        several: false,
        lab: false,
        shown: true,
    }
}

/// A row that the lab knows.
const fn data(path: &'static str, kind: Kind, default: &'static str) -> OptionRow {
    OptionRow { lab: true, ..row(path, kind, default) }
}

impl OptionRow {
    const fn class(self, class: &'static str) -> Self {
        Self { class: Some(class), ..self }
    }

    const fn presets(self, capability: &'static str, service: &'static str) -> Self {
        Self { presets: [Some(capability), Some(service)], ..self }
    }

    const fn service(self, service: &'static str) -> Self {
        Self { presets: [None, Some(service)], ..self }
    }

    const fn either(self, group: char, number: u8) -> Self {
        Self { alternative: Some((group, number)), ..self }
    }

    const fn field(self, label: &'static str, unit: &'static str) -> Self {
        Self { label, unit, ..self }
    }

    const fn or_several(self) -> Self {
        Self { several: true, ..self }
    }

    const fn or_off(self) -> Self {
        Self { off: true, ..self }
    }

    /// The name within the object that it is in.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.path.rsplit('.').next().unwrap_or(self.path)
    }

    /// The object that it is in; empty for the whole.
    #[must_use]
    pub fn section(&self) -> &'static str {
        self.path.rsplit_once('.').map_or("", |(section, _)| section)
    }

    /// `true` if the dashboard may change it in a running process: it consists of numbers, flags and names.
    #[must_use]
    pub fn is_changeable(&self) -> bool {
        let first = self.path.split_once('.').map_or(self.path, |(first, _)| first);
        OPTIONS.iter().any(|row| row.path == first && row.kind == Kind::Options)
    }
}

/// The options directly within a section: `""`, `retry`, `breaker.window`.
pub fn within(section: &str) -> impl Iterator<Item = &'static OptionRow> + '_ {
    OPTIONS.iter().filter(move |row| row.section() == section)
}

/// The errors that the source documents retry.
const TRANSIENT: &str = "['llm_failed', 'network', 'timeout']";

/// All options, in the order of the documentation.
pub const OPTIONS: &[OptionRow] = &[
    row("name", Kind::Text, "'default'"),
    row("preset", Kind::OneOf(&["agent", "capability", "service"]), "'agent'"),
    data("retry", Kind::Options, "on").or_off().field("Retries", ""),
    data("retry.enabled", Kind::Flag, "true"),
    data("retry.maxRetries", Kind::CountOrInfinity, "3").presets("3", "3").field("At most", "retries"),
    data("retry.baseDelayMs", Kind::Millis, "1000")
        .presets("1000", "1000")
        .either('b', 1)
        .field("First delay", "ms"),
    data("retry.maxDelayMs", Kind::MillisOrInfinity, "10_000").class("60_000").presets("Infinity", "30_000"),
    data("retry.backoffFactor", Kind::Factor, "2")
        .presets("1.5", "2")
        .either('b', 1)
        .field("Times, each retry", "×"),
    row("retry.backoff", Kind::Function, NONE).either('b', 2),
    data("retry.enableJitter", Kind::Flag, "true").class("false").presets("false", "false"),
    data("retry.jitter", Kind::Jitter, "0.2").either('b', 1),
    data("retry.retryOn", Kind::RetryOn, "as classified").class(TRANSIENT).service(TRANSIENT),
    row("retry.onRetry", Kind::Function, NONE),
    data("retry.retryNested", Kind::Flag, "false"),
    data("retry.maxRetryAfterMs", Kind::MillisOrInfinity, "60_000"),
    OptionRow { shown: false, ..data("retry.switchAfterMs", Kind::MillisOrInfinity, NONE) },
    data("retry.budget", Kind::Options, "a quota of its own").class(NONE).or_off(),
    data("retry.budget.ratio", Kind::Share, "0.1").field("Budget: retries per call", "0 to 1"),
    data("retry.budget.minPerSecond", Kind::Factor, "1"),
    data("breaker", Kind::Options, "on").or_off().field("Breaker", ""),
    data("breaker.name", Kind::Text, "the policy's").class("'breaker'"),
    data("breaker.failureThreshold", Kind::PositiveCount, "5")
        .service("5")
        .either('t', 1)
        .field("Opens after", "failures"),
    data("breaker.resetTimeoutMs", Kind::Millis, "1000")
        .class("60_000")
        .service("60_000")
        .field("Stays open for", "ms"),
    data("breaker.resetBackoffFactor", Kind::Growth, "1"),
    data("breaker.maxResetTimeoutMs", Kind::Millis, "10 × resetTimeoutMs"),
    data("breaker.halfOpenMaxCalls", Kind::PositiveCount, "3").class("1").service("1"),
    data("breaker.successThreshold", Kind::PositiveCount, "1"),
    data("breaker.probeTimeoutMs", Kind::Millis, "3000").class("resetTimeoutMs"),
    data("breaker.window", Kind::Options, NONE).either('t', 2),
    data("breaker.window.kind", Kind::OneOf(&["count", "time"]), REQUIRED),
    data("breaker.window.size", Kind::PositiveCount, "required for 'count'"),
    data("breaker.window.durationMs", Kind::Span, "required for 'time'"),
    data("breaker.window.failureRate", Kind::Rate, REQUIRED),
    data("breaker.window.minimumCalls", Kind::PositiveCount, "size, or 10 for 'time'"),
    data("breaker.slowCall", Kind::Options, NONE),
    data("breaker.slowCall.durationMs", Kind::Millis, REQUIRED),
    data("breaker.slowCall.rate", Kind::Rate, REQUIRED),
    data("breaker.throttle", Kind::Options, NONE).either('t', 3),
    data("breaker.throttle.k", Kind::Growth, "2"),
    data("breaker.throttle.windowMs", Kind::Span, "120_000"),
    data("breaker.throttle.minimumCalls", Kind::PositiveCount, "20"),
    row("breaker.seed", Kind::Finite, "the policy's"),
    data("breaker.rampMs", Kind::Millis, "0"),
    row("breaker.countsAsFailure", Kind::Function, "by the code"),
    row("breaker.clock", Kind::Instance("a clock (now, setTimeout, clearTimeout)"), "the policy's"),
    data("breakerScope", Kind::OneOf(&["call", "attempt"]), "'call'"),
    data("timeout", Kind::Options, NONE),
    data("timeout.attemptMs", Kind::SpanOrInfinity, NONE).field("Attempt times out after", "ms"),
    data("timeout.totalMs", Kind::SpanOrInfinity, NONE).field("Call times out after", "ms"),
    data("bulkhead", Kind::Options, NONE),
    data("bulkhead.maxConcurrent", Kind::PositiveCount, REQUIRED),
    data("bulkhead.maxQueued", Kind::CountOrInfinity, "0"),
    data("adaptive", Kind::Options, "off").or_off(),
    data("adaptive.min", Kind::PositiveCount, "1"),
    data("adaptive.max", Kind::PositiveCount, "1000"),
    data("adaptive.initial", Kind::PositiveCount, "20"),
    data("adaptive.decrease", Kind::Rate, "0.7"),
    data("rateLimit", Kind::Options, NONE).or_several(),
    data("rateLimit.limit", Kind::PositiveCount, REQUIRED),
    data("rateLimit.windowMs", Kind::Span, REQUIRED),
    data("rateLimit.unit", Kind::OneOf(&["requests", "tokens"]), "'requests'"),
    data("rateLimit.maxWaitMs", Kind::MillisOrInfinity, "0"),
    data("fallback", Kind::Function, NONE),
    data("hedge", Kind::Options, NONE).or_off(),
    data("hedge.afterMs", Kind::Millis, REQUIRED),
    data("hedge.max", Kind::PositiveCount, "1"),
    row("staleIfError", Kind::Options, NONE),
    row("staleIfError.maxAgeMs", Kind::SpanOrInfinity, REQUIRED),
    row("staleIfError.maxEntries", Kind::PositiveCount, "1000"),
    row("failOnNotOk", Kind::Flag, "true"),
    row("classify", Kind::Function, NONE),
    row("messages", Kind::OneOf(&["private", "provider"]), "'provider'"),
    row("audience", Kind::OneOf(&["owner", "visitor"]), "'owner'"),
    row("provider", Kind::Text, NONE),
    row("model", Kind::Text, NONE),
    row("fleet", Kind::Instance("a fleet of halfopen/fleet"), NONE),
    row("unref", Kind::Flag, "false"),
    row("clock", Kind::Instance("a clock (now, setTimeout, clearTimeout)"), "the system's"),
    row("seed", Kind::Finite, "random"),
    row("onError", Kind::Function, NONE),
    row("onEvent", Kind::Function, NONE),
    row("onDebug", Kind::Function, NONE),
];
