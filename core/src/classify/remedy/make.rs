//! From what a row found to a remedy with its details.

use super::super::shown::{is_path, is_request_id};
use super::super::signals::Signals;
use super::kind::{Never, Remedy, Value, is_value};
use super::rows::{Make, Set};
use super::words::{Caught, Said, number};
use crate::text::contains;

/// No more ids are kept.
const MOST_IDS: usize = 8;
/// A longer id cannot be one by which a conversation is repaired.
const LONGEST_ID: usize = 80;
/// With fewer tokens than this, there is no room for an answer.
const LEAST_ROOM: f64 = 1024.0;

type Match = Option<(usize, Caught)>;

impl Make {
    /// The remedy's kind.
    pub(super) fn kind(self) -> &'static str {
        match self {
            Self::Nothing => "none",
            Self::Pair => "pair-tool-calls",
            Self::Reasoning => "fix-reasoning",
            Self::Messages(_) => "fix-messages",
            Self::EndWithUser => "end-with-user",
            Self::Drop(_) => "drop-parameter",
            Self::Rename => "rename-parameter",
            Self::Set(..) => "set-parameter",
            Self::Shorten => "shorten",
            Self::Media(_) => "drop-media",
            Self::RenameCalls => "rename-calls",
            Self::RenameTools => "rename-tools",
            Self::Resend => "resend-history",
            Self::Session => "new-session",
            Self::Resample(_) => "ask-again",
            Self::Raise => "raise-output-limit",
            Self::Other(_) => "other-model",
        }
    }

    /// Returns the remedy, if its data was found.
    pub(super) fn remedy(self, signals: &Signals<'_>, texts: &[Said<'_>], found: Match) -> Option<Remedy> {
        let text = found.and_then(|(at, _)| texts.get(at)).or(texts.first());
        let caught = found.map(|(_, caught)| caught).unwrap_or_default();
        Some(match self {
            Self::Nothing => return None,
            Self::Pair => Remedy::PairToolCalls { ids: ids(texts) },
            Self::Reasoning => Remedy::FixReasoning,
            Self::Messages(problem) => Remedy::FixMessages(problem),
            Self::EndWithUser => Remedy::EndWithUser,
            Self::Drop(known) => return dropped(signals, text, &caught, known),
            Self::Rename => {
                let text = text?;
                let to = text.word(caught.other?)?.text.to_owned();
                let from = signals.param.filter(|param| is_own(param)).map(str::to_owned);
                let from = from.or_else(|| Some(text.word(caught.name?)?.text.to_owned()))?;
                Remedy::RenameParameter { from, to }
            }
            Self::Set(how, known) => return set(signals, text?, &caught, how, known),
            Self::Shorten => {
                let whole = |number: &f64| number.fract() == 0.0 && *number >= 1.0;
                Remedy::Shorten { limit: caught.limit.filter(whole), sent: caught.sent.filter(whole) }
            }
            Self::Media(reason) => {
                Remedy::DropMedia { reason, at: place(signals, texts), limit: caught.limit }
            }
            Self::RenameCalls => {
                let (pattern, max_length) = shape(text, &caught);
                Remedy::RenameCalls { pattern, max_length }
            }
            Self::RenameTools => {
                let (pattern, max_length) = shape(text, &caught);
                Remedy::RenameTools { pattern, max_length }
            }
            Self::Resend => Remedy::ResendHistory,
            Self::Session => Remedy::NewSession,
            Self::Resample(because) => Remedy::Resample(because),
            Self::Raise => Remedy::RaiseOutputLimit,
            Self::Other(because) => Remedy::OtherModel(because),
        })
    }
}

/// Returns `true` if a path is a parameter of the request, and no part of its conversation.
fn is_own(path: &str) -> bool {
    let head = path.split(['.', '[']).next().unwrap_or_default();
    is_path(path)
        && ![
            "messages",
            "input",
            "contents",
            "prompt",
            "model",
            "system",
            "tools",
            "functions",
            "body",
            "content",
        ]
        .iter()
        .any(|part| part.eq_ignore_ascii_case(head))
}

/// Returns the parameter in question: from the field, or else from the text.
fn name(signals: &Signals<'_>, text: Option<&Said<'_>>, caught: &Caught) -> Option<String> {
    if let Some(param) = signals.param.filter(|param| is_own(param)) {
        return Some(param.to_owned());
    }
    let name = caught.name.and_then(|at| text?.word(at))?.text;
    // DashScope and FastAPI prefix the path with its location.
    let own = ["parameter.", "parameters.", "body."].iter().find_map(|place| name.strip_prefix(place));
    Some(own.unwrap_or(name).to_owned())
}

