//! The Traffic view: a row for each policy, provider and model, process or function of the calls in the scope.

use super::health::{Axis, bars};
use super::prices::{Prices, Spent, Tokens};
use super::sums::{Sums, named};
use crate::format::countdown;
use halfopen_store::breaker::{BreakerId, State};
use halfopen_store::call::{Attempt, Call, Outcome, Wait};
use halfopen_store::names::Name;
use halfopen_store::order;
use halfopen_store::provider::Limits;
use halfopen_store::scope::Calls;
use halfopen_store::store::Log;
use halfopen_store::time::Moment;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};

/// Most rows that are shown, and most that are summed up.
const MOST: usize = 100;
const MOST_SUMMED: usize = 1_000;
/// Most codes of a row.
const CODES: usize = 5;
/// The states of breakers, the worst first.
const STATES: [State; 6] =
    [State::Open, State::Isolated, State::HalfOpen, State::Unknown, State::Closed, State::Disabled];
/// The parts of a trend.
const PARTS: usize = 30;

/// The calls of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    #[default]
    Provider,
    Policy,
    Operation,
    Process,
}

impl By {
    pub const ALL: [Self; 4] = [Self::Provider, Self::Policy, Self::Operation, Self::Process];

    pub fn from_word(word: &str) -> Self {
        Self::ALL.into_iter().find(|by| by.word() == word).unwrap_or_default()
    }

    /// The key of the filter for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Provider => "provider",
            Self::Policy => "policy",
            Self::Operation => "operation",
            Self::Process => "source",
        }
    }

    pub const fn heading(self) -> &'static str {
        match self {
            Self::Provider => "Provider and model",
            Self::Policy => "Policy",
            Self::Operation => "Tool or function",
            Self::Process => "Process",
        }
    }

    /// The things that are counted: a call may go to several providers.
    pub const fn counts(self) -> &'static str {
        match self {
            Self::Provider => "Attempts",
            _ => "Calls",
        }
    }

    /// The row of a call and, for a policy, its process: two processes may have one of one name.
    fn of(self, call: &Call) -> Key {
        match self {
            Self::Provider | Self::Policy => (call.policy, call.source),
            Self::Operation => (call.operation, Name::NONE),
            Self::Process => (call.source, Name::NONE),
        }
    }
}

/// A row is of a name, and of a second one that distinguishes it.
pub type Key = (Name, Name);

/// The columns that order the rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Column {
    Name,
    #[default]
    Calls,
    Errors,
    Retries,
    P50,
    P95,
    Waited,
    Tokens,
    Lost,
    Cost,
}

/// The order of the rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    pub column: Column,
    /// `true` for the smallest first.
    pub ascending: bool,
}

impl Order {
    /// The order after a click on a column's heading: by it, or the other way round.
    pub fn clicked(self, column: Column) -> Self {
        let ascending = if self.column == column { !self.ascending } else { column == Column::Name };
        Self { column, ascending }
    }
}

/// A provider's report of a limit: its unit, what is left, the limit, and when it resets.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    pub unit: String,
    pub left: f64,
    pub limit: f64,
    pub resets: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub key: Key,
    pub name: String,
    /// The model, or the process where another one has a policy of that name.
    pub second: String,
    /// The filter that its calls pass.
    pub filter: String,
    pub sums: Sums,
    /// How many go on.
    pub open: u64,
    /// Calls a part of time and those of them that failed, as SVG paths in a box of [`PARTS`] × 100.
    pub trend: (String, String),
    /// The most frequent codes of failed attempts, and how many there are beside them.
    pub codes: Vec<(String, u64)>,
    pub more_codes: usize,
    /// Milliseconds that its calls waited to try again or for a place.
    pub waited_ms: f64,
    pub spent: Spent,
    /// The states of its breakers, the worst first, and how many are in each.
    pub breakers: Vec<(State, u64)>,
    pub limits: Vec<Limit>,
}

/// The contents of the view.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    pub rows: Vec<Row>,
    /// Rows that are not shown.
    pub more: usize,
    /// Calls or attempts of rows that are not summed up.
    pub beyond: u64,
    pub priced: bool,
}

