//! The messages of the lab's worker, and the results of a comparison so far.

use super::json::Json;

/// A mean over many seeds, and between which values 95 % of the runs lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    pub mean: f64,
    pub low: f64,
    pub high: f64,
}

impl Band {
    /// Those of an object, by its keys.
    fn read_all(bands: &Json) -> Vec<(String, Self)> {
        let number = |json: &Json, key: &str| json.get(key).and_then(Json::number).unwrap_or(0.0);
        let band = |json: &Json| Self {
            mean: number(json, "mean"),
            low: number(json, "low"),
            high: number(json, "high"),
        };
        bands.fields().iter().map(|(key, json)| (key.clone(), band(json))).collect()
    }
}

/// The longest pause of the provider that a policy survives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Survives {
    /// Not known yet.
    Unknown,
    /// In milliseconds.
    UpTo(f64),
    /// All that were tried.
    All,
}

/// One number an interval, by its name in `halfopen/lab`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series(Vec<(String, Vec<f64>)>);

impl Series {
    /// The series of that name; empty if it is missing.
    pub fn get(&self, name: &str) -> &[f64] {
        self.0.iter().find(|(key, _)| key == name).map_or(&[], |(_, values)| values)
    }

    /// The value of an interval, 0 without one.
    pub fn at(&self, name: &str, interval: usize) -> f64 {
        self.get(name).get(interval).copied().unwrap_or(0.0)
    }
}

/// The results of one policy.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyOutcome {
    pub name: String,
    pub totals: Json,
    pub series: Series,
    /// How many breakers there are.
    pub breakers: f64,
    pub survives: Survives,
    /// By the path of the total.
    pub bands: Vec<(String, Band)>,
}

impl PolicyOutcome {
    /// A total, by its path.
    pub fn total(&self, path: &str) -> f64 {
        self.totals.at(&super::json::path(path)).and_then(Json::number).unwrap_or(0.0)
    }

    pub fn band(&self, path: &str) -> Option<Band> {
        self.bands.iter().find(|(key, _)| key == path).map(|(_, band)| *band)
    }
}

/// The results of a comparison so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The scenario and policies that ran.
    pub scenario: Json,
    pub interval_ms: f64,
    /// In the order of the scenario, as far as they have run.
    pub policies: Vec<PolicyOutcome>,
    pub hangs_on: Option<HangsOn>,
}

/// What the difference in success between two policies hangs on: by how much a tenth more or less of an input, by its path,
/// moves it; the largest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HangsOn {
    pub between: Vec<String>,
    pub inputs: Vec<(String, f64)>,
}

impl Outcome {
    pub const fn of(scenario: Json) -> Self {
        Self { scenario, interval_ms: 1000.0, policies: Vec::new(), hangs_on: None }
    }

    pub fn duration_ms(&self) -> f64 {
        self.scenario.get("durationMs").and_then(Json::number).unwrap_or(0.0)
    }

    /// How many intervals there are.
    pub fn intervals(&self) -> usize {
        self.policies.iter().map(|policy| policy.series.get("offered").len()).max().unwrap_or(0)
    }

    /// Takes what the worker has sent.
    pub fn take(&mut self, news: News) {
        match news {
            News::Ran(policy, interval_ms) => {
                self.interval_ms = interval_ms;
                self.policies.push(policy);
            }
            News::Survives(name, survives) => {
                self.with(&name, |policy| policy.survives = survives);
            }
            News::Bands(name, bands) => {
                self.with(&name, |policy| policy.bands = bands);
            }
            News::HangsOn(hangs_on) => self.hangs_on = Some(hangs_on),
            News::Report(_) | News::Progress(..) | News::Done | News::Failed(_) => {}
        }
    }

    fn with(&mut self, name: &str, act: impl FnOnce(&mut PolicyOutcome)) {
        if let Some(policy) = self.policies.iter_mut().find(|policy| policy.name == name) {
            act(policy);
        }
    }

    /// Faults: what, from when to when, in milliseconds.
    pub fn faults(&self) -> Vec<(String, f64, f64)> {
        let faults = self.scenario.get("faults").map_or(&[][..], Json::items);
        let number = |fault: &Json, key| fault.get(key).and_then(Json::number).unwrap_or(0.0);
        faults
            .iter()
            .map(|fault| {
                let (at, span) = (number(fault, "atMs"), number(fault, "forMs"));
                (fault_name(fault), at, at + span)
            })
            .collect()
    }
}

