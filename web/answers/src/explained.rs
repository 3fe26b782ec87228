//! An error pasted in: how it was read, which rules were tried, what follows, what people read.

use crate::messages::{About, in_every_language};
use crate::pasted;
use crate::rule::{Source, source};
use crate::suggested;
use crate::wire::crossing;
use halfopen::classify::{self, Context, Explanation};

crossing! {
    /// Asks which error is in this text.
    pub struct Explain {
        /// JSON, a stack trace, a line of a log, lines of JSON.
        pub text: String,
        /// The provider's id, if it is known.
        pub provider: String,
        /// The index of the error among several; the first if there are fewer.
        pub chosen: u64,
    }

    /// The error's classification, with its reasons.
    pub struct Explained {
        /// How the text was read, in words.
        pub kind: String,
        /// If there are several errors: the code and the rule of each.
        pub choices: Vec<(String, String)>,
        /// The signals that were read, as JSON.
        pub signals: String,
        /// The rules that were tried, in their order.
        pub tried: Vec<Tried>,
        /// Later changes of the verdict, in sentences.
        pub afterwards: Vec<String>,
        /// Where no rule recognised it: a classifier to paste into a policy's options.
        pub suggested: Option<String>,
        /// Its code.
        pub code: String,
        /// The rule that decided.
        pub rule: String,
        /// The severity's name.
        pub severity: String,
        /// The error type's name.
        pub error_type: String,
        /// `true` if sending the same request again can help.
        pub retryable: bool,
        /// How long the provider asked to wait, in milliseconds.
        pub hint: Option<f64>,
        /// The provider's id.
        pub provider: Option<String>,
        /// The remedy as JSON, as `error.remedy` has it; empty without one.
        pub remedy: String,
        /// The HTTP status.
        pub status: Option<u64>,
        /// The provider's id of the request.
        pub request: Option<String>,
        /// The part that a log may show.
        pub technical_details: String,
        /// Each language and what the person reads in it.
        pub messages: Vec<(String, String)>,
    }

    /// A rule that was tried.
    pub struct Tried {
        /// Its id.
        pub rule: String,
        /// The code that it gives.
        pub code: String,
        /// The source of the rule.
        pub source: Source,
        /// `true` if all of its conditions held.
        pub decided: bool,
        /// `true` if the error had something that the rule looks for.
        pub close: bool,
        /// The conditions that held, and those that did not.
        pub says: String,
    }
}

pub(crate) fn explained(question: &Explain) -> Explained {
    let all = pasted::read(&question.text);
    let context = Context {
        provider: Some(question.provider.clone()).filter(|provider| !provider.is_empty()),
        ..Context::default()
    };
    let chosen = usize::try_from(question.chosen).unwrap_or_default();
    let Some(one) = all.get(chosen).or(all.first()) else { return Explained::default() };
    let Explanation { classification, signals, tried, afterwards } =
        classify::explain(&one.thrown(), &context);
    let choice = |one: &pasted::Pasted| {
        let found = classify::classify(&one.thrown(), &Context::default());
        (found.code.as_str().to_owned(), found.rule.to_owned())
    };
    let hint = classification.hint.map(|hint| hint.as_f64());
    let about = About {
        provider: classification.provider.provider.clone().unwrap_or_default(),
        model: classification.provider.model.clone().unwrap_or_default(),
        tool: String::new(),
        retry_after_ms: hint,
        remedy: classification.remedy.as_ref().map_or_else(String::new, |remedy| remedy.kind().to_owned()),
        refused_by: String::new(),
    };
    let signals = serde_json::to_value(&signals).unwrap_or_default();
    let unknown = classification.rule == "unknown";
    Explained {
        suggested: unknown.then(|| suggested::classifier(&one.json, &signals)).flatten(),
        kind: one.kind.to_owned(),
        choices: if all.len() > 1 { all.iter().map(choice).collect() } else { Vec::new() },
        signals: serde_json::to_string_pretty(&signals).unwrap_or_default(),
        tried: tried.into_iter().map(describe).collect(),
        afterwards,
        code: classification.code.as_str().to_owned(),
        rule: classification.rule.to_owned(),
        severity: classification.severity.as_str().to_owned(),
        error_type: classification.code.error_type().as_str().to_owned(),
        retryable: classification.retryable,
        hint,
        provider: classification.provider.provider,
        remedy: classification.remedy.map_or_else(String::new, |remedy| remedy.to_json().to_string()),
        status: classification.provider.status_code.map(u64::from),
        request: classification.provider.request_id,
        technical_details: classification.technical_details,
        messages: in_every_language(classification.code, &about),
    }
}

fn describe(rule: classify::Tried) -> Tried {
    let mut says = String::new();
    let mut missed = String::new();
    for check in &rule.checks {
        let into = if check.held { &mut says } else { &mut missed };
        if !into.is_empty() {
            into.push_str(", ");
        }
        into.push_str(&check.wanted);
    }
    if !missed.is_empty() {
        says.push_str(if says.is_empty() { "not " } else { ", but not " });
        says.push_str(&missed);
    }
    Tried {
        rule: rule.rule.to_owned(),
        code: rule.code.as_str().to_owned(),
        source: source(rule.source),
        decided: rule.decided,
        close: rule.close,
        says,
    }
}
