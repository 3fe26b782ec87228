//! From the lines of a log to what they say.

use super::options;
use super::recorded::{
    Attempt, Call, Control, End, Failed, History, Host, How, Moment, NONE, Options, Outcome, Wait,
};
use crate::code::Code;
use crate::lab::misfit::Misfit;
use crate::log::kind::{AttemptFailed, BreakerChanged, LimitsObserved};
use crate::log::{Event, Kind, Text, Usage, VERSION};
use crate::policy::{Layer, Why, seed_from_f64};
use std::collections::{BTreeMap, BTreeSet};

/// Names, by number.
#[derive(Debug, Default)]
struct Names(BTreeMap<String, u32>);

impl Names {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.0.get(name) {
            return number;
        }
        let number = u32::try_from(self.0.len()).unwrap_or(NONE);
        self.0.insert(name.to_owned(), number);
        number
    }

    fn into_list(self) -> Vec<String> {
        let mut list = vec![String::new(); self.0.len()];
        for (name, number) in self.0 {
            if let Some(slot) = list.get_mut(number as usize) {
                *slot = name;
            }
        }
        list
    }
}

/// Reads a log line by line.
#[derive(Debug, Default)]
pub(super) struct Reader {
    history: History,
    lines: u64,
    /// Of the event that was read last: a retry of an older writer does not name its process.
    source: u32,
    sources: Names,
    policies: Names,
    providers: Names,
    hosts: BTreeMap<(u32, u32), u32>,
    options: BTreeMap<(String, Option<String>), u32>,
    /// Processes whose clock has fractions of a millisecond, which the times of events have not.
    fine_clocks: BTreeSet<u32>,
    calls: BTreeMap<(u32, Box<str>), u32>,
    parents: BTreeSet<(u32, Box<str>)>,
    /// By call: its last attempt, and that whose wait is not over. By attempt: the one before of the same call.
    last: Vec<u32>,
    waiting: Vec<u32>,
    before: Vec<u32>,
}

impl Reader {
    /// Reads a line. Empty ones count, and say nothing.
    pub(super) fn line(&mut self, line: &str) -> Result<(), Misfit> {
        self.lines += 1;
        let line = line.trim();
        if line.is_empty() {
            return Ok(());
        }
        let number = self.lines;
        let misfit = |path: &str, expected: &str, got: String| Misfit {
            path: if path.is_empty() {
                format!("log line {number}")
            } else {
                format!("log line {number}.{path}")
            },
            expected: expected.to_owned(),
            got,
        };
        let event =
            Event::parse(line).map_err(|why| misfit("", "an event of Halfopen as JSON", why.to_string()))?;
        if event.v != VERSION {
            return Err(misfit("v", &VERSION.to_string(), event.v.to_string()));
        }
        self.event(&event);
        Ok(())
    }

    fn event(&mut self, event: &Event<'_>) {
        if let Some(source) = &event.source {
            self.source = self.sources.number(source.as_str());
        }
        let moment = Moment { at: micros(event.time), seq: event.seq };
        let (from, to) = self.history.span.unwrap_or((moment.at, moment.at));
        self.history.span = Some((from.min(moment.at), to.max(moment.at)));
        if due_of(&event.kind).is_some_and(|due| libm::floor(due) < due) {
            self.fine_clocks.insert(self.source);
        }
        if matches!(event.kind, Kind::Other(_)) {
            return;
        }
        if event.policy.is_none() && event.call.is_none() {
            return;
        }
        let policy = event.policy.as_ref().map_or("default", Text::as_str);
        let host = self.host(policy);
        match &event.kind {
            Kind::PolicyConfigured(configured) => {
                let options = options::of_policy(&configured.options);
                self.configure(host, moment, options, seed_from_f64(configured.seed));
            }
            Kind::BreakerChanged(changed) => {
                if let Some(control) = control_of(changed) {
                    self.history.controls.push((host, moment, control));
                }
            }
            Kind::LimitsObserved(limits) => {
                self.history.controls.push((host, moment, observed(limits, event.time)))
            }
            _ => {}
        }
        let Some(id) = &event.call else { return };
        let call = self.call(host, id.as_str());
        if let Some(parent) = &event.parent_call {
            if let Some(call) = self.history.calls.get_mut(call as usize) {
                call.is_inner = true;
            }
            if matches!(event.kind, Kind::CallStarted(_)) {
                self.parents.insert((self.source, parent.as_str().into()));
            }
        }
        self.of_call(call, moment, event);
    }