/// The name of a fault, in a word or two.
pub fn fault_name(fault: &Json) -> String {
    let text = |key| fault.get(key).and_then(Json::text).unwrap_or_default();
    let factor = fault.get("factor").and_then(Json::number).unwrap_or(1.0);
    match text("kind") {
        "errors" => text("code").to_owned(),
        "slow" => format!("{factor}× slower"),
        "capacity" => format!("{:.0} % of its servers", factor * 100.0),
        "load" => format!("{factor}× the load"),
        "blackhole" => "black hole".to_owned(),
        kind => kind.to_owned(),
    }
}

/// The result of a replay of the log or an exploration of options: sentences, and a row for each policy (`pkg/src/lab/worker/report.ts`).
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    pub is_replay: bool,
    pub says: Vec<String>,
    pub rows: Vec<Row>,
}

/// A policy, and what it comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub outcome: PolicyOutcome,
    /// The text below its name.
    pub note: String,
    /// `true` if it keeps to the limits, if there are any.
    pub meets: Option<bool>,
    pub options: Option<Json>,
    /// Texts about single calls.
    pub calls: Vec<String>,
}

impl Report {
    fn read(message: &Json) -> Option<Self> {
        let is_replay = message.get("report")?.text()? == "replay";
        let texts = |json: Option<&Json>| -> Vec<String> {
            json.map_or(&[][..], Json::items).iter().filter_map(Json::text).map(str::to_owned).collect()
        };
        let row = |json: &Json| {
            let text = |key| json.get(key).and_then(Json::text).unwrap_or_default().to_owned();
            Some(Row {
                outcome: PolicyOutcome {
                    name: text("policy"),
                    totals: json.get("totals")?.clone(),
                    series: Series::default(),
                    breakers: 0.0,
                    survives: Survives::Unknown,
                    bands: json.get("bands").map(Band::read_all).unwrap_or_default(),
                },
                note: text("note"),
                meets: json.get("meets").map(|meets| *meets == Json::Bool(true)),
                options: json.get("options").cloned(),
                calls: texts(json.get("calls")),
            })
        };
        let rows = message.get("rows")?.items().iter().filter_map(row).collect();
        Some(Self { is_replay, says: texts(message.get("says")), rows })
    }
}

/// A message of the worker (`pkg/src/lab/worker/messages.ts`).
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// The task, in words, and its progress.
    Progress(&'static str, f64),
    /// A policy's run, and the length of an interval.
    Ran(PolicyOutcome, f64),
    Survives(String, Survives),
    Bands(String, Vec<(String, Band)>),
    HangsOn(HangsOn),
    /// The result of a replay or an exploration.
    Report(Report),
    Done,
    /// It could not run; or it was cancelled.
    Failed(String),
}

/// The task: its name in messages, and in words.
const STAGES: [(&str, &str); 6] = [
    ("runs", "Running every policy"),
    ("pauses", "Finding the longest pause that each survives"),
    ("seeds", "Repeating with 30 seeds"),
    ("inputs", "Changing each input by a tenth"),
    ("replays", "Replaying the log"),
    ("grid", "Running every combination"),
];

/// The measurements of a real run, from the lines that the server answers.
pub fn measured(lines: &str) -> Vec<PolicyOutcome> {
    let policies = lines.lines().filter_map(read).filter_map(|(_, news)| match news {
        News::Ran(policy, _) => Some(policy),
        _ => None,
    });
    policies.collect()
}

/// Reads a message: which question it answers, and what it says.
pub fn read(message: &str) -> Option<(f64, News)> {
    let message = Json::parse(message).ok()?;
    let id = message.get("id")?.number()?;
    let name = || message.get("policy").and_then(Json::text).unwrap_or_default().to_owned();
    let number = |json: &Json, key: &str| json.get(key).and_then(Json::number).unwrap_or(0.0);
    let news = if let Some(error) = message.get("error") {
        News::Failed(error.text().unwrap_or_default().to_owned())
    } else if message.get("done").is_some() {
        News::Done
    } else if let Some(stage) = message.get("stage").and_then(Json::text) {
        let (_, stage) = STAGES.into_iter().find(|(name, _)| *name == stage)?;
        News::Progress(stage, number(&message, "share"))
    } else if let Some(survives) = message.get("survivesMs") {
        News::Survives(name(), survives.number().map_or(Survives::All, Survives::UpTo))
    } else if let Some(bands) = message.get("bands") {
        News::Bands(name(), Band::read_all(bands))
    } else if message.get("report").is_some() {
        News::Report(Report::read(&message)?)
    } else if let Some(inputs) = message.get("inputs") {
        let input = |json: &Json| Some((json.get("path")?.text()?.to_owned(), number(json, "effect")));
        let between = message.get("between").map_or(&[][..], Json::items);
        News::HangsOn(HangsOn {
            between: between.iter().filter_map(Json::text).map(str::to_owned).collect(),
            inputs: inputs.items().iter().filter_map(input).collect(),
        })
    } else {
        let series = message.get("charted")?.fields().iter();
        let numbers = |json: &Json| json.items().iter().filter_map(Json::number).collect();
        let policy = PolicyOutcome {
            name: name(),
            totals: message.get("totals")?.clone(),
            series: Series(series.map(|(key, json)| (key.clone(), numbers(json))).collect()),
            breakers: number(&message, "breakers"),
            survives: Survives::Unknown,
            bands: Vec::new(),
        };
        News::Ran(policy, number(&message, "intervalMs"))
    };
    Some((id, news))
}

