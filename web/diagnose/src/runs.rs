//! Runs of agents, as the page's Runs view has them.

use crate::instant::iso;
use crate::shown::object;
use halfopen_model::view::runs::{self, End, Opened, Part};
use halfopen_store::numbers::RunNumber;
use halfopen_store::run::Run;
use halfopen_store::store::Log;
use halfopen_store::time::Moment;
use serde_json::{Value, json};

/// Most runs in one answer.
const MOST: usize = 200;

pub(crate) fn list(log: &Log, skip: usize, most: Option<usize>, now: Moment) -> Value {
    let total = log.runs.iter().len();
    let most = most.map_or(MOST, |most| most.clamp(1, MOST));
    let rows: Vec<_> = log.runs.iter().rev().skip(skip).take(most).map(|run| row(log, run, now)).collect();
    let next = skip.saturating_add(rows.len());
    json!({ "total": total, "runs": rows, "next": (next < total).then_some(next) })
}

fn row(log: &Log, run: &Run, now: Moment) -> Value {
    let runs::Row { title, second, end, steps, tools, tokens, cost, duration, .. } = runs::row(log, run, now);
    json!({
        "id": run.id,
        "title": title,
        "of": second,
        "end": end_of(&end),
        "at": iso(run.started),
        "steps": steps,
        "tools": tools,
        "tokens": tokens,
        "cost": cost,
        "took": duration,
    })
}

fn end_of(end: &End) -> String {
    if end.code.is_empty() { end.word.to_owned() } else { format!("{}: {}", end.word, end.code) }
}

pub(crate) fn run(log: &Log, id: &str, now: Moment) -> Result<Value, String> {
    let found = log.runs.iter().rev().find(|run| &*run.id == id);
    let opened = found.and_then(|run| runs::opened(log, run.number, now));
    let Opened { title, facts, said, parent, children, timeline, calls, more, .. } =
        opened.ok_or_else(|| format!("the log has no run '{id}'"))?;
    let name = |(number, title): &(RunNumber, String)| json!({ "id": log.runs.get(*number).map(|run| &run.id), "title": title });
    let part = |part: &Part| {
        let Part { class, text, repeated, helped, .. } = part;
        json!({ "kind": class, "text": text, "repeated": repeated, "helped": helped })
    };
    let step = |step: &runs::Step| json!({ "step": step.number, "parts": step.parts.iter().map(part).collect::<Vec<_>>() });
    let call = |call: &runs::ModelCall| json!({ "id": log.call(call.number).map(|call| &call.id), "says": call.says });
    let facts = facts.into_iter().map(|(name, value)| (name.to_owned(), Value::from(value)));
    Ok(json!({
        "id": id,
        "title": title,
        "facts": object(facts),
        "userMessage": said,
        "parent": parent.as_ref().map(name),
        "children": children.iter().map(name).collect::<Vec<_>>(),
        "timeline": timeline.iter().map(step).collect::<Vec<_>>(),
        "calls": calls.iter().map(call).collect::<Vec<_>>(),
        "more": more,
    }))
}
