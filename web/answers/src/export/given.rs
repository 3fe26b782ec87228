//! The beginning of an exported test: the policy, and its state before the call.

use super::AsTest;
use super::literal::{key, number, object, string, value};
use super::recorded::Ending;
use super::test::Test;
use halfopen_log::Window;
use serde_json::Value;

/// Options that are not data, and so are not in a log.
const CODE: &[&str] = &["classify", "onError", "onEvent", "onDebug", "onRetry", "retryOn", "countsAsFailure"];
impl Test<'_> {
    pub(super) fn policy(&mut self) {
        let start = number(self.call.started.floor());
        self.line(&format!("const clock = new VirtualClock({start});"));
        if self.question.yours {
            self.line("const policy = createPolicy({ ...optionsOf(yours), clock, seed: 1 });");
            self.yours = self.place();
            return;
        }
        self.line("const policy = createPolicy({");
        self.line("  clock,");
        self.line("  seed: 1,");
        for option in self.options() {
            self.line(&format!("  {option},"));
        }
        self.line("});");
    }

    /// The place of the user's policy, on top of the file.
    fn place(&mut self) -> String {
        let AsTest { module, export, policy, .. } = self.question;
        let line = "// ".to_owned() + &"-".repeat(77);
        let is_letter = |letter: char| letter.is_ascii_alphabetic() || matches!(letter, '_' | '$');
        let is_name = policy.starts_with(is_letter)
            && policy.chars().all(|letter| is_letter(letter) || letter.is_ascii_digit());
        let name = match export.as_str() {
            "" if is_name => policy,
            "" => "policy",
            export => export,
        };
        if module.is_empty() {
            let options = self.options().join(", ");
            let policy = crate::plain::line(policy);
            return format!(
                "{line}\n// YOUR POLICY. These are the options that the log has of '{policy}'. Import yours instead, so that the test holds it:\n// import {{ {name} as yours }} from '../src/policies.js';\nconst yours = {{ {options} }};\n{line}\n\n"
            );
        }
        let import = if name == "yours" { name.to_owned() } else { format!("{name} as yours") };
        format!(
            "{line}\n// YOUR POLICY: made by createPolicy, or its options. The test runs a copy of it on a virtual clock.\nimport {{ {import} }} from {};\n{line}\n\n",
            string(module)
        )
    }

    /// The recorded options, each as code.
    fn options(&mut self) -> Vec<String> {
        let call = self.call;
        let mut all = Vec::new();
        match call.options.as_ref().and_then(Value::as_object) {
            Some(options) => {
                for (name, of) in options.iter().filter(|(name, _)| name.as_str() != "seed") {
                    if let Some(text) = self.kept(name, name, of) {
                        all.push(format!("{}: {text}", key(name)));
                    }
                }
            }
            None => {
                self.notes
                    .push("The log does not have the policy's options: those here are the defaults.".into());
                all.push(format!("name: {}", string(call.policy)));
            }
        }
        all
    }

    /// An option as code; nothing where the log has only its kind.
    pub(super) fn kept(&mut self, path: &str, name: &str, of: &Value) -> Option<String> {
        if name == "fallback" {
            return None;
        }
        if of == "function" && CODE.contains(&name) {
            // Observers take no part in what happens.
            if !matches!(name, "onError" | "onEvent" | "onDebug") {
                self.notes.push(format!("The policy's {path} is code, which a log does not have."));
            }
            return None;
        }
        if path == "retry.budget" && of == "default" {
            self.notes.push(
                "Its retries come from a quota, which is full here: in the log it may not have been.".into(),
            );
            return None;
        }
        if of == "shared" || path == "fleet" || name == "breaker" && of.is_string() {
            // A fleet needs its store; and events did not always carry a shared breaker's options, or a budget.
            self.notes
                .push(format!("The policy's {path} is shared with others: its options are not in the log."));
            return None;
        }
        let Some(fields) = of.as_object() else { return Some(value(of)) };
        let fields: Vec<_> = fields
            .iter()
            .filter(|(name, _)| name.as_str() != "shared")
            .filter_map(|(name, of)| Some((name.as_str(), self.kept(&format!("{path}.{name}"), name, of)?)))
            .collect();
        Some(object(fields.into_iter()))
    }

    /// The state before the call: an open breaker, no free slot.
    pub(super) fn before(&mut self) {
        let call = self.call;
        let count = |path: &[&str]| self.option(path).unwrap_or(0.0);
        let (places, queue) = (count(&["bulkhead", "maxConcurrent"]), count(&["bulkhead", "maxQueued"]));
        let mut lines = Vec::new();
        let fill =
            |times: f64, doing: &str| format!("for (let taken = 0; taken < {times}; taken++) {doing};");
        let refused = match &call.ending {
            Ending::Refused(refused) => Some((refused.by.as_str(), refused.retry_after_ms)),
            _ => None,
        };
        let queued = call.queued.as_ref().map(|(by, waited)| (by.as_str(), *waited));
        match (refused, queued) {
            (Some(("breaker", retry_after)), _) if call.attempts.is_empty() => {
                lines.push("// Others had opened the breaker.".to_owned());
                lines.push(match retry_after {
                    Some(ms) => format!("policy.breaker?.restore({});", open_breaker(ms)),
                    None => "policy.breaker?.isolate();".into(),
                });
            }
            (Some(("bulkhead", _)), _) => {
                lines.push("// Others had every place, and every place in the queue.".to_owned());
                let hangs = self.typed("new Promise<never>(() => {})", "new Promise(() => {})");
                lines.push(fill(places + queue, &format!("void policy.execute(() => {hangs})")));
            }
            (Some(("rate-limit", retry_after)), _) => {
                let (limit, window) = self.rate_limit(retry_after);
                lines.push("// Other calls had already used up the limit of the window.".to_owned());
                lines.push(fill(limit, "await policy.execute(async () => 'earlier')"));
                let ago = window - retry_after.unwrap_or(window);
                if ago > 0.0 {
                    lines.push(format!("await clock.advance({});", number(ago)));
                }
            }
            (_, Some(("bulkhead", waited))) => {
                lines.push("// Others had every place when it began.".to_owned());
                lines.push(fill(places, &format!("void policy.execute(answers({}))", waited.round())));
            }
            (_, Some(("rate-limit", waited))) => {
                let (limit, window) = self.rate_limit(Some(waited));
                lines.push("// Other calls had already used up the limit of the window.".to_owned());
                lines.push(fill(limit, "await policy.execute(async () => 'earlier')"));
                lines.push(format!("await clock.advance({});", (window - waited).max(0.0).round()));
            }
            _ if self.is_nested() => {
                lines.push("// What another policy has retried and given up on.".to_owned());
                lines.push("const inner = createPolicy({ clock, name: 'inner', breaker: false, retry: { maxRetries: 1, baseDelayMs: 1 } });".into());
            }
            _ if call.probe => {
                lines.push(
                    "// The breaker was open, and its reset timeout over: the first attempt is a probe."
                        .to_owned(),
                );
                lines.push(format!("policy.breaker?.restore({});", open_breaker(0.0)));
            }
            _ => {
                if let Some((good, bad)) = self.results_before() {
                    lines.push("// What the breaker had counted before.".to_owned());
                    let record = |times: u32, what: &str| {
                        (times > 0)
                            .then(|| fill(f64::from(times), &format!("policy.breaker?.record{what}()")))
                    };
                    lines.extend(record(good, "Success"));
                    lines.extend(record(bad, "Failure"));
                }
            }
        }
        for line in lines {
            self.line(&line);
        }
    }

    /// The limit on requests that made the call wait so many milliseconds, and its window. Of several it is the first to
    /// be reached of those whose window is as long as the wait.
    fn rate_limit(&self, waited: Option<f64>) -> (f64, f64) {
        let option = self.call.options.as_ref().and_then(|options| options.get("rateLimit"));
        let all = option
            .map_or(&[][..], |option| option.as_array().map_or(std::slice::from_ref(option), Vec::as_slice));
        let of_requests = all.iter().filter(|limit| limit.get("unit").is_none_or(|unit| unit == "requests"));
        let number = |limit: &Value, name: &str| limit.get(name).and_then(Value::as_f64).unwrap_or(0.0);
        of_requests
            .map(|limit| (number(limit, "limit"), number(limit, "windowMs")))
            .filter(|&(_, window)| waited.is_none_or(|waited| waited <= window))
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .unwrap_or_default()
    }

    /// Results that the breaker had before this call opened it.
    fn results_before(&self) -> Option<(u32, u32)> {
        let Window { total, failures, .. } = self.call.opened.as_ref()?;
        self.call.options.as_ref()?;
        let own = u32::try_from(self.call.breaker_failures()).unwrap_or(u32::MAX);
        let own_success = u32::from(self.call.opened_by_success());
        Some((total.saturating_sub(failures + own_success), failures.saturating_sub(own)))
    }
}

/// A snapshot of a breaker that is open for so many milliseconds more.
pub(super) fn open_breaker(retry_after: f64) -> String {
    format!(
        "{{ version: 1, name: 'breaker', state: 'open', generation: 1, at: clock.wall(), consecutiveFailures: 0, failedProbes: 0, retryAfterMs: {} }}",
        number(retry_after)
    )
}