fn dropped(signals: &Signals<'_>, text: Option<&Said<'_>>, caught: &Caught, known: &str) -> Option<Remedy> {
    if !known.is_empty() {
        return Some(Remedy::DropParameter { name: known.to_owned() });
    }
    let name = name(signals, text, caught)?;
    let bare = name.rsplit('.').next().unwrap_or_default();
    // Tools, a system prompt and similar parts are not left out, because the caller needs them.
    if ["tools", "functions", "tool", "function_calling", "response_format", "image_url"].contains(&bare) {
        return Some(Remedy::OtherModel(Never::LacksFeature));
    }
    if matches!(name.as_str(), "messages" | "model" | "input" | "contents" | "prompt" | "system") {
        return None;
    }
    // Reasoning from another model within a message.
    let of_message = ["messages", "input", "contents", "history"].iter().any(|part| name.starts_with(part));
    let of_reasoning = ["reasoning", "thinking", "signature", "encrypted_content", "thought"];
    if (of_message || bare == "reasoning_content" || bare == "reasoning_details")
        && of_reasoning.iter().any(|part| contains(&name, part))
    {
        return Some(Remedy::FixReasoning);
    }
    Some(Remedy::DropParameter { name })
}

/// Levels of effort, the lowest first, to find the nearest.
const STEPS: [&str; 8] = ["none", "off", "minimal", "low", "medium", "high", "xhigh", "max"];

fn set(signals: &Signals<'_>, text: &Said<'_>, caught: &Caught, how: Set, known: &str) -> Option<Remedy> {
    let named = name(signals, Some(text), caught);
    let name = if known.is_empty() { named } else { Some(named.unwrap_or_else(|| known.to_owned())) };
    let value = match how {
        Set::Limit => Value::Number(caught.limit?),
        Set::Range => {
            let (least, most) = (caught.limit?, caught.sent?);
            // `to 8193 (exclusive)`.
            let open = (caught.end..caught.end + 2)
                .any(|at| text.word(at).is_some_and(|word| word.text.eq_ignore_ascii_case("exclusive")));
            let most = if open && most.fract() == 0.0 { most - 1.0 } else { most };
            (least <= most).then_some(())?;
            Value::Number(caught.third.map_or(most, |sent| if sent < least { least } else { most }))
        }
        Set::Only => value_of(text.word(caught.value?)?.text)?,
        Set::OneOf => nearest(text, caught)?,
        Set::Room => {
            let (limit, sent, third) = (caught.limit?, caught.sent?, caught.third.unwrap_or(0.0));
            let room = limit - sent;
            if room < LEAST_ROOM {
                return Some(Remedy::Shorten { limit: Some(limit), sent: Some(sent + third) });
            }
            Value::Number(room)
        }
    };
    let name = name?;
    let lower = name.to_ascii_lowercase();
    (lower == "n" || TUNED.iter().any(|part| contains(&lower, part))).then_some(())?;
    Some(Remedy::SetParameter { name, value })
}

/// Parts of the names of parameters whose values may be changed: they affect how a model answers, never the question.
const TUNED: [&str; 22] = [
    "token",
    "temperature",
    "top",
    "penalty",
    "effort",
    "verbosity",
    "budget",
    "seed",
    "logprob",
    "stream",
    "candidate",
    "thinking",
    "reasoning",
    "level",
    "tier",
    "choice",
    "format",
    "truncation",
    "parallel",
    "dimension",
    "min_p",
    "think",
];

fn value_of(text: &str) -> Option<Value> {
    Some(match text {
        "true" | "True" => Value::Boolean(true),
        "false" | "False" => Value::Boolean(false),
        _ => match number(text) {
            Some(number) => Value::Number(number),
            None if is_value(text) => Value::Text(text.to_owned()),
            None => return None,
        },
    })
}

/// Returns the value behind the phrase that is nearest to the sent one.
fn nearest(text: &Said<'_>, caught: &Caught) -> Option<Value> {
    let is_step = |word: &str| STEPS.iter().any(|step| step.eq_ignore_ascii_case(word));
    let listed =
        text.words.get(caught.end..)?.iter().filter(|word| !matches!(word.text, "and" | "or" | "are" | "is"));
    let listed: Vec<&str> = listed
        .take_while(|word| word.quoted || is_step(word.text) || value_like(word.text))
        .take(12)
        .map(|word| word.text)
        .collect();
    let sent = caught.value.and_then(|at| text.word(at)).map(|word| word.text);
    let step = |word: &str| STEPS.iter().position(|step| step.eq_ignore_ascii_case(word));
    let best = match sent.and_then(step) {
        Some(sent) => listed
            .iter()
            .filter_map(|one| Some((step(one)?.abs_diff(sent), *one)))
            .min_by_key(|(far, _)| *far)
            .map(|(_, one)| one),
        None => match sent.and_then(number) {
            Some(sent) => listed
                .iter()
                .filter_map(|one| Some(((number(one)? - sent).abs(), *one)))
                .min_by(|a, b| a.0.total_cmp(&b.0))
                .map(|(_, one)| one),
            None => None,
        },
    };
    value_of(best.or(listed.first().copied())?)
}

