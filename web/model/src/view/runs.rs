//! The contents of the Runs view: one row for each run of an agent, and of the open one its effects, its steps, its tool calls,
//! its advice and its calls.

use super::failure::LONGEST;
use super::words;
use crate::check::unknown_effects::SHORT_KEY;
use crate::format::{count, cut, span, times};
use halfopen_log::{Event, Kind};
use halfopen_store::call::Call;
use halfopen_store::effects::{Act, Outcome};
use halfopen_store::names::Name;
use halfopen_store::numbers::{CallNumber, RunNumber};
use halfopen_store::order;
use halfopen_store::run::{Because, Run, RunPart, ToolOutcome};
use halfopen_store::scope::Scope;
use halfopen_store::store::Log;
use halfopen_store::time::Moment;

/// Most rows, steps and calls that are shown; the rest is counted.
const MOST: usize = 200;

/// A run in the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub number: RunNumber,
    /// Its task, else its name; and its name and process.
    pub title: String,
    pub second: String,
    pub end: End,
    pub steps: String,
    pub tools: String,
    pub tokens: String,
    pub cost: String,
    pub duration: String,
}

/// The end of a run, or that it goes on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct End {
    pub word: &'static str,
    pub sign: &'static str,
    /// The code of the error that stopped it.
    pub code: String,
}

/// The runs, the newest first, and how many more there are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    pub rows: Vec<Row>,
    pub more: usize,
}

/// One run, opened.
#[derive(Clone, Debug, PartialEq)]
pub struct Opened {
    pub number: RunNumber,
    pub source: Name,
    pub id: String,
    /// It has not ended.
    pub is_open: bool,
    pub title: String,
    pub facts: Vec<(&'static str, String)>,
    /// The message for the user at its end.
    pub said: String,
    pub parent: Option<(RunNumber, String)>,
    pub children: Vec<(RunNumber, String)>,
    /// Its acts that happen once, those of unknown outcome first.
    pub effects: Vec<Effect>,
    pub timeline: Vec<Step>,
    pub calls: Vec<ModelCall>,
    /// Steps, calls and effects that are not shown.
    pub more: usize,
}

/// An act that happens once.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// `unknown`, `unguarded`, `claimed`, `not-happened`, `happened`.
    pub class: &'static str,
    pub sign: &'static str,
    pub name: String,
    /// Its outcome, when the log said so, and its attempts.
    pub says: String,
    /// The beginning of its hashed key, by which a person settles it.
    pub key: String,
}

/// A step of the model, with its tool calls, warnings and advice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// Its number; 0 for the parts before the first step.
    pub number: u32,
    pub parts: Vec<Part>,
}

/// A tool call, a warning or advice.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// `done`, `failed`, `refused`, `warned`, `advised`.
    pub class: &'static str,
    pub sign: &'static str,
    pub text: String,
    /// The number of times that the outcome has come in a row, from the second on.
    pub repeated: String,
    /// `helped` or `did not help`; empty if the log does not say.
    pub helped: &'static str,
}

/// A call of one of its models.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelCall {
    pub number: CallNumber,
    pub sign: &'static str,
    pub title: String,
    pub says: String,
}

/// The table of a scope's runs.
pub fn table(log: &Log, scope: &Scope, now: Moment) -> Table {
    let runs = scope.runs(log, now);
    let rows = runs.iter().rev().take(MOST).map(|run| row(log, run, now)).collect();
    Table { rows, more: runs.len().saturating_sub(MOST) }
}

/// The row of a run; one that goes on has lasted until `now`.
pub fn row(log: &Log, run: &Run, now: Moment) -> Row {
    let text = |name| log.names.text(name);
    let name = if run.task.is_none() { "" } else { text(run.name) };
    let second: Vec<_> = [name, text(run.source)].into_iter().filter(|part| !part.is_empty()).collect();
    Row {
        number: run.number,
        title: title(log, run),
        second: second.join(" · "),
        end: end(log, run),
        steps: count(run.steps.into()),
        tools: if run.refused == 0 {
            count(run.tools.into())
        } else {
            format!("{} + {} refused", count(run.tools.into()), count(run.refused.into()))
        },
        tokens: tokens(run),
        cost: cost(run),
        duration: span(run.ended.unwrap_or(now.max(run.started)) - run.started),
    }
}

