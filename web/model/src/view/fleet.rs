//! What the Fleet view shows: who reaches the store, how each process sees each shared breaker, the limits that they share and
//! how much of them is used, what providers asked to wait for, and the processes themselves.

use crate::format::{count, countdown, span, times};
use halfopen_store::breaker::{Breaker, State};
use halfopen_store::call::{Attempt, Call};
use halfopen_store::fleet::{Member, Standing};
use halfopen_store::names::Name;
use halfopen_store::order;
use halfopen_store::policy::{PolicyId, SharedLimit, Shares};
use halfopen_store::query::term;
use halfopen_store::scope::{Policies, Scope};
use halfopen_store::store::Log;
use halfopen_store::time::Moment;
use std::cmp::Reverse;

/// Most shared policies and most processes that are shown; the rest is counted.
const MOST_POLICIES: usize = 40;
const MOST_PROCESSES: usize = 100;
/// Most fleets that are shown.
const MOST_FLEETS: usize = 20;
/// Most processes that are named beside a state.
const NAMED: usize = 4;
/// Most calls that are looked at for what is used of a limit.
const MOST_CALLS: usize = 20_000;

/// The view.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overview {
    pub fleets: Vec<Fleet>,
    pub policies: Vec<Shared>,
    pub more_policies: usize,
    pub processes: Vec<Process>,
    pub more_processes: usize,
}

/// One fleet: the number of its processes in each state of access to its store.
#[derive(Clone, Debug, PartialEq)]
pub struct Fleet {
    pub name: String,
    pub joined: usize,
    pub degraded: usize,
    pub left: usize,
}

/// The state that processes share under one policy's name.
#[derive(Clone, Debug, PartialEq)]
pub struct Shared {
    /// Known by its fleet and its name.
    pub key: (Name, Name),
    pub name: String,
    pub fleet: String,
    pub scope: String,
    /// The filter that its calls pass.
    pub filter: String,
    /// How its processes see its breaker, the state that most of them see first; nothing for a policy without one.
    pub states: Vec<Seen>,
    /// `true` if the processes see it differently.
    pub differs: bool,
    pub limits: Vec<LimitUse>,
    /// The fallback of its processes that do not reach the store.
    pub lost: Option<String>,
    /// The wait that a provider requested, unless it is over.
    pub cools: Option<String>,
    /// The processes whose options differ.
    pub mismatch: Option<String>,
}

/// A state of a breaker, and who sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    pub state: State,
    pub processes: usize,
    /// For how long, of the process that has seen it longest.
    pub since: String,
    /// The names of some of them, and how many there are beside them.
    pub names: Vec<String>,
    pub more: usize,
}

/// How much of a shared limit is used, as far as the log has it.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitUse {
    pub words: String,
    pub share: f64,
    /// The window, or "at once"; and the safe share of a process that does not reach the store, if there is one.
    pub over: String,
}

/// One process.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    pub key: Name,
    pub name: String,
    pub host: String,
    pub pid: String,
    pub deployment: String,
    pub version: String,
    /// The filter that its calls pass.
    pub filter: String,
    /// Its state in each of its fleets.
    pub stands: Vec<Stand>,
    /// Its breakers that are not closed.
    pub breakers: Vec<(String, State, String)>,
    /// How long ago it was heard of.
    pub heard: String,
}

/// The state of a process in a fleet.
#[derive(Clone, Debug, PartialEq)]
pub struct Stand {
    pub fleet: String,
    pub standing: Standing,
    /// Since when, in words, with the reason.
    pub says: String,
}

/// The word and the sign of a standing.
pub const fn word(standing: Standing) -> (&'static str, &'static str) {
    match standing {
        Standing::Joined => ("joined", "●"),
        Standing::Degraded => ("store lost", "▲"),
        Standing::Left => ("left", "◌"),
    }
}

/// The moments that the view is about.
#[derive(Clone, Copy)]
struct Times {
    now: Moment,
    /// The end of the selected time: breakers and limits are as they were then.
    seen: Moment,
}