#[cfg(test)]
pub(super) mod stage {
    use super::*;

    /// A policy whose goodput and load are given, one number a second.
    pub(crate) fn policy(name: &str, succeeded: &[f64], attempts: &[f64]) -> PolicyOutcome {
        let list = |values: &[f64]| Json::List(values.iter().copied().map(Json::Number).collect()).compact();
        let zeros = list(&vec![0.0; succeeded.len()]);
        let text = format!(
            r#"{{"id":1,"policy":"{name}","totals":{{"successRate":0.5,"amplification":2,"userMs":{{"p95":1500}}}},"intervalMs":1000,"breakers":1,
            "charted":{{"offered":{o},"attempts":{a},"succeeded":{s},"failed":{z},"rejected":{z},"inFlight":{z},"queued":{z},"waiting":{z},"userP95Ms":{z},"open":{z},"halfOpen":{z}}}}}"#,
            o = list(&vec![7.0; succeeded.len()]),
            a = list(attempts),
            s = list(succeeded),
            z = zeros,
        );
        match read(&text) {
            Some((_, News::Ran(policy, _))) => policy,
            other => panic!("expected a policy, got {other:?}"),
        }
    }

    /// An outcome of 100 s with a pause from 30 to 31 s: one policy recovers, one does not.
    pub(crate) fn outcome() -> Outcome {
        let scenario =
            r#"{"version":1,"durationMs":100000,"faults":[{"kind":"pause","atMs":30000,"forMs":1000}]}"#;
        let mut outcome = Outcome::of(Json::parse(scenario).unwrap());
        let goodput = |end: f64| {
            (0..100)
                .map(|at| {
                    if at < 30 {
                        7.0
                    } else if at < 35 {
                        0.0
                    } else {
                        end
                    }
                })
                .collect::<Vec<_>>()
        };
        let load: Vec<_> = (0..100).map(|at| if at < 30 { 7.0 } else { 70.0 }).collect();
        outcome.take(News::Ran(policy("bad", &goodput(0.0), &load), 1000.0));
        outcome.take(News::Ran(policy("good", &goodput(7.0), &vec![7.0; 100]), 1000.0));
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_and_kept_by_policy() {
        let mut outcome = stage::outcome();
        assert_eq!((outcome.intervals(), outcome.duration_ms()), (100, 100_000.0));
        assert_eq!(outcome.policies[0].total("userMs.p95"), 1500.0);
        let (id, news) = read(r#"{"id":7,"policy":"bad","survivesMs":400}"#).unwrap();
        assert_eq!(id, 7.0);
        outcome.take(news);
        outcome.take(read(r#"{"id":7,"policy":"good","survivesMs":null}"#).unwrap().1);
        let survive: Vec<_> = outcome.policies.iter().map(|policy| policy.survives).collect();
        assert_eq!(survive, [Survives::UpTo(400.0), Survives::All]);
        let bands = r#"{"id":7,"policy":"bad","bands":{"successRate":{"mean":0.5,"low":0.4,"high":0.6}}}"#;
        outcome.take(read(bands).unwrap().1);
        assert_eq!(outcome.policies[0].band("successRate").unwrap().low, 0.4);
        assert_eq!(outcome.faults(), [("pause".to_owned(), 30_000.0, 31_000.0)]);
        assert_eq!(
            read(r#"{"id":1,"error":"durationMs: expected more"}"#).unwrap().1,
            News::Failed("durationMs: expected more".into())
        );
        assert!(read("no JSON").is_none());
    }
}
