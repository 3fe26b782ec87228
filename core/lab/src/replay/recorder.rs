//! Records the content of a log: one row of numbers for each event. The reader of its lines numbers the processes'
//! policies, calls and providers, from 0.

use super::recorded::{Attempt, Call, Control, End, Failed, History, Host, How, Moment, NONE, Outcome, Wait};
use super::rows::{call_ended, failed, row, row_control};
use halfopen::code::Code;
use halfopen::policy::{Layer, Why, seed_from_f64, whole};

/// The number of numbers in a row: the kind, the call or the host, milliseconds since 1970, the number of the event within its
/// process, and the numbers of the kind.
pub const ROW: usize = 10;

/// Takes down a log.
#[derive(Debug, Default)]
pub struct Recorder {
    pub(super) history: History,
}

impl Recorder {
    /// Takes down rows, one after the other.
    pub fn rows(&mut self, rows: &[f64]) {
        for row in rows.chunks_exact(ROW) {
            if let Ok(row) = row.try_into() {
                self.row(row);
            }
        }
    }

    fn row(&mut self, row: &[f64; ROW]) {
        let &[kind, subject, time, seq, a, b, c, d, e, f] = row;
        let subject = whole(subject);
        let moment = Moment { at: micros(time), seq: millis(seq) };
        let kind = whole(kind);
        match kind {
            row::HOST => {
                self.history.policies = self.history.policies.max(whole(d).saturating_add(1));
                self.history.hosts.push(Host {
                    seed: seed_from_f64(a),
                    policy: whole(d),
                    is_replaced: b > 0.0,
                    shared_breaker: index(c),
                    has_fine_clock: false,
                    settings: Vec::new(),
                    provider: NONE,
                });
            }
            row::SETTINGS => {
                if let Some(host) = self.history.hosts.get_mut(subject as usize) {
                    host.settings.push((moment, whole(a)));
                }
            }
            row::FINE_CLOCK => {
                if let Some(host) = self.history.hosts.get_mut(subject as usize) {
                    host.has_fine_clock = true;
                }
            }
            row::CONTROL => self.history.controls.push((subject, moment, control(a, b, c))),
            _ => self.of_call(kind, subject, moment, [a, b, c, d, e, f]),
        }
        if kind > row::SETTINGS && kind < row::OUTER {
            let (from, to) = self.history.span.unwrap_or((moment.at, moment.at));
            self.history.span = Some((from.min(moment.at), to.max(moment.at)));
        }
    }

    /// Records an event of a call. The parts of a log may be missing or repeated, so the first beginning and end count, and an
    /// event of an unknown call creates it.
    fn of_call(&mut self, kind: u32, number: u32, moment: Moment, [a, b, c, d, e, f]: [f64; 6]) {
        while self.history.calls.len() <= number as usize && number < NONE {
            self.history.calls.push(Call {
                host: NONE,
                settings: 0,
                has_own: false,
                begun: None,
                end: None,
                fallback: None,
                is_inner: false,
                is_outer: false,
                last: NONE,
                waiting: NONE,
            });
        }
        let Some(call) = self.history.calls.get_mut(number as usize) else { return };
        match kind {
            row::CALL_STARTED => {
                call.begun.get_or_insert(moment);
                (call.host, call.settings) = (whole(a), whole(b));
                (call.has_own, call.is_inner) = (c > 0.0, d > 0.0);
            }
            row::OUTER => call.is_outer = true,
            row::FALLBACK => call.fallback = Some((moment, a > 0.0)),
            row::CALL_QUEUED => self.goes_on(number, moment),
            row::ATTEMPT_STARTED => {
                self.goes_on(number, moment);
                self.history.providers = self.history.providers.max(whole(b).saturating_add(1));
                self.names_provider(number, whole(b));
                if let Some(attempt) = self.attempt(number, whole(a)) {
                    attempt.begun.get_or_insert(moment);
                    attempt.provider = whole(b);
                }
            }
            row::ATTEMPT_SUCCEEDED | row::ATTEMPT_FAILED => {
                if let Some(attempt) = self.attempt(number, whole(a)) {
                    attempt.ended = Some(moment);
                    attempt.took = millis(b);
                    attempt.tokens = attempt.tokens.saturating_add(whole(c));
                    attempt.result = if kind == row::ATTEMPT_SUCCEEDED {
                        Outcome::Succeeded
                    } else {
                        Outcome::Failed(failure(d, whole(e), f))
                    };
                }
            }
            row::TOKENS_BESIDE => {
                let last = call.last;
                let attempt = if whole(a) > 0 {
                    self.attempt(number, whole(a))
                } else {
                    self.history.attempts.get_mut(last as usize)
                };
                if let Some(attempt) = attempt {
                    attempt.tokens = attempt.tokens.saturating_add(whole(b));
                }
            }
            row::RETRY_SCHEDULED => {
                if let Some(attempt) = self.attempt(number, whole(a).saturating_sub(1).max(1)) {
                    attempt.wait = Some(Wait { delay: millis(b), is_backoff: c > 0.0, resumed: None });
                }
                if let Some(call) = self.history.calls.get_mut(number as usize) {
                    call.waiting = call.last;
                }
            }
            row::CALL_ENDED => {
                let how = how(whole(a), whole(b), whole(c));
                if matches!(how, How::Rejected { .. }) {
                    self.goes_on(number, moment);
                }
                if let Some(call) = self.history.calls.get_mut(number as usize) {
                    call.end.get_or_insert(End { moment, how });
                }
            }
            _ => {}
        }
    }