/// The width of a trend's box.
pub const WIDTH: usize = PARTS;

/// The sums of a row in the making.
#[derive(Default)]
struct Group {
    sums: Sums,
    open: u64,
    trend: Vec<(u32, u32)>,
    codes: BTreeMap<Name, u64>,
    waited_ms: f64,
    /// By model: all tokens, and those of failed attempts.
    tokens: BTreeMap<Name, (Tokens, Tokens)>,
    policies: BTreeSet<(Name, Name)>,
}

impl Group {
    fn note(&mut self, part: usize, failed: bool) {
        self.trend.resize(PARTS, (0, 0));
        if let Some(counts) = self.trend.get_mut(part) {
            counts.0 += 1;
            counts.1 += u32::from(failed);
        }
    }

    fn take(&mut self, attempt: &Attempt) {
        if attempt.outcome == Outcome::Failed {
            *self.codes.entry(attempt.code).or_default() += 1;
        }
        let Some((input, output)) = attempt.tokens else { return };
        let (all, lost) = self.tokens.entry(attempt.model).or_default();
        let add = |sum: &mut Tokens| *sum = (sum.0 + u64::from(input), sum.1 + u64::from(output));
        add(all);
        if attempt.outcome == Outcome::Failed {
            add(lost);
        }
    }

    fn call(&mut self, call: &Call, axis: &Axis) {
        self.policies.insert((call.source, call.policy));
        let errors = self.sums.errors();
        self.sums.add(call);
        match call.ended {
            Some(ended) => self.note(axis.part(ended, PARTS), self.sums.errors() > errors),
            None => self.open += 1,
        }
        self.waited_ms += call.waits.iter().filter_map(Wait::lasted_ms).sum::<f64>();
        call.attempts.iter().for_each(|attempt| self.take(attempt));
    }

    fn attempt(&mut self, call: &Call, attempt: &Attempt, axis: &Axis) {
        self.policies.insert((call.source, call.policy));
        self.sums.add_attempt(attempt);
        match attempt.ended {
            Some(ended) => self.note(axis.part(ended, PARTS), attempt.outcome == Outcome::Failed),
            None => self.open += u64::from(call.status.is_open()),
        }
        self.take(attempt);
    }
}

/// The table of the calls.
pub fn table(log: &Log, calls: &Calls, by: By, order: Order, prices: &Prices, now: Moment) -> Table {
    let now = log.bounds().map_or(now, |bounds| now.max(bounds.1));
    let axis = Axis::of(log, now);
    let (mut groups, mut beyond) = (BTreeMap::<Key, Group>::new(), 0);
    let mut with = |key: Key, add: &dyn Fn(&mut Group)| {
        if groups.len() < MOST_SUMMED || groups.contains_key(&key) {
            add(groups.entry(key).or_default());
        } else {
            beyond += 1;
        }
    };
    for (_, call) in calls.iter(log) {
        if by == By::Provider {
            for attempt in &call.attempts {
                with((attempt.provider, attempt.model), &|group| group.attempt(call, attempt, &axis));
            }
        } else {
            with(by.of(call), &|group| group.call(call, &axis));
        }
    }
    let mut names = BTreeMap::<Name, u32>::new();
    groups.keys().for_each(|key| *names.entry(key.0).or_default() += 1);
    let shared = |name| names.get(&name).is_some_and(|&count| count > 1);
    let row = |(key, group): (Key, Group)| describe(log, key, group, by, shared(key.0), prices, now);
    let mut rows: Vec<_> = groups.into_iter().map(row).collect();
    order::sort_by(&mut rows, |a, b| {
        let of = compare(a, b, order.column);
        let of = if order.ascending { of } else { of.reverse() };
        of.then_with(|| (&a.name, &a.second).cmp(&(&b.name, &b.second)))
    });
    let more = rows.len().saturating_sub(MOST);
    rows.truncate(MOST);
    Table { rows, more, beyond, priced: !prices.is_empty() }
}