    fn of_call(&mut self, call: u32, moment: Moment, event: &Event<'_>) {
        match &event.kind {
            Kind::CallStarted(started) => {
                let own = started.options.as_ref().map_or(NONE, |own| self.own(own.as_str()));
                if let Some(call) = self.history.calls.get_mut(call as usize) {
                    call.begun.get_or_insert(moment);
                    call.own = own;
                }
            }
            Kind::CallQueued(_) => self.goes_on(call, moment),
            Kind::AttemptStarted(started) => {
                self.goes_on(call, moment);
                let name = |text: &Option<Text<'_>>| text.as_ref().map_or("", Text::as_str).to_owned();
                let provider = format!("{} {}", name(&started.provider), name(&started.model));
                let provider = self.providers.number(provider.trim());
                if let Some(attempt) = self.attempt(call, started.attempt) {
                    attempt.begun.get_or_insert(moment);
                    attempt.provider = provider;
                }
                let host = self.history.calls.get(call as usize).map_or(NONE, |call| call.host);
                if let Some(host) = self.history.hosts.get_mut(host as usize)
                    && host.provider == NONE
                {
                    host.provider = provider;
                }
            }
            Kind::AttemptSucceeded(succeeded) => {
                if let Some(attempt) = self.attempt(call, succeeded.attempt) {
                    attempt.ended = Some(moment);
                    attempt.took = whole(succeeded.duration_ms);
                    attempt.result = Outcome::Succeeded;
                    attempt.tokens = tokens(succeeded.usage);
                }
            }
            Kind::AttemptFailed(failed) => {
                if let Some(attempt) = self.attempt(call, failed.attempt) {
                    attempt.ended = Some(moment);
                    attempt.took = whole(failed.duration_ms);
                    attempt.result = Outcome::Failed(failure(failed));
                    attempt.tokens = tokens(failed.usage);
                }
            }
            Kind::RetryScheduled(wait) => {
                let number = wait.attempt.saturating_sub(1).max(1);
                let (delay, is_backoff) = (whole(wait.delay_ms), wait.delay_source.as_str() == "backoff");
                if let Some(attempt) = self.attempt(call, number) {
                    attempt.wait = Some(Wait { delay, is_backoff, resumed: None });
                }
                let last = self.last.get(call as usize).copied().unwrap_or(NONE);
                if let Some(waiting) = self.waiting.get_mut(call as usize) {
                    *waiting = last;
                }
            }
            Kind::CallSucceeded(succeeded) => {
                let closed = succeeded.closed_early == Some(true);
                self.end(call, moment, if closed { How::Closed } else { How::Succeeded });
            }
            Kind::CallFailed(failed) => {
                let why = Why::ALL.into_iter().find(|why| why.as_str() == failed.why.as_str());
                let code = failed.code.code().unwrap_or(Code::Unknown);
                self.end(call, moment, How::Failed { code, why: why.unwrap_or(Why::NotRetryable) });
            }
            Kind::CallRejected(rejected) => {
                self.goes_on(call, moment);
                if rejected.by.as_str() == "breaker" && rejected.retry_after_ms.is_none() {
                    self.was_isolated(call);
                }
                let layers = [Layer::Breaker, Layer::Bulkhead, Layer::RateLimit];
                let by = layers.into_iter().find(|layer| layer.as_str() == rejected.by.as_str());
                self.end(call, moment, How::Rejected { by: by.unwrap_or(Layer::Breaker) });
            }
            Kind::FallbackUsed(fallback) => {
                if let Some(call) = self.history.calls.get_mut(call as usize) {
                    call.fallback = Some((moment, fallback.failed != Some(true)));
                }
            }
            _ => {}
        }
    }