fn title(log: &Log, run: &Run) -> String {
    let title = log.names.text(run.title());
    if title.is_empty() { cut(&run.id, 40) } else { cut(title, 120) }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts of tokens")]
fn tokens(run: &Run) -> String {
    let (input, output) = (run.spent.input_tokens as u64, run.spent.output_tokens as u64);
    if input + output == 0 { "–".into() } else { format!("{} / {}", count(input), count(output)) }
}

fn cost(run: &Run) -> String {
    match run.spent.cost {
        cost if cost >= 1.0 => format!("{cost:.2}"),
        cost if cost > 0.0 => format!("{cost:.4}"),
        _ => "–".into(),
    }
}

fn end(log: &Log, run: &Run) -> End {
    let (word, sign) = match (run.ended, log.names.text(run.end)) {
        (None, _) => ("running", "▸"),
        (_, "completed") => ("completed", "✓"),
        (_, "stopped") => ("stopped", "⊘"),
        (_, "cancelled") => ("cancelled", "−"),
        _ => ("failed", "✕"),
    };
    End { word, sign, code: log.names.text(run.code).to_owned() }
}

/// The run of that number, opened.
pub fn opened(log: &Log, number: RunNumber, now: Moment) -> Option<Opened> {
    let run = log.runs.get(number)?;
    let Row { title, second, end, steps, tools, tokens, cost, duration, .. } = row(log, run, now);
    let facts = [
        ("Run", second),
        (
            "Ended",
            if end.code.is_empty() { end.word.to_owned() } else { format!("{}: {}", end.word, end.code) },
        ),
        ("Limits", limits(run).to_owned()),
        ("Steps", steps),
        ("Tool calls", tools),
        ("Tokens in / out", tokens),
        ("Cost", cost),
        ("Took", duration),
        ("Id", cut(&run.id, 80)),
    ];
    let named = |run: &Run| (run.number, self::title(log, run));
    let mut timeline = timeline(log, run);
    let unseen = timeline.len().saturating_sub(MOST);
    timeline.drain(..unseen);
    let calls = run.calls.iter().rev().take(MOST).rev();
    let calls: Vec<_> = calls.filter_map(|&call| Some(model_call(log, call, log.call(call)?, now))).collect();
    Some(Opened {
        number,
        source: run.source,
        id: (*run.id).to_owned(),
        is_open: run.ended.is_none(),
        title,
        facts: facts.into_iter().filter(|fact| !fact.1.is_empty()).collect(),
        said: said(log, run),
        parent: run.parent.and_then(|parent| log.runs.get(parent)).map(named),
        children: log.runs.iter().filter(|child| child.parent == Some(number)).map(named).collect(),
        more: unseen + run.calls.len().saturating_sub(MOST) + run.unkept as usize,
        effects: effects(run),
        timeline,
        calls,
    })
}

fn effects(run: &Run) -> Vec<Effect> {
    let mut all: Vec<_> = run.acts.iter().collect();
    order::sort_by(&mut all, |a, b| {
        let known = |act: &Act| act.outcome != Outcome::Unknown;
        known(a.1).cmp(&known(b.1)).then(a.1.at.ms().total_cmp(&b.1.at.ms())).then(a.0.cmp(b.0))
    });
    all.into_iter().map(|(key, act)| effect(run, key, act)).collect()
}

fn effect(run: &Run, key: &str, act: &Act) -> Effect {
    let (class, sign, words) = match act.outcome {
        Outcome::Unknown => ("unknown", "?", "not known whether it happened"),
        Outcome::Unguarded => ("unguarded", "⚠", "carried out without the ledger"),
        Outcome::Claimed => ("claimed", "▸", "begun"),
        Outcome::NotHappened => ("not-happened", "−", "did not happen"),
        Outcome::Happened => ("happened", "✓", "happened"),
        Outcome::Reused => ("happened", "✓", "had happened before: its result was used"),
    };
    let mut says = format!("{words} · {} after the beginning", span((act.at - run.started).max(0.0)));
    if act.attempts > 1 {
        says = format!("{says} · {} attempts", count(act.attempts.into()));
    }
    Effect { class, sign, name: cut(&act.name, 80), says, key: key.chars().take(SHORT_KEY).collect() }
}

const fn limits(run: &Run) -> &'static str {
    match run.limited {
        Some(true) => "set",
        Some(false) => "none",
        None => "",
    }
}