fn compare(a: &Row, b: &Row, column: Column) -> Ordering {
    // A number that is not known is the smallest.
    let by = |of: &dyn Fn(&Row) -> Option<f64>| {
        let of = |row| of(row).unwrap_or(f64::NEG_INFINITY);
        of(a).total_cmp(&of(b))
    };
    let sum = |tokens: Tokens| tokens.0 + tokens.1;
    match column {
        Column::Name => a.name.cmp(&b.name),
        Column::Calls => (a.sums.calls() + a.open).cmp(&(b.sums.calls() + b.open)),
        Column::Errors => by(&|row| row.sums.error_share()),
        Column::Retries => by(&|row| row.sums.retries_a_call()),
        Column::P50 => by(&|row| row.sums.quantile(0.5)),
        Column::P95 => by(&|row| row.sums.quantile(0.95)),
        Column::Waited => a.waited_ms.total_cmp(&b.waited_ms),
        Column::Tokens => sum(a.spent.tokens).cmp(&sum(b.spent.tokens)),
        Column::Lost => sum(a.spent.lost).cmp(&sum(b.spent.lost)),
        Column::Cost => by(&|row| row.spent.cost.map(|cost| cost.0)),
    }
}

/// The name of a row, the second line of it, and its filter.
fn headed(log: &Log, (first, second): Key, by: By, is_shared: bool) -> (String, String, String) {
    let text = |name: Name| log.names.text(name).to_owned();
    let (name, filter) = named(log, by.word(), first);
    let with = |key| format!("{filter} {}", named(log, key, second).1);
    match by {
        By::Provider => (name, text(second), with("model")),
        By::Policy if is_shared => (name, text(second), with("source")),
        By::Policy | By::Operation => (name, String::new(), filter),
        By::Process => {
            let about = log.about(first);
            let about = [about.host, about.deployment, about.version].map(text);
            (name, about.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" · "), filter)
        }
    }
}

fn describe(log: &Log, key: Key, group: Group, by: By, is_shared: bool, prices: &Prices, now: Moment) -> Row {
    let text = |name| log.names.text(name).to_owned();
    let (name, second, filter) = headed(log, key, by, is_shared);
    let mut codes: Vec<_> = group.codes.iter().map(|(&code, &count)| (text(code), count)).collect();
    order::sort_by_key(&mut codes, |code| Reverse(code.1));
    let more_codes = codes.len().saturating_sub(CODES);
    codes.truncate(CODES);
    let mut spent = Spent::default();
    for (&model, &(all, lost)) in &group.tokens {
        spent.add(log.names.text(model), all, lost, prices);
    }
    let policies =
        group.policies.iter().map(|&(source, name)| halfopen_store::policy::PolicyId { source, name });
    let breakers: BTreeSet<BreakerId> = policies.filter_map(|policy| log.breaker_of(policy)).collect();
    let states: Vec<_> =
        breakers.into_iter().filter_map(|id| log.breakers.get(id)).map(|one| one.state_at(now)).collect();
    let reported = log.providers.limits(key.0, key.1).filter(|_| by == By::Provider);
    Row {
        key,
        name,
        second,
        filter,
        trend: trend(&group.trend),
        sums: group.sums,
        open: group.open,
        codes,
        more_codes,
        waited_ms: group.waited_ms,
        spent,
        breakers: STATES
            .into_iter()
            .map(|state| (state, states.iter().filter(|&&one| one == state).count() as u64))
            .filter(|state| state.1 > 0)
            .collect(),
        limits: reported.map(|reported| limits(log, reported, now)).unwrap_or_default(),
    }
}

fn trend(parts: &[(u32, u32)]) -> (String, String) {
    let most = f64::from(parts.iter().map(|part| part.0).max().unwrap_or(0).max(1));
    let share = |count: u32| (0.0, f64::from(count) / most);
    (bars(parts.iter().map(|part| share(part.0))), bars(parts.iter().map(|part| share(part.1))))
}