    /// A wait of the call is over.
    fn goes_on(&mut self, call: u32, moment: Moment) {
        let Some(waiting) = self.waiting.get_mut(call as usize) else { return };
        let attempt = std::mem::replace(waiting, NONE);
        if let Some(Attempt { wait: Some(wait), .. }) = self.history.attempts.get_mut(attempt as usize) {
            wait.resumed.get_or_insert(moment);
        }
    }

    /// A breaker refuses without a time to come back, and has let nothing through before: it was isolated before anybody
    /// listened.
    fn was_isolated(&mut self, call: u32) {
        let Some(&Call { host, begun: Some(Moment { at, seq }), .. }) = self.history.calls.get(call as usize)
        else {
            return;
        };
        let is_first = self.history.hosts.get(host as usize).is_some_and(|host| host.provider == NONE);
        if is_first && self.history.controls.iter().all(|&(other, ..)| other != host) {
            let before = Moment { at, seq: seq.saturating_sub(1) };
            self.history.controls.push((host, before, Control::Isolate));
        }
    }

    fn end(&mut self, call: u32, moment: Moment, how: How) {
        if let Some(call) = self.history.calls.get_mut(call as usize) {
            call.end.get_or_insert(End { moment, how });
        }
    }

    fn host(&mut self, policy: &str) -> u32 {
        let (source, policy) = (self.source, self.policies.number(policy));
        let hosts = &mut self.history.hosts;
        *self.hosts.entry((source, policy)).or_insert_with(|| {
            hosts.push(Host {
                source,
                policy,
                settings: Vec::new(),
                provider: NONE,
                seed: 0,
                has_fine_clock: false,
            });
            u32::try_from(hosts.len() - 1).unwrap_or(NONE)
        })
    }

    /// A policy of a name and process that has another seed is another policy.
    fn configure(&mut self, host: u32, moment: Moment, options: Options, seed: u64) {
        let number = self.number_of(options);
        let count = u32::try_from(self.history.hosts.len()).unwrap_or(NONE);
        let Some(found) = self.history.hosts.get_mut(host as usize) else { return };
        if found.settings.is_empty() {
            found.seed = seed;
        } else if found.seed != seed {
            let (source, policy) = (found.source, found.policy);
            let settings = vec![(moment, number)];
            self.history.hosts.push(Host {
                source,
                policy,
                settings,
                provider: NONE,
                seed,
                has_fine_clock: false,
            });
            self.hosts.insert((source, policy), count);
            return;
        }
        if found.settings.last().is_none_or(|&(_, last)| last != number) {
            found.settings.push((moment, number));
        }
    }

    fn own(&mut self, text: &str) -> u32 {
        self.number_of(options::of_call(text))
    }

    fn number_of(&mut self, options: Options) -> u32 {
        let key = (options.json.clone(), options.shared_breaker.clone());
        if let Some(&number) = self.options.get(&key) {
            return number;
        }
        let number = u32::try_from(self.history.options.len()).unwrap_or(NONE);
        self.options.insert(key, number);
        self.history.options.push(options);
        number
    }

    fn call(&mut self, host: u32, id: &str) -> u32 {
        let key = (self.source, Box::from(id));
        if let Some(&found) = self.calls.get(&key) {
            return found;
        }
        let number = u32::try_from(self.history.calls.len()).unwrap_or(NONE);
        self.history.calls.push(Call {
            host,
            id: id.into(),
            begun: None,
            end: None,
            fallback: None,
            is_inner: false,
            is_outer: false,
            own: NONE,
            attempts: (0, 0),
        });
        self.calls.insert(key, number);
        self.last.push(NONE);
        self.waiting.push(NONE);
        number
    }

