//! A setting to change: what it is now, as far as the log has it, what to make it, and the code that does.

use crate::format::cut;
use halfopen_log::{Json, Shallow, quoted};
use halfopen_store::policy::PolicyId;
use halfopen_store::store::Log;
use std::fmt::Write;

/// A setting that asks for another value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its path in the policy's options.
    pub path: &'static str,
    /// Its present value; `None` if the log does not have the policy's options.
    pub now: Option<String>,
    pub to: String,
}

/// The change that a check proposes: the path, the default if the options do not set it, and the new value.
pub(super) struct Wish(pub(super) &'static str, pub(super) &'static str, pub(super) String);

/// The settings to change, and the code.
#[derive(Default, PartialEq)]
pub(super) struct Advice {
    pub(super) settings: Vec<Setting>,
    pub(super) code: String,
}

/// The options of a policy, as far as the log has them.
pub(super) struct Options<'a>(Option<Json<'a>>);

impl<'a> Options<'a> {
    pub(super) fn of(log: &'a Log, policy: PolicyId) -> Self {
        Self(log.options_of(policy))
    }

    fn at(&self, path: &str) -> Option<Shallow<'_>> {
        let path: Vec<_> = path.split('.').collect();
        self.0.as_ref()?.at(&path)
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.at(path).is_some()
    }

    pub(super) fn is_off(&self, path: &str) -> bool {
        self.at(path) == Some(Shallow::Flag(false))
    }

    pub(super) fn has_budget(&self) -> bool {
        self.has("retry.budget") && !self.is_off("retry.budget")
    }

    pub(super) fn is_text(&self, path: &str, text: &str) -> bool {
        self.at(path).is_some_and(|part| part.is_text(text))
    }

    pub(super) fn number(&self, path: &str) -> Option<f64> {
        self.at(path)?.as_f64()
    }

    fn now(&self, path: &str, default: &str) -> Option<String> {
        self.0.as_ref()?;
        Some(match self.at(path) {
            None if default.is_empty() => "not set".into(),
            None => format!("{default} (default)"),
            Some(Shallow::Text(text)) if text.as_str() == "function" => "a function".into(),
            // Infinity and NaN are no JSON: events have their names.
            Some(Shallow::Text(text)) if matches!(text.as_str(), "Infinity" | "NaN") => text.as_str().into(),
            Some(Shallow::Text(text)) => format!("'{}'", cut(text.as_str(), 80)),
            Some(Shallow::Number(number)) => literal(number),
            Some(other) => cut(&other.to_string(), 80),
        })
    }

    /// Returns the changes as code, without those that are made already. `note` is written below, in the code.
    pub(super) fn advise(&self, log: &Log, policy: PolicyId, wishes: Vec<Wish>, note: &str) -> Advice {
        let settings = wishes.into_iter().filter_map(|Wish(path, default, to)| {
            let now = self.now(path, default);
            (now.as_ref() != Some(&to)).then_some(Setting { path, now, to })
        });
        let settings: Vec<_> = settings.collect();
        let code = code(log.names.text(policy.name), &settings, note);
        Advice { settings, code }
    }
}

/// `createPolicy` with the settings that matter, to copy.
fn code(policy: &str, settings: &[Setting], note: &str) -> String {
    if settings.is_empty() {
        return note.to_owned();
    }
    let mut out = format!("createPolicy({{\n  name: {},\n", quoted(policy));
    let mut group = "";
    for Setting { path, to, .. } in settings {
        let (of, key) = path.split_once('.').unwrap_or(("", path));
        if group != of && !group.is_empty() {
            out.push_str(" },\n");
        }
        let _ = match of {
            "" => writeln!(out, "  {key}: {to},"),
            _ if group == of => write!(out, ", {key}: {to}"),
            _ => write!(out, "  {of}: {{ {key}: {to}"),
        };
        group = of;
    }
    if !group.is_empty() {
        out.push_str(" },\n");
    }
    if !note.is_empty() {
        let _ = writeln!(out, "  {note}");
    }
    out.push_str("})");
    out
}