/// The limits of a provider's last response.
fn limits(log: &Log, reported: &Limits, now: Moment) -> Vec<Limit> {
    let limit = |(&unit, limit): (&Name, &halfopen_store::provider::Limit)| {
        let reset = limit.reset_at.filter(|&at| at > now);
        Limit {
            unit: log.names.text(unit).to_owned(),
            left: limit.remaining,
            limit: limit.limit,
            resets: reset.map(|at| format!("resets in {}", countdown(at - now))).unwrap_or_default(),
        }
    };
    reported.iter().map(limit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::stage::Stage;
    use halfopen_store::query::Query;

    const USAGE: &str = r#","usage":{"inputTokens":1000000,"outputTokens":500000}"#;

    fn of(log: &Log, by: By) -> Table {
        table(log, &Calls::All, by, Order::default(), &Prices::default(), Moment::default())
    }

    /// Three calls of `chat`: one answers at once, one after a retry, one fails. A call of `search` goes on.
    fn log() -> Log {
        let mut stage = Stage::new();
        let call = stage.call("chat");
        stage.succeed_with(call, USAGE);
        let call = stage.call("chat");
        stage.fail(call, "TIMEOUT", "r").wait(call, 400.0, "backoff").succeed(call);
        let call = stage.call("chat");
        stage.fail_with_more(call, "TIMEOUT", USAGE).give_up(call, "TIMEOUT", "exhausted");
        stage.call("search");
        stage.log()
    }

    /// The ids of the calls that a row's filter shows.
    fn shown(log: &Log, row: &Row) -> Vec<String> {
        let filter = Query::parse(&row.filter).unwrap().prepare(&log.names);
        let passing = log.calls().filter(|(_, call)| filter.passes(log, call, Moment::LAST));
        passing.map(|(_, call)| call.id.to_string()).collect()
    }

    #[test]
    fn a_policys_calls_are_one_row_with_those_that_go_on() {
        let table = of(&log(), By::Policy);
        let [chat, search] = &table.rows[..] else { panic!("two rows expected: {table:?}") };
        assert_eq!((chat.name.as_str(), chat.second.as_str(), search.name.as_str()), ("chat", "", "search"));
        assert_eq!((chat.sums.calls(), chat.sums.errors(), chat.sums.retries, chat.open), (3, 1, 1, 0));
        assert_eq!((search.sums.calls(), search.open), (0, 1));
        assert_eq!(chat.codes, [("TIMEOUT".to_owned(), 2)]);
        assert!((chat.waited_ms - 400.0).abs() < 20.0, "{}", chat.waited_ms);
    }

    #[test]
    fn of_a_provider_and_model_each_attempt_counts() {
        let table = of(&log(), By::Provider);
        let [row] = &table.rows[..] else { panic!("one row expected: {table:?}") };
        assert_eq!((row.name.as_str(), row.second.as_str()), ("openai", "gpt-5"));
        assert_eq!((row.sums.calls(), row.sums.errors(), row.open), (4, 2, 1));
    }

    #[test]
    fn tokens_of_failed_attempts_cost_what_the_prices_say() {
        let log = log();
        let free = of(&log, By::Policy);
        assert_eq!(
            (free.rows[0].spent.tokens, free.rows[0].spent.lost),
            ((2_000_000, 1_000_000), (1_000_000, 500_000))
        );
        assert_eq!(
            (free.rows[0].spent.cost, free.rows[0].spent.unpriced.as_slice()),
            (None, &["gpt-5".to_owned()][..])
        );
        let prices = Prices::parse("gpt-5* 1 10");
        let priced = table(&log, &Calls::All, By::Policy, Order::default(), &prices, Moment::default());
        assert_eq!(priced.rows[0].spent.cost, Some((12.0, 6.0)));
        assert!(priced.rows[0].spent.unpriced.is_empty() && priced.priced);
    }

    #[test]
    fn a_rows_calls_are_those_that_its_filter_shows() {
        let mut stage = Stage::new();
        for (policy, provider, model) in [
            ("chat", "openai", "gpt-5"),
            ("chat", "openai", "gpt-5-mini"),
            ("chat", r#"my \"own\" provider"#, ""),
            ("search", "", ""),
        ] {
            stage.call_of(policy, provider, model);
        }
        let log = stage.log();
        let rows = of(&log, By::Provider).rows;
        let all: Vec<_> =
            rows.iter().map(|row| (row.name.as_str(), row.second.as_str(), shown(&log, row))).collect();
        let calls = |id: &str| vec![id.to_owned()];
        assert_eq!(
            all,
            [
                ("(no provider)", "", calls("c3")),
                ("my \"own\" provider", "", calls("c2")),
                ("openai", "gpt-5", calls("c0")),
                ("openai", "gpt-5-mini", calls("c1")),
            ]
        );
        assert!(of(&log, By::Policy).rows.iter().all(|row| !shown(&log, row).is_empty()));
    }

    #[test]
    fn two_processes_with_one_policy_are_two_rows_and_each_is_a_row_of_its_own() {
        let mut stage = Stage::new();
        for process in ["one", "two"] {
            stage.process(process).started("a-host", "1.4.0");
            let call = stage.call("chat");
            stage.succeed(call);
        }
        let log = stage.log();
        for (by, second) in [(By::Policy, ["one", "two"]), (By::Process, ["a-host · eu · 1.4.0"; 2])] {
            let rows = of(&log, by).rows;
            assert_eq!(rows.iter().map(|row| row.second.as_str()).collect::<Vec<_>>(), second);
            assert!(rows.iter().all(|row| shown(&log, row).len() == 1));
        }
    }

    #[test]
    fn rows_stand_in_the_order_of_a_column_and_a_second_click_turns_it() {
        let log = log();
        let names = |order: Order| {
            let table = table(&log, &Calls::All, By::Policy, order, &Prices::default(), Moment::default());
            table.rows.into_iter().map(|row| row.name).collect::<Vec<_>>()
        };
        let by_name = Order::default().clicked(Column::Name);
        assert_eq!(names(by_name), ["chat", "search"]);
        assert_eq!(names(by_name.clicked(Column::Name)), ["search", "chat"]);
        let by_errors = by_name.clicked(Column::Errors);
        assert!(!by_errors.ascending);
        assert_eq!(names(by_errors), ["chat", "search"]);
        assert_eq!(names(by_errors.clicked(Column::Errors)), ["search", "chat"]);
    }

    /// Of three at most that were shown, none might have been the open one.
    #[test]
    fn a_row_counts_its_breakers_by_state_the_worst_first() {
        let mut stage = Stage::new();
        for number in 0..5 {
            let policy = format!("policy {number}");
            let call = stage.call(&policy);
            stage.succeed(call).breaker(&policy, "closed", "open", "null");
            if number < 4 {
                stage.breaker(&policy, "open", "closed", "null");
            }
        }
        let table = of(&stage.log(), By::Provider);
        assert_eq!(table.rows[0].breakers, [(State::Open, 1), (State::Closed, 4)]);
    }

    #[test]
    fn rows_and_codes_beyond_the_most_are_counted() {
        let mut stage = Stage::new();
        for number in 0..MOST + 3 {
            let call = stage.call(&format!("policy {number}"));
            stage.succeed(call);
        }
        let call = stage.call("chat");
        for number in 0..CODES + 2 {
            stage.fail(call, &format!("CODE_{number}"), "r").wait(call, 1.0, "backoff");
        }
        let log = stage.log();
        assert_eq!((of(&log, By::Policy).rows.len(), of(&log, By::Policy).more), (MOST, 4));
        assert_eq!(of(&log, By::Provider).rows[0].more_codes, 2);
    }

    #[test]
    fn a_limit_of_the_providers_last_response_is_on_its_row() {
        let mut stage = Stage::new();
        stage.call("chat");
        let more = r#""policy":"chat","provider":"openai","model":"gpt-5","unit":"requests","limit":60,"remaining":4"#;
        stage.event("limits.observed", more);
        let rows = of(&stage.log(), By::Provider).rows;
        assert_eq!(rows[0].limits.len(), 1, "{rows:?}");
    }

    /// Else the view would be drawn four times a second.
    #[test]
    fn the_same_log_shows_the_same() {
        let log = log();
        assert!(of(&log, By::Provider) == of(&log, By::Provider));
    }
}