fn said(log: &Log, run: &Run) -> String {
    let line = run.ended_by.map_or("", |number| log.line(number));
    match Event::parse(line) {
        Ok(Event { kind: Kind::RunEnded(ended), .. }) => {
            ended.user_message.map_or_else(String::new, |said| cut(said.as_str(), LONGEST))
        }
        _ => String::new(),
    }
}

fn model_call(log: &Log, number: CallNumber, call: &Call, now: Moment) -> ModelCall {
    ModelCall {
        number,
        sign: call.status.sign(),
        title: words::names(log, call).0,
        says: words::call(log, call, now),
    }
}

fn timeline(log: &Log, run: &Run) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for (index, (_, part)) in run.parts.iter().enumerate() {
        if let RunPart::Step(number) = *part {
            steps.push(Step { number, parts: Vec::new() });
            continue;
        }
        if steps.is_empty() {
            steps.push(Step::default());
        }
        if let Some(step) = steps.last_mut() {
            step.parts.push(describe(log, run, index, part));
        }
    }
    steps
}

fn describe(log: &Log, run: &Run, index: usize, part: &RunPart) -> Part {
    let text = |name| log.names.text(name);
    let plain = |class, sign, text| Part { class, sign, text, repeated: String::new(), helped: "" };
    match *part {
        RunPart::Step(number) => plain("step", "", number.to_string()),
        RunPart::Tool { tool, outcome, code, repeated, duration_ms } => {
            let (class, sign) = match outcome {
                ToolOutcome::Succeeded => ("done", "✓"),
                ToolOutcome::Failed => ("failed", "✕"),
                ToolOutcome::Refused => ("refused", "⊘"),
            };
            let refused = if outcome == ToolOutcome::Refused { "refused" } else { "" };
            let took = duration_ms.map_or_else(String::new, span);
            let parts = [text(tool), text(code), refused, &took];
            let says: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            let repeated = if repeated > 1 { format!("×{repeated}") } else { String::new() };
            Part { repeated, ..plain(class, sign, says.join(" · ")) }
        }
        RunPart::Warned { limit, max, spent } => {
            plain("warned", "⚠", format!("{} of {} {} spent", number(spent), number(max), unit(text(limit))))
        }
        RunPart::Advised { advice, because } => {
            let says = format!("{}: {}", text(advice), reason(log, because));
            Part { helped: helped(log, run, index, because), ..plain("advised", "↷", says) }
        }
    }
}

