//! From the text of a filter to its terms.

use super::keys::{self, Holds, Key, NAMED, NUMBERS, Named, Numbers, TEXTS, Texts, WORDS, matches_choice};
use crate::call::{Call, Status};
use crate::names::Name;
use crate::store::Log;

/// The possible groupings of rows.
const GROUPS: &[(&str, Group)] = &[
    ("task", Group::Task),
    ("trace", Group::Trace),
    ("policy", Group::Policy),
    ("source", Group::Source),
    ("host", Group::Host),
    ("deployment", Group::Deployment),
    ("version", Group::Version),
];

/// The grouping of a view's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Task,
    Trace,
    Policy,
    Source,
    Host,
    Deployment,
    Version,
}

impl Group {
    /// Its name in filters.
    pub fn word(self) -> &'static str {
        GROUPS.iter().find(|row| row.1 == self).map_or("", |row| row.0)
    }

    /// The group of a call, by a name and, of a policy, its process: that of the outermost call that it is part of.
    pub fn of(self, log: &Log, call: &Call) -> (Name, Option<Name>) {
        let outermost = log.call(call.root).unwrap_or(call);
        match self {
            Self::Task => (outermost.task, None),
            Self::Trace => (outermost.trace, None),
            Self::Policy => (outermost.policy, Some(outermost.source)),
            Self::Source => (outermost.source, None),
            Self::Host => (log.about(outermost.source).host, None),
            Self::Deployment => (log.about(outermost.source).deployment, None),
            Self::Version => (log.about(outermost.source).version, None),
        }
    }
}

/// The text of the `?` sheet and of the search field's help.
pub fn help() -> impl Iterator<Item = (String, &'static str)> {
    let named = NAMED.iter().map(|key| (format!("{}:…", key.word), key.help));
    let words = WORDS.iter().map(|key| (key.word.to_owned(), key.help));
    let numbers = NUMBERS.iter().map(|key| (format!("{}>…", key.word), key.help));
    let texts = TEXTS.iter().map(|key| (format!("{}:…", key.word), key.help));
    let group = (
        "group:…".to_owned(),
        "puts the calls of one task, trace, policy, source, host, deployment or version together: group:task",
    );
    named.chain(texts).chain(words).chain(numbers).chain([group])
}

