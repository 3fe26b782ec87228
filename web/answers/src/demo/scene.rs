//! The demonstration's providers and tasks: what fails when, as rows.

use halfopen::classify::{Classification, Context, Thrown, classify_with_signals};
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
    /// `true` if the breaker counts attempts instead of calls.
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

/// An agent's work on a task: its policy, its concurrent calls, and their names.
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

/// A failure as a client throws it: what it means is for the core's classification to say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fault {
    /// The thrown error as JSON.
    error: &'static str,
    /// The wait in the provider's header, in milliseconds.
    hint: Option<u64>,
    /// How long until it comes, in milliseconds.
    after: (u64, u64),
}

/// A failure and what the core made of it.
#[derive(Clone, Debug)]
pub(super) struct Read {
    pub(super) found: Classification,
    pub(super) signals: serde_json::Value,
}

impl Fault {
    /// The core's word on it, for a call of that provider.
    pub(super) fn read(&self, policy: &PolicyRow, request: u64) -> Read {
        let mut error: serde_json::Value = serde_json::from_str(self.error).unwrap_or_default();
        if let Some(error) = error.as_object_mut().filter(|error| error.contains_key("status")) {
            let mut headers = serde_json::json!({ "x-request-id": format!("req_{:08x}", request.wrapping_mul(2_654_435_761) & 0xffff_ffff) });
            if let (Some(headers), Some(hint)) = (headers.as_object_mut(), self.hint) {
                headers.insert("retry-after-ms".into(), hint.to_string().into());
            }
            error.insert("headers".into(), headers);
        }
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let context =
            Context { provider: some(policy.provider), model: some(policy.model), ..Context::default() };
        let (found, signals) = classify_with_signals(&Thrown::from_json(&error.to_string()), &context);
        Read { found, signals }
    }
}

const fn fault(error: &'static str, after: (u64, u64)) -> Fault {
    Fault { error, hint: None, after }
}

const RATE_LIMITED: Fault = fault(
    r#"{"name":"RateLimitError","status":429,"error":{"type":"requests","code":"rate_limit_exceeded"}}"#,
    (60, 200),
);
const OVERLOADED: Fault = fault(
    r#"{"name":"APIError","status":529,"error":{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}}"#,
    (90, 700),
);
const BROKEN: Fault =
    fault(r#"{"name":"InternalServerError","status":500,"error":{"type":"server_error"}}"#, (150, 1_200));
const RESET_BY_PEER: Fault = fault(
    r#"{"name":"TypeError","message":"fetch failed","cause":{"code":"ECONNRESET","syscall":"read"}}"#,
    (30, 400),
);
const SLOW: Fault = fault(r#"{"name":"TimeoutError","message":"The operation timed out."}"#, (4_000, 4_000));
const TOO_LONG: Fault = fault(
    r#"{"name":"BadRequestError","status":400,"error":{"type":"invalid_request_error","code":"context_length_exceeded"}}"#,
    (80, 200),
);
/// A step of the task failed, and with it the task.
pub(super) const STEP_FAILED: Fault =
    fault(r#"{"name":"Error","message":"a step of the task failed"}"#, (0, 0));

/// A provider's reaction to an attempt.
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

/// A provider's reaction at a moment.
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
