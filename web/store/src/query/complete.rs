//! The filters that a typed one may become: the list below its field. It has keys, and the values of a key with the number of
//! calls that each has.

use super::grammar::{help, unquoted};
use super::keys::{self, NAMED, Named};
use super::term::term;
use crate::names::Name;
use crate::numbers::CallNumber;
use crate::store::Log;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The number of newest calls whose values are counted: the list is made at each letter.
pub const COUNTED: usize = 20_000;
/// Most values of a key.
const MOST: usize = 20;
/// The keys whose most frequent values an empty field offers, and how many of each.
const FACETS: [&str; 4] = ["status", "policy", "provider", "code"];
const OF_FACET: usize = 3;

/// A filter that is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The whole filter, the terms before included.
    pub filter: String,
    pub says: Says,
}

/// The description of a completion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Says {
    /// Of a key or a word: its help.
    Help(&'static str),
    /// Of a value: how many of the newest [`COUNTED`] calls have it.
    Calls(u64),
}

/// The filters that a typed one may become by completing its last term.
pub fn complete(log: &Log, typed: &str) -> Vec<Completion> {
    let mut quoted = false;
    let ends_term = |&(_, letter): &(usize, char)| {
        quoted ^= letter == '"';
        letter.is_whitespace() && !quoted
    };
    let start = typed.char_indices().filter(ends_term).last().map_or(0, |(at, space)| at + space.len_utf8());
    let (before, last) = typed.split_at(start);
    let body = last.strip_prefix('-').unwrap_or(last);
    let before = &typed[..before.len() + last.len() - body.len()];
    let with = |(text, says): (String, Says)| Completion { filter: format!("{before}{text}"), says };
    if let Some((word, value)) = body.split_once(':') {
        return keys::find(NAMED, word)
            .map_or_else(Vec::new, |key| values(log, key, value).map(with).collect());
    }
    let facets = FACETS.into_iter().filter(|_| body.is_empty()).filter_map(|word| keys::find(NAMED, word));
    let facets = facets.flat_map(|key| values(log, key, "").take(OF_FACET));
    let keys = help().map(|(word, says)| (word.trim_end_matches('…').to_owned(), Says::Help(says)));
    let body = body.to_lowercase();
    facets.chain(keys.filter(|key| key.0.starts_with(&body) && key.0 != body)).map(with).collect()
}

/// The values of a key that begin as the last one of a typed list does, the most frequent first, as terms with the whole list.
fn values(log: &Log, key: &keys::Key<Named>, typed: &str) -> impl Iterator<Item = (String, Says)> {
    let (list, part) =
        typed.rsplit_once(',').map_or((String::new(), typed), |(list, part)| (format!("{list},"), part));
    let (part, word) = (unquoted(part), key.word);
    let mut counts: Vec<_> = counted(log, key.reads).into_iter().collect();
    counts.retain(|(name, _)| {
        let name = name.to_lowercase();
        name.starts_with(&part) && name != part
    });
    crate::order::sort_by_key(&mut counts, |one| Reverse(one.1));
    counts.into_iter().take(MOST).map(move |(name, calls)| {
        let own = term(word, &[name]);
        let value = own.split_once(':').map_or("", |own| own.1);
        (format!("{word}:{list}{value}"), Says::Calls(calls))
    })
}

/// How many of the newest calls have each value of a key. Ids are too many to choose from.
fn counted(log: &Log, reads: Named) -> BTreeMap<String, u64> {
    let mut by_name: BTreeMap<Name, (u64, CallNumber)> = BTreeMap::new();
    let mut by_word: BTreeMap<String, u64> = BTreeMap::new();
    for (number, call) in log.calls().rev().take(COUNTED) {
        match reads {
            Named::Status => *by_word.entry(call.status.word().to_owned()).or_default() += 1,
            Named::Id => {}
            Named::Names(names) => {
                // A call may have a name several times.
                let mut count = |name: Name| {
                    let (calls, last) = by_name.entry(name).or_insert((0, number));
                    if *calls == 0 || *last != number {
                        (*calls, *last) = (*calls + 1, number);
                    }
                    false
                };
                names(log, call, &mut count);
            }
        }
    }
    by_name.remove(&Name::NONE);
    by_word.extend(by_name.into_iter().map(|(name, (calls, _))| (log.names.text(name).to_owned(), calls)));
    by_word
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Query;
    use crate::stage::Stage;

    /// Five calls of `chat` with several attempts each, of which two fail, and one of `book, cut`.
    fn log() -> Stage {
        let mut stage = Stage::new();
        for number in 0..5 {
            let id = format!("c{number}");
            stage.call("s", &id, r#","policy":"chat""#);
            stage.fail("s", &id, 1).fail("s", &id, 2);
            if number < 2 {
                let end =
                    r#""attempts":2,"durationMs":5,"code":"TIMEOUT","why":"exhausted","userMessage":"""#;
                stage.event("s", "call.failed", &format!(r#""call":"{id}",{end}"#));
            } else {
                stage.succeed("s", &id);
            }
        }
        stage.call("s", "other", r#","policy":"book, cut""#);
        stage
    }

    fn offered(typed: &str) -> Vec<(String, Says)> {
        complete(&log().log, typed).into_iter().map(|one| (one.filter, one.says)).collect()
    }

    #[test]
    fn a_value_is_completed_with_the_number_of_its_calls_the_most_frequent_first() {
        let calls = |filter: &str, calls| (filter.to_owned(), Says::Calls(calls));
        assert_eq!(offered("policy:"), [calls("policy:chat", 5), calls(r#"policy:"book, cut""#, 1)]);
        assert_eq!(offered("trip -policy:CH"), [calls("trip -policy:chat", 5)]);
        assert_eq!(offered("status:ok,fa"), [calls("status:ok,failed", 2)]);
        assert_eq!(offered(r#"task:"a b" code:"#), [calls(r#"task:"a b" code:TIMEOUT"#, 5)]);
        assert_eq!([offered("policy:chat"), offered("call:"), offered("colour:")], [const { Vec::new() }; 3]);
    }

    #[test]
    fn a_key_is_completed_and_an_empty_field_offers_the_most_frequent_values_first() {
        let filters = |typed| offered(typed).into_iter().map(|one| one.0).collect::<Vec<_>>();
        assert_eq!(filters("status:ok prov"), ["status:ok provider:"]);
        assert_eq!(filters("-retr"), ["-retrying", "-retried"]);
        let all = filters("");
        assert_eq!(&all[..3], ["status:ok", "status:failed", "status:running"]);
        assert!(all.contains(&"policy:chat".to_owned()) && all.contains(&"duration>".to_owned()), "{all:?}");
    }

    #[test]
    fn an_offered_value_finds_as_many_calls_as_it_says() {
        let stage = log();
        for Completion { filter, says } in complete(&stage.log, "") {
            let Says::Calls(calls) = says else { continue };
            let query = Query::parse(&filter).unwrap().prepare(&stage.log.names);
            let found =
                stage.log.calls().filter(|(_, call)| query.passes(&stage.log, call, stage.time)).count();
            assert_eq!(found as u64, calls, "{filter}");
        }
    }
}