/// Most characters of a filter that are read.
const LONGEST: usize = 2_000;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Compare {
    Less,
    LessOrEqual,
    More,
    MoreOrEqual,
    Equal,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Test {
    Named {
        key: &'static Key<Named>,
        choices: Vec<String>,
    },
    Word(&'static Key<Holds>),
    Number {
        key: &'static Key<Numbers>,
        compare: Compare,
        value: f64,
    },
    Text {
        text: String,
        /// The word that the text may be, if it is not the beginning of a name.
        word: Option<&'static Key<Holds>>,
    },
    /// The text to find in failures.
    Said {
        key: &'static Key<Texts>,
        choices: Vec<String>,
    },
}

/// A filter, read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    pub(super) terms: Vec<(bool, Test)>,
    /// The grouping of rows.
    pub group: Option<Group>,
}

/// A filter that cannot be read: the term, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misread(pub String);

impl Query {
    /// Reads a filter that is being typed: the last word may become a longer one, such as `open` on the way to `openai`, so a
    /// word is searched for in names as well.
    ///
    /// # Errors
    /// As [`Query::parse`].
    pub fn parse_typed(text: &str) -> Result<Self, Misread> {
        let mut query = Self::read(text, true)?;
        if let Some((_, test @ Test::Word(_))) = query.terms.last_mut()
            && let Test::Word(word) = *test
            && text.to_lowercase().ends_with(word.word)
        {
            *test = Test::Text { text: word.word.to_owned(), word: Some(word) };
        }
        Ok(query)
    }

    /// Reads a filter. A key without a value narrows nothing.
    ///
    /// # Errors
    /// Names the term that cannot be read and the expected form.
    pub fn parse(text: &str) -> Result<Self, Misread> {
        Self::read(text, false)
    }

    fn read(text: &str, is_typed: bool) -> Result<Self, Misread> {
        let (mut terms, mut group) = (Vec::new(), None);
        for term in split(text, char::is_whitespace) {
            if let Some(by) = term.strip_prefix("group:") {
                let known = GROUPS.iter().find(|row| row.0.eq_ignore_ascii_case(by));
                let misread = || {
                    let words: Vec<_> = GROUPS.iter().map(|row| format!("group:{}", row.0)).collect();
                    Misread(format!("‘{term}’: expected {}", words.join(", ")))
                };
                group = Some(known.ok_or_else(misread)?.1);
                continue;
            }
            let (wanted, body) = match term.strip_prefix('-') {
                Some(rest) if !rest.is_empty() => (false, rest),
                _ => (true, term.as_str()),
            };
            match parse_term(body, is_typed && text.ends_with(&term))? {
                Test::Named { choices, .. } | Test::Said { choices, .. } if choices.is_empty() => {}
                test => terms.push((wanted, test)),
            }
        }
        Ok(Self { terms, group })
    }

    /// Returns `true` if every call passes.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }
}

/// Returns the parts of a text between the separators outside of quotes. The quotes stay: [`unquoted`] removes them.
pub(super) fn split(text: &str, separates: impl Fn(char) -> bool) -> Vec<String> {
    let (mut parts, mut part, mut quoted) = (Vec::new(), String::new(), false);
    for letter in text.chars().take(LONGEST) {
        quoted ^= letter == '"';
        if separates(letter) && !quoted {
            parts.push(std::mem::take(&mut part));
        } else {
            part.push(letter);
        }
    }
    parts.push(part);
    parts.retain(|part| !part.is_empty());
    parts
}

/// A part as names are compared with it: without its quotes, in lower case.
pub(super) fn unquoted(part: &str) -> String {
    part.replace('"', "").to_lowercase()
}

/// `is_begun`: the term may go on, because it is being typed.
fn parse_term(term: &str, is_begun: bool) -> Result<Test, Misread> {
    if let Some(word) = keys::find(WORDS, term) {
        return Ok(Test::Word(word));
    }
    let at = match term.char_indices().find(|(_, letter)| matches!(letter, ':' | '<' | '>' | '=' | '"')) {
        Some((at, sign)) if sign != '"' => at,
        _ => return Ok(Test::Text { text: unquoted(term), word: None }),
    };
    let (key, rest) = term.split_at(at);
    let signs = rest.len() - rest.trim_start_matches([':', '<', '>', '=']).len();
    let (sign, value) = rest.split_at(signs);
    if let (Some(key), ":" | "=") = (keys::find(TEXTS, key), sign) {
        let choices = split(value, |letter| letter == ',');
        return Ok(Test::Said { key, choices: choices.iter().map(|choice| unquoted(choice)).collect() });
    }
    match (keys::find(NAMED, key), keys::find(NUMBERS, key)) {
        (Some(key), _) if matches!(sign, ":" | "=") => {
            let choices = split(value, |letter| letter == ',');
            let mut choices: Vec<_> = choices.iter().map(|choice| unquoted(choice)).collect();
            if matches!(key.reads, Named::Status) {
                statuses(term, &mut choices, is_begun)?;
            }
            Ok(Test::Named { key, choices })
        }
        (_, Some(key)) => {
            let compare = match sign {
                "<" => Compare::Less,
                "<=" => Compare::LessOrEqual,
                ">" => Compare::More,
                ">=" => Compare::MoreOrEqual,
                _ => Compare::Equal,
            };
            let value = parse_number(&unquoted(value)).ok_or_else(|| {
                Misread(format!(
                    "‘{term}’: expected a number or a time such as 2s, 300ms or 1.5m after {sign}"
                ))
            })?;
            Ok(Test::Number { key, compare, value })
        }
        _ => {
            let named = NAMED.iter().map(|key| key.word);
            let known =
                named.chain(TEXTS.iter().map(|key| key.word)).chain(NUMBERS.iter().map(|key| key.word));
            let known = known.chain(["group"]).collect::<Vec<_>>().join(", ");
            Err(Misread(format!("‘{term}’: expected one of the keys {known}")))
        }
    }
}

/// Checks the values of the key `status`, which are a closed list. The last one of a term that goes on may be the
/// beginning of one.
fn statuses(term: &str, choices: &mut [String], is_begun: bool) -> Result<(), Misread> {
    let fits = |choice: &str| Status::ALL.iter().any(|status| matches_choice(status.word(), choice));
    if let Some(last) = choices.last_mut().filter(|last| is_begun && !fits(last)) {
        last.push('*');
    }
    if choices.iter().all(|choice| fits(choice)) {
        return Ok(());
    }
    let words = Status::ALL.map(Status::word).join(", ");
    Err(Misread(format!("‘{term}’: expected one of the statuses {words}")))
}

/// A number, or a time in milliseconds: `2s`, `300ms`, `1.5m`.
fn parse_number(text: &str) -> Option<f64> {
    let units = [("ms", 1.0), ("s", 1_000.0), ("m", 60_000.0), ("h", 3_600_000.0), ("", 1.0)];
    let (digits, factor) =
        units.iter().find_map(|&(unit, factor)| Some((text.strip_suffix(unit)?, factor)))?;
    let value = halfopen_log::number(digits.trim())?;
    (value.is_finite() && value >= 0.0).then_some(value * factor)
}
