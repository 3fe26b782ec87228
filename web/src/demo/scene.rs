//! The demonstration's providers and tasks: what fails when, as rows.

use halfopen::code::Code;
use halfopen::rng::SplitMix64;

/// From open to half-open in the demonstration, in milliseconds.
pub(crate) const RESET: u64 = 12_000;
/// The policy around an agent's whole task.
pub(super) const OUTER: &str = "research-agent";
/// The policy of the step that has a fallback.
pub(super) const WRITER: &str = "anthropic";
/// The policy of the tool that the agent can do without.
pub(super) const SEARCH: &str = "web-search";
const PLANNER: &str = "openai";

/// A policy of the demonstration.
pub(super) struct PolicyRow {
    pub(super) name: &'static str,
    pub(super) provider: &'static str,
    pub(super) model: &'static str,
    /// How many attempts run at once; 0 is no limit.
    pub(super) places: u32,
    pub(super) retries: u32,
    /// Whether the breaker counts attempts, not calls.
    pub(super) each_attempt: bool,
    /// Shortest and longest answer, in milliseconds.
    answers: (u64, u64),
    /// Chunks of an answer; 0 is no stream.
    chunks: u32,
}

/// The policies.
pub(super) const POLICIES: &[PolicyRow] = &[
    PolicyRow {
        name: OUTER,
        provider: "",
        model: "",
        places: 0,
        retries: 0,
        each_attempt: false,
        answers: (0, 0),
        chunks: 0,
    },
    PolicyRow {
        name: PLANNER,
        provider: "openai",
        model: "gpt-4.1",
        places: 0,
        retries: 3,
        each_attempt: true,
        answers: (700, 2_400),
        chunks: 9,
    },
    PolicyRow {
        name: WRITER,
        provider: "anthropic",
        model: "claude-sonnet-4-5",
        places: 0,
        retries: 3,
        each_attempt: true,
        answers: (1_200, 3_600),
        chunks: 14,
    },
    PolicyRow {
        name: SEARCH,
        provider: "tavily",
        model: "",
        places: 2,
        retries: 2,
        each_attempt: false,
        answers: (180, 900),
        chunks: 0,
    },
];

/// What an agent does for a task: policy, how many calls at once, and what they are called.
pub(super) const STAGES: &[(&str, usize, &str)] = &[
    (PLANNER, 1, "plan the steps"),
    (SEARCH, 2, "search the web"),
    (PLANNER, 1, "read the sources"),
    (WRITER, 1, "write the answer"),
];

/// A task.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Task {
    pub(super) name: &'static str,
    pub(super) searches: usize,
}

const TASKS: &[&str] = &[
    "compare three heat pumps",
    "plan a week in Lisbon",
    "summarise the new privacy law",
    "find the cheapest freight route",
    "explain the outage of Tuesday",
    "draft a reply to the supplier",
];

/// The next task.
pub(super) fn task(rng: &mut SplitMix64) -> Task {
    let name = pick(TASKS, rng).copied().unwrap_or_default();
    Task { name, searches: usize::try_from(rng.between(2, 4)).unwrap_or(2) }
}

fn pick<'a, T>(from: &'a [T], rng: &mut SplitMix64) -> Option<&'a T> {
    let last = (from.len() as u64).saturating_sub(1);
    from.get(usize::try_from(rng.between(0, last)).unwrap_or(0))
}

/// A failure, as the classification of the real one says it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fault {
    pub(super) code: Code,
    pub(super) rule: &'static str,
    pub(super) status: u32,
    pub(super) hint: Option<u64>,
    pub(super) kind: &'static str,
    pub(super) details: &'static str,
    /// How long until it comes, in milliseconds.
    after: (u64, u64),
}

const fn fault(
    code: Code,
    rule: &'static str,
    status: u32,
    kind: &'static str,
    details: &'static str,
    after: (u64, u64),
) -> Fault {
    Fault { code, rule, status, hint: None, kind, details, after }
}

const RATE_LIMITED: Fault = fault(
    Code::RateLimited,
    "http.429",
    429,
    "rate_limit_exceeded",
    "status 429, type rate_limit_exceeded",
    (60, 200),
);
const OVERLOADED: Fault = fault(
    Code::ProviderOverloaded,
    "http.529",
    529,
    "overloaded_error",
    "status 529, type overloaded_error",
    (90, 700),
);
const BROKEN: Fault =
    fault(Code::ServerError, "http.5xx", 500, "server_error", "status 500, type server_error", (150, 1_200));
const RESET_BY_PEER: Fault = fault(
    Code::NetworkError,
    "errno.ECONNRESET",
    0,
    "ECONNRESET",
    "errno ECONNRESET, cause of TypeError",
    (30, 400),
);
const SLOW: Fault = fault(
    Code::Timeout,
    "halfopen.attempt_timeout",
    0,
    "TimeoutError",
    "no answer within 4000 ms",
    (4_000, 4_000),
);
const TOO_LONG: Fault = fault(
    Code::ContextLengthExceeded,
    "code.context_length_exceeded",
    400,
    "context_length_exceeded",
    "status 400, code context_length_exceeded",
    (80, 200),
);
/// The breaker refused.
pub(super) const REFUSED: Fault = fault(Code::CircuitOpen, "halfopen.breaker", 0, "", "", (0, 0));
/// The bulkhead refused.
pub(super) const FULL: Fault = fault(Code::CapacityExceeded, "halfopen.bulkhead", 0, "", "", (0, 0));
/// A step of the task failed, and with it the task.
pub(super) const STEP_FAILED: Fault =
    fault(Code::ToolExecutionError, "nested", 0, "AgentError", "a step of the task failed", (0, 0));

/// What a provider does with an attempt.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reply {
    pub(super) after: u64,
    pub(super) chunks: u32,
    pub(super) fault: Option<Fault>,
    pub(super) tokens: (u64, u64),
}

/// When what fails: policy, from and to in seconds of a round, percent of its attempts, the failure.
const TROUBLES: &[(&str, u64, u64, u64, Fault)] = &[
    (PLANNER, 8, 30, 55, Fault { hint: Some(2_500), ..RATE_LIMITED }),
    (WRITER, 34, 66, 97, OVERLOADED),
    (SEARCH, 20, 48, 25, BROKEN),
    (SEARCH, 70, 84, 35, SLOW),
    (PLANNER, 76, 92, 30, RESET_BY_PEER),
    (PLANNER, 66, 70, 60, TOO_LONG),
    (WRITER, 92, 104, 45, BROKEN),
];
/// Length of a round, in seconds.
const ROUND: u64 = 110;

/// What a provider does at a moment.
pub(super) fn reply(policy: &PolicyRow, now: u64, rng: &mut SplitMix64) -> Reply {
    let second = now / 1000 % ROUND;
    let die = rng.between(1, 100);
    let trouble = TROUBLES
        .iter()
        .find(|&&(name, from, to, share, _)| {
            name == policy.name && (from..to).contains(&second) && die <= share
        })
        .map(|trouble| trouble.4);
    let (least, most) = trouble.map_or(policy.answers, |fault| fault.after);
    let tokens = (rng.between(400, 6_000), rng.between(80, 900));
    let fault =
        trouble.map(|fault| Fault { hint: fault.hint.map(|hint| rng.between(hint / 2, hint * 2)), ..fault });
    Reply { after: rng.between(least, most), chunks: policy.chunks, fault, tokens }
}