/// The view of a scope's policies and processes at a moment.
pub fn overview(log: &Log, scope: &Scope, now: Moment) -> Overview {
    // A file's last change may be later than the session's clock.
    let now = log.bounds().map_or(now, |bounds| now.max(bounds.1));
    let times = Times { now, seen: scope.span.map_or(now, |span| span.to.min(now)) };
    let policies_of_scope = scope.policies(log);
    let mut policies = shared(log, policies_of_scope.as_ref(), times);
    let more_policies = policies.len().saturating_sub(MOST_POLICIES);
    policies.truncate(MOST_POLICIES);
    let fleets = fleets(log);
    let in_scope = |source| policies_of_scope.as_ref().is_none_or(|all| all.are_of(source));
    let (processes, more_processes) = processes(log, &in_scope, &fleets, times);
    let fleets = fleets.into_iter().filter_map(|fleet| counted(log, &in_scope, fleet)).collect();
    Overview { fleets, policies, more_policies, processes, more_processes }
}

/// The fleets of a log: one or two, whatever the number of processes.
fn fleets(log: &Log) -> Vec<Name> {
    let mut all = Vec::new();
    for member in log.fleets.members() {
        if all.len() < MOST_FLEETS && !all.contains(&member.fleet) {
            all.push(member.fleet);
        }
    }
    order::sort_by(&mut all, |&a, &b| log.names.text(a).cmp(log.names.text(b)));
    all
}

/// A fleet with the number of its processes that are in the scope; `None` if none of them is.
fn counted(log: &Log, in_scope: &dyn Fn(Name) -> bool, fleet: Name) -> Option<Fleet> {
    let members = || log.fleets.members().filter(|one| one.fleet == fleet && in_scope(one.source));
    let stand = |standing| members().filter(|member| member.standing == standing).count();
    members().next()?;
    Some(Fleet {
        name: log.names.text(fleet).to_owned(),
        joined: stand(Standing::Joined),
        degraded: stand(Standing::Degraded),
        left: stand(Standing::Left),
    })
}

/// The fleet of a policy: what its options say, else the first of its process.
fn fleet_of(log: &Log, id: PolicyId, shares: &Shares) -> Name {
    let first = || log.fleets.members().find(|member| member.source == id.source).map(|member| member.fleet);
    if shares.fleet.is_none() { first().unwrap_or_default() } else { shares.fleet }
}

fn shared(log: &Log, in_scope: Option<&Policies>, times: Times) -> Vec<Shared> {
    let sharing = log.sharing().map(|(id, shares)| Sharing { fleet: fleet_of(log, id, shares), id, shares });
    let mut all: Vec<_> = sharing.collect();
    order::sort_by_key(&mut all, Sharing::key);
    // The state is shared: with one of its processes, all of them are in the scope.
    let is_in_scope = |members: &&[Sharing<'_>]| {
        in_scope.is_none_or(|policies| members.iter().any(|one| policies.contains(one.id)))
    };
    let members = all.chunk_by(|a, b| a.key() == b.key()).filter(is_in_scope);
    let mut rows: Vec<_> = members.filter_map(|members| describe(log, members, times)).collect();
    // Rows with an open breaker or a wait come first.
    let is_fine =
        |row: &Shared| row.states.iter().all(|seen| seen.state == State::Closed) && row.cools.is_none();
    order::sort_by(&mut rows, |a, b| (is_fine(a), &a.fleet, &a.name).cmp(&(is_fine(b), &b.fleet, &b.name)));
    rows
}

/// A policy of a process that shares its state.
struct Sharing<'log> {
    fleet: Name,
    id: PolicyId,
    shares: &'log Shares,
}

impl Sharing<'_> {
    /// Shared state has one fleet and one name.
    fn key(&self) -> (Name, Name) {
        (self.fleet, self.id.name)
    }

    /// Its process in the fleet.
    fn member<'log>(&self, log: &'log Log) -> Option<&'log Member> {
        log.fleets.member(self.id.source, self.fleet)
    }

    /// Returns `true` if its process was in the fleet at a moment. One that has not reported a fleet is.
    fn is_in_fleet_at(&self, log: &Log, at: Moment) -> bool {
        self.member(log).is_none_or(|member| member.is_in_fleet_at(at))
    }
}