fn value_like(text: &str) -> bool {
    number(text).is_some() || matches!(text, "true" | "false" | "True" | "False" | "auto" | "default")
}

/// Returns the pattern and the length that ids or names must have.
fn shape(text: Option<&Said<'_>>, caught: &Caught) -> (Option<String>, Option<f64>) {
    let length = caught.limit.or_else(|| {
        Some(text?.find(
            "maximum length of {n}|maximum length {n}|a length of {n}|at most {n}|less than or equal to {n}|max length {n}|length of {n}|up to {n} characters|longer than {n}|exceeds {n}|exceed {n}|max {n}",
        )?.limit).flatten()
    });
    let length = length.filter(|length| length.fract() == 0.0 && (1.0..=4096.0).contains(length));
    (text.and_then(Said::pattern), length)
}

/// Beginnings of ids of tool calls.
const ID_HEADS: [&str; 8] =
    ["call_", "call-", "toolu_", "tooluse_", "chatcmpl-tool-", "fc_", "functions.", "tool_call_"];

/// Returns the ids of tool calls that texts name.
fn ids(texts: &[Said<'_>]) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for text in texts {
        // An id may follow the word `id`, and further ones may follow that.
        let mut behind = false;
        for word in &text.words {
            let plain =
                |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':' | b'|');
            let may_be =
                word.text.len() <= LONGEST_ID && word.text.bytes().all(plain) && is_request_id(word.text);
            let begins =
                ID_HEADS.iter().any(|head| word.text.len() > head.len() && word.text.starts_with(head))
                    && !matches!(
                        word.text,
                        "call_id" | "call_ids" | "fc_id" | "tool_call_id" | "tool_call_ids" | "call_output"
                    );
            let digits = word.text.bytes().any(|byte| byte.is_ascii_digit());
            let named = behind
                && (word.quoted && word.text.len() > 3 || digits && word.text.len() > 5)
                && !["messages", "input", "contents", "content"]
                    .iter()
                    .any(|part| word.text.starts_with(part));
            let lower = word.text;
            if may_be && (begins || named) && !is_id_word(lower) {
                if ids.len() < MOST_IDS && !ids.iter().any(|id| id == word.text) {
                    ids.push(word.text.to_owned());
                }
                behind = true;
            } else {
                behind =
                    is_id_word(lower) || behind && matches!(word.text, ":" | "and" | "[" | "of" | "tool_use");
            }
        }
    }
    ids
}

fn is_id_word(word: &str) -> bool {
    [
        "id",
        "ids",
        "call_id",
        "call_ids",
        "tool_call_id",
        "tool_call_ids",
        "tool_use_id",
        "tool_use_ids",
        "tooluseid",
        "toolcallid",
        "tool_calls",
        "toolcallids",
        "after",
        "call",
    ]
    .iter()
    .any(|one| one.eq_ignore_ascii_case(word))
}

/// Returns the position in the conversation that the provider points to: `messages[3].content[1]`.
fn place(signals: &Signals<'_>, texts: &[Said<'_>]) -> Option<String> {
    let field = signals.param.and_then(as_place);
    field.or_else(|| texts.iter().flat_map(|text| &text.words).find_map(|word| as_place(word.text)))
}

/// Normalises `messages.0.content.1.image.source`, `messages.[0].content[1]` and `input[0]` to one spelling, up to the
/// last number.
fn as_place(path: &str) -> Option<String> {
    let heads = ["messages", "input", "contents"];
    let at = heads.iter().find_map(|head| crate::text::find(path, head))?;
    let path = path.get(at..)?;
    let mut parts = path.split(['.', '[', ']', ':']).filter(|part| !part.is_empty());
    let head = parts.next().filter(|head| heads.contains(head))?;
    let (mut place, mut whole) = (head.to_owned(), String::new());
    for part in parts.take(6) {
        if part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit()) {
            place.push('[');
            place.push_str(part);
            place.push(']');
            whole.clone_from(&place);
        } else if matches!(part, "content" | "parts") {
            place.push('.');
            place.push_str(part);
        } else if part != "member" {
            break;
        }
    }
    (!whole.is_empty()).then_some(whole)
}