    fn attempt(&mut self, call: u32, number: u32) -> Option<&mut Attempt> {
        let last = self.last.get_mut(call as usize)?;
        let mut at = *last;
        while at != NONE && self.history.attempts.get(at as usize).is_some_and(|found| found.number != number)
        {
            at = self.before.get(at as usize).copied().unwrap_or(NONE);
        }
        if at == NONE {
            at = u32::try_from(self.history.attempts.len()).unwrap_or(NONE);
            self.before.push(std::mem::replace(last, at));
            let none = Outcome::Open;
            self.history.attempts.push(Attempt {
                call,
                number,
                begun: None,
                ended: None,
                took: 0,
                result: none,
                provider: NONE,
                tokens: 0,
                wait: None,
            });
        }
        self.history.attempts.get_mut(at as usize)
    }

    /// All that the lines said.
    pub(super) fn finish(self) -> Result<History, Misfit> {
        let mut history = self.history;
        if !history.calls.iter().any(|call| call.begun.is_some() && call.end.is_some()) {
            return Err(Misfit {
                path: "log".to_owned(),
                expected: "events of a call from its beginning to its end".to_owned(),
                got: format!("{} lines without one", self.lines),
            });
        }
        history.policies = self.policies.into_list();
        history.providers = self.providers.into_list();
        for host in &mut history.hosts {
            host.has_fine_clock = self.fine_clocks.contains(&host.source);
        }
        for key in &self.parents {
            let found = self.calls.get(key).and_then(|&call| history.calls.get_mut(call as usize));
            found.into_iter().for_each(|call| call.is_outer = true);
        }
        history.attempts.sort_by_key(|attempt| (attempt.call, attempt.number));
        let mut next = 0;
        for (number, call) in history.calls.iter_mut().enumerate() {
            let first = next;
            while history.attempts.get(next).is_some_and(|attempt| attempt.call as usize == number) {
                next += 1;
            }
            call.attempts = (u32::try_from(first).unwrap_or(NONE), u32::try_from(next).unwrap_or(NONE));
        }
        Ok(history)
    }
}

/// Milliseconds since 1970, as microseconds.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in the range of moments")]
pub(super) fn micros(ms: f64) -> u64 {
    libm::round(ms * 1000.0) as u64
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in the range of spans")]
fn whole(ms: f64) -> u64 {
    ms as u64
}

fn tokens(usage: Option<Usage>) -> u32 {
    let sum = usage
        .map_or(0, |usage| usage.input_tokens.unwrap_or(0).saturating_add(usage.output_tokens.unwrap_or(0)));
    u32::try_from(sum).unwrap_or(u32::MAX)
}

fn failure(failed: &AttemptFailed<'_>) -> Failed {
    Failed {
        code: failed.code.code().unwrap_or(Code::Unknown),
        retryable: failed.retryable,
        counted: failed.counted,
        hint: failed.retry_after_ms.map(|ms| whole(libm::ceil(ms))),
        // Whether its policy's timer was it, or a stall of its stream, is seen where the timer's length is known.
        is_cut: matches!(failed.rule.as_str(), "policy.timeout" | "policy.hedge"),
    }
}

/// A time that the policy's clock gave, in the units of wall time.
fn due_of(kind: &Kind<'_>) -> Option<f64> {
    match kind {
        Kind::RetryScheduled(wait) => Some(wait.due_at),
        Kind::CallQueued(queued) => queued.due_at,
        Kind::BreakerChanged(changed) => changed.retry_at,
        _ => None,
    }
}

/// What somebody did to a breaker, if it did not change by itself.
fn control_of(changed: &BreakerChanged<'_>) -> Option<Control> {
    Some(match (changed.from.as_str(), changed.to.as_str()) {
        (_, "isolated") => Control::Isolate,
        ("isolated", _) => Control::LiftIsolation,
        (_, "disabled") => Control::Disable,
        _ if changed.reason.as_str() == "reset by hand" => Control::Reset,
        _ => return None,
    })
}

fn observed(limits: &LimitsObserved<'_>, time: f64) -> Control {
    Control::Limits {
        of_requests: limits.unit.as_str() == "requests",
        remaining: limits.remaining,
        reset: limits.reset_at.map(|at| whole((at - time).max(0.0))),
    }
}