/// The unit of a limit, in words.
fn unit(limit: &str) -> &str {
    match limit {
        "toolCalls" => "tool calls",
        "ms" => "milliseconds",
        other => other,
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts")]
fn number(value: f64) -> String {
    if value.fract() == 0.0 && value >= 0.0 { count(value as u64) } else { format!("{value:.2}") }
}

/// The reason of advice, in words.
pub(crate) fn reason(log: &Log, because: Because) -> String {
    let text = |name| log.names.text(name);
    if text(because.kind) == "limit" {
        return format!("{} {} spent", number(because.count), unit(text(because.which)));
    }
    let tool = if because.tool.is_none() { "it".to_owned() } else { format!("'{}'", text(because.tool)) };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
    let often = times(because.count as u64);
    match text(because.which) {
        "repeats" => format!("{tool} came to the same {often}"),
        "failures" => format!("{tool} failed in the same way {often}"),
        "cycles" => format!("the same steps came {often}"),
        "nothing" => format!("{tool} found nothing {often}"),
        "stale" => format!("nothing new in {} steps", number(because.count)),
        "texts" => format!("the model said the same {often}"),
        other => format!("{other} {often}"),
    }
}

/// Returns if advice helped: yes if a tool then came to something new, no if the same loop led to more advice.
fn helped(log: &Log, run: &Run, index: usize, because: Because) -> &'static str {
    if log.names.text(because.kind) != "loop" {
        return "";
    }
    let mut after = run.parts.iter().skip(index + 1).map(|part| part.1);
    let next = after.find_map(|part| match part {
        RunPart::Advised { because: next, .. }
            if next.which == because.which && next.tool == because.tool =>
        {
            Some("did not help")
        }
        RunPart::Tool { outcome: ToolOutcome::Succeeded, repeated: 1, .. } => Some("helped"),
        _ => None,
    });
    // Neither has come yet.
    next.unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::stage::Stage;
    use halfopen_store::scope::{Calls, Span};
    use std::sync::Arc;

    /// A run that searches for the same again and again; the advice helps in the end, or does not.
    fn searched(helps: bool) -> Log {
        let mut stage = Stage::new();
        stage.run("r", r#","task":"find a flight","limits":{"steps":9}"#);
        stage.step("r", 1).tool("r", "search", "ok", 1).step("r", 2).tool("r", "search", "ok", 2);
        stage.step("r", 3).tool("r", "search", "ok", 3).advised("r", "steer", "repeats", "search", 3);
        stage.step("r", 4);
        if helps {
            stage.tool("r", "book", "ok", 1).run_ended("r", "completed", "");
        } else {
            stage.tool("r", "search", "refused", 4).advised("r", "conclude", "repeats", "search", 4);
            stage.run_ended("r", "stopped", "MAX_ITERATIONS_EXCEEDED");
        }
        let call = stage.call_with("chat", r#","run":"r""#);
        stage.succeed(call);
        stage.log()
    }

    fn open(log: &Log) -> Opened {
        opened(log, RunNumber(0), Moment::from_ms(0.0)).unwrap()
    }

    #[test]
    fn a_row_says_what_a_run_did_and_how_it_ended() {
        let log = searched(false);
        let Table { rows, more } = table(&log, &Scope::default(), Moment::from_ms(0.0));
        assert_eq!((rows.len(), more), (1, 0));
        assert_eq!((rows[0].title.as_str(), rows[0].second.as_str()), ("find a flight", "run · s"));
        assert_eq!((rows[0].end.word, rows[0].end.code.as_str()), ("stopped", "MAX_ITERATIONS_EXCEEDED"));
        assert_eq!([&rows[0].steps, &rows[0].tools], ["4", "3 + 1 refused"]);
        assert_eq!([&rows[0].tokens, &rows[0].cost], ["1\u{202f}200 / 30", "0.0420"]);
        assert_eq!(
            table(&searched(true), &Scope::default(), Moment::from_ms(0.0)).rows[0].end.word,
            "completed"
        );
    }

    #[test]
    fn the_timeline_has_the_tools_by_step_with_their_repeats_and_the_advice_where_it_was_given() {
        let steps = open(&searched(false)).timeline;
        assert_eq!(steps.iter().map(|step| step.number).collect::<Vec<_>>(), [1, 2, 3, 4]);
        let third: Vec<_> = steps[2]
            .parts
            .iter()
            .map(|part| (part.class, part.text.as_str(), part.repeated.as_str()))
            .collect();
        assert_eq!(
            third,
            [("done", "search · 5 ms", "×3"), ("advised", "steer: 'search' came to the same 3 times", "")]
        );
        assert_eq!((steps[3].parts[0].class, steps[3].parts[0].repeated.as_str()), ("refused", "×4"));
    }

    #[test]
    fn advice_helped_where_something_new_came_and_did_not_where_more_followed() {
        for (helps, says) in [(true, "helped"), (false, "did not help")] {
            let steps = open(&searched(helps)).timeline;
            assert_eq!(steps[2].parts[1].helped, says, "{helps}");
        }
    }

    #[test]
    fn the_effects_of_a_run_have_those_of_unknown_outcome_first() {
        let mut stage = Stage::new();
        let act = |run: &str, key: &str| format!(r#"{run}"name":"refund","key":"{key}0123456789abcdef""#);
        let own = |key: &str| act(r#""run":"r","#, key);
        stage.run("r", r#","limits":{}"#);
        stage.event("effect.claimed", &format!(r#"{},"attempt":1"#, own("aaaa")));
        stage
            .event("effect.done", &format!(r#"{},"attempt":1"#, own("aaaa")))
            .event("effect.reused", &own("aaaa"));
        stage.event("effect.claimed", &format!(r#"{},"attempt":2"#, own("bbbb")));
        stage.event("effect.unknown", &own("bbbb")).event("effect.reused", &own("cccc"));
        stage.event("effect.unguarded", &own("dddd")).event("effect.unknown", &act("", "eeee"));
        let says = |log: &Log| {
            let effects = open(log).effects;
            effects.into_iter().map(|one| (one.class, one.key, one.says)).collect::<Vec<_>>()
        };
        let seen = |class, key: &str, says: &str| (class, format!("{key}01234567"), says.to_owned());
        let happened = seen("happened", "aaaa", "happened · 20 ms after the beginning");
        let reused =
            seen("happened", "cccc", "had happened before: its result was used · 60 ms after the beginning");
        let unguarded =
            seen("unguarded", "dddd", "carried out without the ledger · 70 ms after the beginning");
        let unknown =
            seen("unknown", "bbbb", "not known whether it happened · 50 ms after the beginning · 2 attempts");
        assert_eq!(says(&stage.log()), [unknown, happened.clone(), reused.clone(), unguarded.clone()]);
        // A person settles it from the command line: the event names no run.
        stage.event("effect.settled", &format!(r#"{},"happened":false"#, act("", "bbbb")));
        let settled = seen("not-happened", "bbbb", "did not happen · 90 ms after the beginning · 2 attempts");
        assert_eq!(says(&stage.log()), [happened, reused, unguarded, settled]);
    }

    #[test]
    fn an_open_run_has_its_calls_its_message_and_its_relatives() {
        let run = open(&searched(false));
        assert_eq!(run.said, "It was stopped.");
        assert_eq!((run.calls.len(), run.calls[0].sign), (1, "✓"));
        let mut stage = Stage::new();
        stage.run("r", r#","limits":{}"#).run("c", r#","parentRun":"r","limits":{}"#);
        let log = stage.log();
        assert_eq!(open(&log).children, [(RunNumber(1), "run".to_owned())]);
        let child = opened(&log, RunNumber(1), Moment::from_ms(0.0)).unwrap();
        assert_eq!(child.parent, Some((RunNumber(0), "run".to_owned())));
        assert!(opened(&log, RunNumber(7), Moment::from_ms(0.0)).is_none());
    }

    #[test]
    fn the_table_has_the_runs_of_a_scope() {
        let mut stage = Stage::new();
        for run in ["first", "second"] {
            stage.run(run, "");
            let call = stage.call_with("chat", &format!(r#","run":"{run}""#));
            stage.succeed(call).run_ended(run, "completed", "").pass(10_000.0);
        }
        let log = stage.log();
        let (begins, ends) = log.bounds().unwrap();
        let ids = |scope: &Scope| {
            let rows = table(&log, scope, ends).rows.into_iter();
            rows.map(|row| log.runs.get(row.number).unwrap().id.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(ids(&Scope::default()), ["second", "first"], "the newest first");
        let span = Some(Span { from: begins, to: begins + 5_000.0 });
        assert_eq!(
            ids(&Scope { calls: Calls::All.within(&log, span, ends), span, filtered: false }),
            ["first"]
        );
        let last = log.calls().last().map(|(number, _)| number).unwrap();
        let of_call = Scope { calls: Calls::Only(Arc::new(vec![last])), span: None, filtered: true };
        assert_eq!(ids(&of_call), ["second"]);
    }
}