/// A number as people write it in code: `30_000`.
pub(super) fn literal(number: f64) -> String {
    let digits = number.to_string();
    let (whole, rest) = digits.find('.').map_or((digits.as_str(), ""), |dot| digits.split_at(dot));
    let mut out = String::new();
    for (place, digit) in whole.chars().enumerate() {
        let left = whole.len() - place;
        if left.is_multiple_of(3) && out.ends_with(|last: char| last.is_ascii_digit()) {
            out.push('_');
        }
        out.push(digit);
    }
    out + rest
}

/// A number of milliseconds that reads well, the next one above another.
pub(super) fn rounded_up(ms: f64) -> f64 {
    let mut power = 1.0;
    while power * 10.0 <= ms {
        power *= 10.0;
    }
    let steps = [1.0, 1.5, 2.0, 3.0, 5.0, 7.5, 10.0];
    steps.iter().map(|step| step * power).find(|&step| step >= ms).unwrap_or(ms.ceil())
}

#[cfg(test)]
mod tests {
    use super::super::stage::Stage;
    use super::*;

    fn advise(options: Option<&str>, wishes: Vec<Wish>) -> (Vec<(&'static str, Option<String>)>, String) {
        let mut stage = Stage::new();
        stage.call("chat");
        if let Some(options) = options {
            stage.policy("chat", options);
        }
        let log = stage.log();
        let policy = log.calls().next().unwrap().1.policy_id();
        let Advice { settings, code } = Options::of(&log, policy).advise(&log, policy, wishes, "");
        (settings.into_iter().map(|one| (one.path, one.now)).collect(), code)
    }

    fn wishes() -> Vec<Wish> {
        vec![
            Wish("breakerScope", "'call'", "'attempt'".into()),
            Wish("retry.maxRetries", "3", "1".into()),
            Wish("retry.maxDelayMs", "10_000", literal(30_000.0)),
            Wish("retry.budget", "", "{ ratio: 0.1 }".into()),
            Wish("onError", "", "tell".into()),
        ]
    }

    #[test]
    fn what_is_now_stands_beside_what_is_to_be() {
        let (settings, code) =
            advise(Some(r#"{"retry":{"maxRetries":1,"maxDelayMs":1000},"onError":"function"}"#), wishes());
        let is = |text: &str| Some(text.to_owned());
        assert_eq!(
            settings,
            [
                ("breakerScope", is("'call' (default)")),
                ("retry.maxDelayMs", is("1_000")),
                ("retry.budget", is("not set")),
                ("onError", is("a function")),
            ]
        );
        assert_eq!(
            code,
            "createPolicy({\n  name: \"chat\",\n  breakerScope: 'attempt',\n  retry: { maxDelayMs: 30_000, budget: { ratio: 0.1 } },\n  onError: tell,\n})"
        );
    }

    #[test]
    fn nothing_is_made_up_where_the_log_does_not_have_the_options() {
        let (settings, _) = advise(None, wishes());
        assert!(settings.len() == 5 && settings.iter().all(|one| one.1.is_none()), "{settings:?}");
    }

    #[test]
    fn hostile_options_are_text() {
        for options in [r#"{"retry":"<b>"}"#, r#"{"retry":[1],"breakerScope":{"a":"<script>"}}"#, "[]", "7"] {
            assert!(advise(Some(options), wishes()).0.iter().all(|one| one.1.is_some()), "{options}");
        }
    }

    #[test]
    fn durations_are_rounded_up_to_what_reads_well() {
        let all = [0.0, 1.0, 1.2, 160.0, 926.0, 1_000.0, 5_001.0].map(rounded_up);
        assert_eq!(all.map(literal), ["1", "1", "1.5", "200", "1_000", "1_000", "7_500"]);
    }

    #[test]
    fn numbers_read_as_in_code() {
        assert_eq!(
            [0.0, 999.0, 1e3, 1_234_567.5, -4e3, 0.25].map(literal),
            ["0", "999", "1_000", "1_234_567.5", "-4_000", "0.25"]
        );
    }
}