    /// Ends a wait of the call.
    fn goes_on(&mut self, call: u32, moment: Moment) {
        let Some(call) = self.history.calls.get_mut(call as usize) else { return };
        let waiting = std::mem::replace(&mut call.waiting, NONE);
        if let Some(Attempt { wait: Some(wait), .. }) = self.history.attempts.get_mut(waiting as usize) {
            wait.resumed.get_or_insert(moment);
        }
    }

    fn names_provider(&mut self, call: u32, provider: u32) {
        let host = self.history.calls.get(call as usize).map_or(NONE, |call| call.host);
        if let Some(host) = self.history.hosts.get_mut(host as usize)
            && host.provider == NONE
        {
            host.provider = provider;
        }
    }

    fn attempt(&mut self, call: u32, number: u32) -> Option<&mut Attempt> {
        let call = self.history.calls.get_mut(call as usize)?;
        let mut at = call.last;
        while let Some(found) = self.history.attempts.get(at as usize)
            && found.number != number
        {
            at = found.before;
        }
        if at == NONE {
            at = u32::try_from(self.history.attempts.len()).unwrap_or(NONE);
            self.history.attempts.push(Attempt {
                number,
                before: std::mem::replace(&mut call.last, at),
                begun: None,
                ended: None,
                took: 0,
                result: Outcome::Open,
                provider: NONE,
                tokens: 0,
                wait: None,
            });
        }
        self.history.attempts.get_mut(at as usize)
    }
}

/// Returns milliseconds as microseconds.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates, NaN is 0")]
pub(super) fn micros(ms: f64) -> u64 {
    libm::round(ms * 1000.0) as u64
}

/// Returns whole milliseconds. A fraction is rounded up, because a wait is never cut short.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates, NaN is 0")]
fn millis(ms: f64) -> u64 {
    libm::ceil(ms) as u64
}

/// Returns a number as an index; `NONE` for a negative one.
fn index(number: f64) -> u32 {
    if number < 0.0 { NONE } else { whole(number) }
}

fn code(number: f64) -> Code {
    u8::try_from(whole(number)).ok().and_then(Code::from_index).unwrap_or(Code::Unknown)
}

fn failure(number: f64, flags: u32, hint: f64) -> Failed {
    Failed {
        code: code(number),
        retryable: flags & failed::RETRYABLE != 0,
        counted: flags & failed::COUNTED != 0,
        hint: (!hint.is_nan()).then(|| millis(hint)),
        // The policy's timer or a stall of its stream: that is decided where the timer's length is known.
        is_cut: flags & failed::BY_POLICY != 0,
    }
}

fn how(how: u32, what: u32, why: u32) -> How {
    match how {
        call_ended::SUCCEEDED => How::Succeeded,
        call_ended::CLOSED => How::Closed,
        call_ended::FAILED => {
            let why = u8::try_from(why).ok().and_then(Why::from_index).unwrap_or(Why::NotRetryable);
            How::Failed { code: code(f64::from(what)), why }
        }
        _ => How::Rejected {
            by: match what {
                0 => Layer::Breaker,
                1 => Layer::Bulkhead,
                3 => Layer::Adaptive,
                _ => Layer::RateLimit,
            },
        },
    }
}

fn control(what: f64, remaining: f64, reset: f64) -> Control {
    match whole(what) {
        row_control::ISOLATED => Control::Isolate,
        row_control::LIFTED => Control::LiftIsolation,
        row_control::DISABLED => Control::Disable,
        row_control::RESET => Control::Reset,
        limit => Control::Limits {
            of_requests: limit == row_control::REQUESTS,
            remaining,
            reset: (!reset.is_nan()).then(|| millis(reset)),
        },
    }
}