fn describe(log: &Log, members: &[Sharing<'_>], Times { now, seen: at }: Times) -> Option<Shared> {
    let text = |name| log.names.text(name).to_owned();
    // The newest options hold for all.
    let newest = members.last()?;
    let key = newest.key();
    let states = seen(log, members, at);
    let hint = members
        .iter()
        .filter_map(|member| Some((member.id, log.fleets.hint(member.id)?)))
        .max_by(|a, b| a.1.until.total_cmp(&b.1.until));
    let cools = hint.filter(|(_, hint)| hint.until > now).map(|(id, hint)| {
        let (left, code, process) = (countdown(hint.until - now), text(hint.code), text(id.source));
        format!("{code} at {process}: the provider asked to wait, {left} left")
    });
    let differ: Vec<_> = log
        .fleets
        .members()
        .filter(|member| {
            member.fleet == key.0 && member.mismatches.iter().any(|&of| names_policy(log, of, key.1))
        })
        .map(|member| text(member.source))
        .collect();
    let mismatch = (!differ.is_empty()).then(|| {
        let more = differ.len().saturating_sub(NAMED);
        let named = differ.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!(
            "Processes have different options for this policy, noticed by {named}{more}. The newest options hold."
        )
    });
    let lost_by = |at| {
        let is_lost = |member: &Member| member.is_since(Standing::Degraded, at);
        members.iter().filter(|one| one.member(log).is_some_and(is_lost)).count()
    };
    let lost = lost_by(now);
    // Those that do not reach the store go by the number of processes that they knew last: the log has no better one.
    let sharers = (lost_by(at) > 0).then(|| members.iter().filter(|one| one.is_in_fleet_at(log, at)).count());
    let name = text(key.1);
    Some(Shared {
        key,
        filter: term("policy", std::slice::from_ref(&name)),
        name,
        fleet: text(key.0),
        scope: text(newest.shares.scope),
        differs: states.len() > 1,
        states,
        limits: newest.shares.limits.iter().map(|limit| used(log, members, limit, sharers, at)).collect(),
        lost: (lost > 0).then(|| {
            format!(
                "{} lost the store. Without it, a process goes by its own breaker and by its safe share of each limit, or as its onStoreLost says.",
                processes_in_words(lost)
            )
        }),
        cools,
        mismatch,
    })
}

/// Returns `true` if a resource is a policy's: its key ends in the policy's name, as a part of a URL.
fn names_policy(log: &Log, resource: Name, policy: Name) -> bool {
    let resource = log.names.text(resource);
    resource.rsplit_once("/policy/").is_some_and(|(_, name)| decoded(name) == log.names.text(policy))
}

/// A part of a URL as it was before `encodeURIComponent`.
fn decoded(part: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = part.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let hex = (first == b'%').then(|| after.get(..2)).flatten();
        let byte = hex.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        bytes.push(byte.unwrap_or(first));
        rest = after.get(if byte.is_some() { 2 } else { 0 }..).unwrap_or_default();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// How processes see their breaker at a moment: those that are in the fleet then.
fn seen(log: &Log, members: &[Sharing<'_>], now: Moment) -> Vec<Seen> {
    let mut states: Vec<(State, Moment, Vec<Name>)> = Vec::new();
    for &Sharing { id, .. } in members.iter().filter(|one| one.is_in_fleet_at(log, now)) {
        let Some(breaker) = log.breaker_of(id).and_then(|id| log.breakers.get(id)) else { continue };
        let (state, since) = (breaker.state_at(now), since(breaker, now));
        match states.iter_mut().find(|one| one.0 == state) {
            Some((_, first, names)) => {
                *first = first.min(since);
                names.push(id.source);
            }
            None => states.push((state, since, vec![id.source])),
        }
    }
    order::sort_by_key(&mut states, |one| Reverse(one.2.len()));
    let describe = |(state, since, names): (State, Moment, Vec<Name>)| Seen {
        state,
        processes: names.len(),
        since: span(now - since),
        more: names.len().saturating_sub(NAMED),
        names: names.iter().take(NAMED).map(|&name| log.names.text(name).to_owned()).collect(),
    };
    states.into_iter().map(describe).collect()
}

/// How much of a limit all processes together have used within its window, or use now. `sharers`: how many divide it where one
/// of them does not reach the store.
#[expect(clippy::cast_precision_loss, reason = "counts of a session")]
fn used(
    log: &Log,
    members: &[Sharing<'_>],
    limit: &SharedLimit,
    sharers: Option<usize>,
    now: Moment,
) -> LimitUse {
    let is_member = |id: PolicyId| members.iter().any(|member| member.id == id);
    let from = now - limit.window_ms;
    let mut used = 0_u64;
    if limit.window_ms > 0.0 {
        for (_, call) in
            log.calls_within(from, now).take(MOST_CALLS).filter(|(_, call)| is_member(call.policy_id()))
        {
            for attempt in call.attempts.iter().filter(|attempt| (from..=now).contains(&attempt.started)) {
                let (input, output) = attempt.tokens.unwrap_or_default();
                used += if limit.of_tokens { u64::from(input) + u64::from(output) } else { 1 };
            }
        }
    } else {
        let runs = |attempt: &Attempt| attempt.started <= now && attempt.ended.is_none_or(|end| end > now);
        let calls = log.calls_within(now, now).take(MOST_CALLS);
        // A call of a silent process ends at its last report, but its attempt has no end.
        let goes_on = |call: &Call| call.ended.is_none_or(|end| end > now);
        let calls = calls.filter(|(_, call)| goes_on(call) && is_member(call.policy_id()));
        used = calls.filter(|(_, call)| call.attempts.iter().any(runs)).count() as u64;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates: a count")]
    let whole = limit.limit as u64;
    let over = if limit.window_ms > 0.0 { format!("in {}", span(limit.window_ms)) } else { "at once".into() };
    let unit = if limit.of_tokens { "tokens" } else { "attempts" };
    LimitUse {
        words: format!("{} of {} {unit}", count(used), count(whole)),
        share: if limit.limit > 0.0 { (used as f64 / limit.limit).min(1.0) } else { 0.0 },
        over: match sharers {
            Some(sharers) => format!("{over}, safe share {}", count((whole / sharers.max(1) as u64).max(1))),
            None => over,
        },
    }
}

/// The processes, and how many there are beside those that are shown: those first that lost their store, then the newest heard.
fn processes(
    log: &Log,
    in_scope: &dyn Fn(Name) -> bool,
    fleets: &[Name],
    Times { now, seen: at }: Times,
) -> (Vec<Process>, usize) {
    let members = |source| fleets.iter().filter_map(move |&fleet| log.fleets.member(source, fleet));
    let mut all: Vec<_> = log
        .each_process()
        .filter(|&(source, _)| !source.is_none() && in_scope(source))
        .map(|(source, about)| {
            let worst = members(source).map(|member| member.standing).min();
            (worst.unwrap_or(Standing::Joined), source, about)
        })
        .collect();
    order::sort_by(&mut all, |a, b| a.0.cmp(&b.0).then_with(|| log.names.text(a.1).cmp(log.names.text(b.1))));
    let more = all.len().saturating_sub(MOST_PROCESSES);
    let open: Vec<_> = log.breakers.iter().filter(|breaker| breaker.state_at(at) != State::Closed).collect();
    let rows = all.into_iter().take(MOST_PROCESSES).map(|(_, source, about)| {
        let text = |name| log.names.text(name).to_owned();
        let name = text(source);
        let breakers = open.iter().filter(|breaker| breaker.id.source == source);
        Process {
            key: source,
            filter: term("source", std::slice::from_ref(&name)),
            name,
            host: text(about.host),
            pid: about.pid.map(|pid| pid.to_string()).unwrap_or_default(),
            deployment: text(about.deployment),
            version: text(about.version),
            stands: members(source).map(|member| stand(log, member, now)).collect(),
            breakers: breakers
                .map(|breaker| (text(breaker.id.name), breaker.state_at(at), span(at - since(breaker, at))))
                .collect(),
            heard: log.heard(source).map(|at| format!("{} ago", ago(now - at))).unwrap_or_default(),
        }
    });
    (rows.collect(), more)
}

/// Since when a breaker is as it is at a moment, as far as the log knows.
fn since(breaker: &Breaker, at: Moment) -> Moment {
    breaker.last_change(at).map_or(breaker.seen, |last| last.at)
}

/// A span in whole seconds: it is read by people, and changes four times a second.
fn ago(ms: f64) -> String {
    let seconds = (ms.max(0.0) / 1_000.0).round();
    if seconds < 60.0 { format!("{seconds:.0} s") } else { span(seconds * 1_000.0) }
}

fn stand(log: &Log, member: &Member, now: Moment) -> Stand {
    let mut says = format!("for {}", ago(now - member.since));
    if !member.reason.is_empty() {
        says = format!("{says}: {}", member.reason);
    }
    if member.losses > 0 && member.standing != Standing::Degraded {
        says = format!("{says}; lost it {}", times(u64::from(member.losses)));
    }
    Stand { fleet: log.names.text(member.fleet).to_owned(), standing: member.standing, says }
}

/// How many processes a fleet has, in words.
pub fn summary(fleet: &Fleet) -> String {
    let left = if fleet.left > 0 { format!(", {} left", count(fleet.left as u64)) } else { String::new() };
    format!("{}{left}", processes_in_words(fleet.joined + fleet.degraded))
}

/// `1 process`, `2 processes`.
pub fn processes_in_words(number: usize) -> String {
    format!("{} process{}", count(number as u64), if number == 1 { "" } else { "es" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::stage::Stage;
    use halfopen_store::scope::{Calls, Span};
    use std::sync::Arc;

    const OPTIONS: &str = r#"{"name":"chat","breaker":{"failureThreshold":5},"rateLimit":{"limit":10,"windowMs":60000},"bulkhead":{"maxConcurrent":4},"fleet":{"name":"workers","quotaScope":"org-1/gpt-5","shared":true}}"#;

    /// Three processes of one fleet.
    fn fleet() -> Stage {
        let mut stage = Stage::new();
        for process in ["w1", "w2", "w3"] {
            stage.process(process).started(&format!("host-{process}"), "1.4.0").joins("workers");
            stage.policy("chat", OPTIONS);
        }
        stage
    }

    fn shown(stage: &Stage) -> Overview {
        let log = stage.log();
        overview(&log, &Scope::default(), log.bounds().unwrap().1)
    }

    #[test]
    fn a_log_without_a_fleet_has_its_processes() {
        let mut stage = Stage::new();
        stage.process("w1").started("host-1", "1.4.0").call("chat");
        let overview = shown(&stage);
        assert!(overview.fleets.is_empty() && overview.policies.is_empty());
        let [process] = &overview.processes[..] else { panic!("one process expected") };
        assert_eq!(
            (process.name.as_str(), process.host.as_str(), process.version.as_str()),
            ("w1", "host-1", "1.4.0")
        );
        assert_eq!((process.filter.as_str(), process.stands.len()), ("source:w1", 0));
    }

    #[test]
    fn a_breaker_is_shown_by_who_sees_it_how_and_since_when() {
        let mut stage = fleet();
        stage.process("w1").breaker_until("chat", 60_000.0);
        stage.process("w2").pass(250.0).breaker_until("chat", 60_000.0).pass(5_000.0).call("chat");
        let overview = shown(&stage);
        let [policy] = &overview.policies[..] else { panic!("one policy expected") };
        assert_eq!(
            (policy.name.as_str(), policy.fleet.as_str(), policy.scope.as_str()),
            ("chat", "workers", "org-1/gpt-5")
        );
        assert!(policy.differs);
        let states: Vec<_> = policy.states.iter().map(|one| (one.state, one.names.join(" "))).collect();
        assert_eq!(states, [(State::Open, "w1 w2".to_owned()), (State::Closed, "w3".to_owned())]);
        // As long as the first that saw it.
        assert_eq!(policy.states[0].since, "5.28 s");
    }

    #[test]
    fn a_scope_has_the_policies_and_processes_of_its_calls_as_they_were_at_the_end_of_its_time() {
        let mut stage = fleet();
        let call = stage.process("w1").call("chat");
        stage.breaker("chat", "closed", "open", "null").pass(30_000.0);
        stage.process("w2").call("mail");
        stage.process("w1").breaker("chat", "open", "closed", "null").succeed(call).pass(60_000.0);
        stage.process("w2").call("mail");
        let log = stage.log();
        let (begins, ends) = log.bounds().unwrap();
        let seen = |scope: &Scope| {
            let all = overview(&log, scope, ends);
            let states = all.policies.iter().flat_map(|one| &one.states);
            let states: Vec<_> = states.map(|seen| (seen.state, seen.processes)).collect();
            let limits = all.policies.first().map(|one| one.limits[1].words.clone());
            let names = all.processes.into_iter().map(|one| one.name).collect::<Vec<_>>().join(" ");
            (states, limits, names, all.fleets.iter().map(|fleet| fleet.joined).sum::<usize>())
        };
        let free = Some("0 of 4 attempts".to_owned());
        assert_eq!(seen(&Scope::default()), (vec![(State::Closed, 3)], free, "w1 w2 w3".into(), 3));
        let span = Some(Span { from: begins, to: begins + 10_000.0 });
        let first = Scope { calls: Calls::All.within(&log, span, ends), span, filtered: false };
        let used = Some("1 of 4 attempts".to_owned());
        assert_eq!(seen(&first), (vec![(State::Closed, 2), (State::Open, 1)], used, "w1".into(), 1));
        let mails = log.calls().filter(|(_, call)| log.names.text(call.policy) == "mail");
        let mails = Calls::Only(Arc::new(mails.map(|(number, _)| number).collect()));
        let of_mail = Scope { calls: mails, span: None, filtered: true };
        assert_eq!(seen(&of_mail), (vec![], None, "w2".into(), 1));
    }

    #[test]
    fn the_use_of_a_limit_is_that_of_all_processes() {
        let mut stage = fleet();
        for process in ["w1", "w2", "w3"] {
            stage.process(process);
            let call = stage.call("chat");
            if process != "w3" {
                stage.succeed(call);
            }
        }
        let words = |stage: &Stage| {
            shown(stage).policies[0]
                .limits
                .iter()
                .map(|one| format!("{} {}", one.words, one.over))
                .collect::<Vec<_>>()
        };
        assert_eq!(words(&stage), ["3 of 10 attempts in 1 m 00 s", "1 of 4 attempts at once"]);
        // They are free again after the window.
        stage.pass(61_000.0).policy("other", "{}");
        assert_eq!(words(&stage)[0], "0 of 10 attempts in 1 m 00 s");
    }

    /// The shared policy as at a moment.
    fn policy_at(stage: &Stage, at: Moment) -> Shared {
        let log = stage.log();
        let (begins, ends) = log.bounds().unwrap();
        let span = Some(Span { from: begins, to: at });
        let scope = Scope { calls: Calls::All.within(&log, span, ends), span, filtered: false };
        overview(&log, &scope, ends).policies.remove(0)
    }

    fn now(stage: &Stage) -> Moment {
        stage.log().bounds().unwrap().1
    }

    #[test]
    fn the_use_of_a_limit_at_a_past_time_is_not_that_of_later_attempts() {
        let mut stage = fleet();
        let call = stage.process("w1").call("chat");
        let at = now(&stage);
        stage.fail(call, "SERVER_ERROR", "http.5xx").wait(call, 1_000.0, "backoff").succeed(call);
        assert_eq!(policy_at(&stage, at).limits[0].words, "1 of 10 attempts");
        assert_eq!(shown(&stage).policies[0].limits[0].words, "2 of 10 attempts");
    }

    #[test]
    fn a_call_whose_process_fell_silent_later_ran_before() {
        let mut stage = fleet();
        stage.process("w1").call("chat");
        let at = now(&stage);
        stage.pass(5_000.0).policy("other", "{}");
        stage.process("w2").pass(3_600_000.0).policy("other", "{}");
        assert_eq!(policy_at(&stage, at).limits[1].words, "1 of 4 attempts");
        assert_eq!(shown(&stage).policies[0].limits[1].words, "0 of 4 attempts");
    }

    #[test]
    fn a_past_time_has_the_processes_that_were_in_the_fleet_then() {
        let mut stage = fleet();
        stage.process("w3").loses("workers", "the store did not answer within 50 ms");
        stage.process("w2").call("chat");
        let at = now(&stage);
        stage.process("w1").pass(5_000.0).leaves("workers");
        for later in ["w4", "w5"] {
            stage.process(later).joins("workers").policy("chat", OPTIONS);
        }
        let seen = |policy: &Shared| (policy.states[0].names.join(" "), policy.limits[0].over.clone());
        let safe = |share: u32| format!("in 1 m 00 s, safe share {share}");
        assert_eq!(seen(&policy_at(&stage, at)), ("w1 w2 w3".to_owned(), safe(3)));
        assert_eq!(seen(&shown(&stage).policies[0]), ("w2 w3 w4 w5".to_owned(), safe(2)));
    }

    #[test]
    fn a_limit_has_no_safe_share_before_a_process_lost_its_store() {
        let mut stage = fleet();
        stage.process("w2").call("chat");
        let at = now(&stage);
        stage.process("w3").pass(5_000.0).loses("workers", "the store did not answer within 50 ms");
        assert_eq!(policy_at(&stage, at).limits[0].over, "in 1 m 00 s");
        assert_eq!(shown(&stage).policies[0].limits[0].over, "in 1 m 00 s, safe share 3");
    }

    #[test]
    fn a_process_that_lost_its_store_stands_first_and_says_why() {
        let mut stage = fleet();
        stage.process("w3").loses("workers", "the store did not answer within 50 ms").pass(3_000.0);
        stage.process("w1").call("chat");
        let overview = shown(&stage);
        assert_eq!(overview.fleets, [Fleet { name: "workers".into(), joined: 2, degraded: 1, left: 0 }]);
        assert_eq!(summary(&overview.fleets[0]), "3 processes");
        let first = &overview.processes[0];
        assert_eq!((first.name.as_str(), first.stands[0].standing), ("w3", Standing::Degraded));
        assert_eq!(first.stands[0].says, "for 3 s: the store did not answer within 50 ms");
        // It is back: what happened stays to be read.
        stage.process("w3").joins("workers");
        let last = shown(&stage).processes.into_iter().find(|one| one.name == "w3").unwrap();
        assert_eq!(last.stands[0].says, "for 0 s; lost it once");
    }

    #[test]
    fn a_policy_says_what_its_processes_go_by_without_the_store() {
        let mut stage = fleet();
        assert_eq!(shown(&stage).policies[0].lost, None);
        stage.process("w3").loses("workers", "the store did not answer within 50 ms");
        let policy = shown(&stage).policies.remove(0);
        let lost = policy.lost.unwrap();
        assert!(
            lost.starts_with("1 process lost the store. Without it, a process goes by its own breaker"),
            "{lost}"
        );
        let over: Vec<_> = policy.limits.iter().map(|limit| limit.over.as_str()).collect();
        assert_eq!(over, ["in 1 m 00 s, safe share 3", "at once, safe share 1"]);
        // A process that left takes no share.
        stage.process("w1").leaves("workers");
        assert_eq!(shown(&stage).policies[0].limits[0].over, "in 1 m 00 s, safe share 5");
    }

    #[test]
    fn a_process_that_left_sees_no_breaker_any_more() {
        let mut stage = fleet();
        stage.process("w1").breaker_until("chat", 60_000.0).leaves("workers");
        let overview = shown(&stage);
        assert_eq!((overview.policies[0].states.len(), overview.fleets[0].left), (1, 1));
        assert_eq!(summary(&overview.fleets[0]), "2 processes, 1 left");
    }

    #[test]
    fn a_wait_that_a_provider_requested_is_shown_until_it_is_over() {
        let mut stage = fleet();
        stage.process("w2");
        let call = stage.call("chat");
        stage.fail_with(call, "RATE_LIMITED", "http.429", Some(30_000.0));
        assert_eq!(
            shown(&stage).policies[0].cools.as_deref(),
            Some("RATE_LIMITED at w2: the provider asked to wait, 30.0 s left")
        );
        stage.pass(31_000.0).policy("other", "{}");
        assert_eq!(shown(&stage).policies[0].cools, None);
    }

    #[test]
    fn who_notices_other_options_is_named() {
        let mut stage = fleet();
        stage.process("w1").mismatches("workers", "workers/policy/chat");
        let mismatch = shown(&stage).policies[0].mismatch.clone().unwrap();
        assert!(mismatch.contains("noticed by w1."), "{mismatch}");
        assert_eq!(decoded("my%20policy%2F%C3%A9%"), "my policy/é%");
    }

    #[test]
    fn a_policy_whose_event_does_not_name_its_fleet_is_of_its_processs_first() {
        let mut stage = Stage::new();
        stage.process("w1").joins("workers").policy("chat", r#"{"fleet":"shared"}"#);
        assert_eq!(shown(&stage).policies[0].fleet, "workers");
    }

    /// Otherwise the view would be redrawn four times a second.
    #[test]
    fn the_same_log_shows_the_same() {
        let stage = fleet();
        let log = stage.log();
        let now = log.bounds().unwrap().1;
        assert!(overview(&log, &Scope::default(), now) == overview(&log, &Scope::default(), now));
    }
}
