//! A rule looked up by its id: what it requires, and who says so.

use crate::wire::crossing;
use halfopen::classify::{rule, source_url};

crossing! {
    /// Asks for the conditions of the rule with this id.
    pub struct LookUp {
        /// The rule's id, as an event has it.
        pub id: String,
    }

    /// The rule, as far as it is known.
    pub struct Card {
        /// The conditions, in words.
        pub requires: String,
        /// The source of the rule; empty for a decision that is not a rule of the table.
        pub source: Source,
    }

    /// The page, RFC or specification behind a rule.
    pub struct Source {
        /// Its name.
        pub name: String,
        /// Where it can be read.
        pub url: Option<String>,
    }
}

/// Rules of failures that the package makes itself: it classifies nothing there.
const OF_THE_PACKAGE: [(&str, &str); 5] = [
    ("agent-error", "an AgentError, which states its own code"),
    ("application", "the classifier in the policy's options, which gave no rule of its own"),
    ("policy.timeout", "an attempt, a chunk or a call that took longer than the policy's timeout"),
    ("policy.hedge", "another attempt of the call that answered first"),
    ("recovery.error_node", "the error step of a graph"),
];

pub(crate) fn source(source: &str) -> Source {
    Source { name: source.trim_start_matches("https://").to_owned(), url: source_url(source) }
}

pub(crate) fn card(question: &LookUp) -> Card {
    let own = |requires: &str| Card { requires: requires.to_owned(), source: Source::default() };
    match rule(&question.id) {
        Some(card) if card.wanted.is_empty() => {
            Card { source: source(card.source), ..own("nothing: no other rule held") }
        }
        Some(card) => Card { requires: card.wanted.join(" and "), source: source(card.source) },
        None => {
            let known = OF_THE_PACKAGE.iter().find(|row| row.0 == question.id);
            known.map_or_else(
                || own("a rule of the application's own"),
                |&(_, requires)| Card {
                    requires: requires.to_owned(),
                    source: Source { name: "Halfopen".to_owned(), url: None },
                },
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_its_words_and_a_source() {
        for id in halfopen::classify::rule_ids() {
            let card = card(&LookUp { id: id.to_owned() });
            assert!(!card.requires.is_empty() && !card.source.name.is_empty(), "{id}: {card:?}");
        }
        assert_eq!(card(&LookUp { id: "mine".into() }).source, Source::default());
        let timeout = card(&LookUp { id: "policy.timeout".into() });
        assert!(timeout.requires.contains("the policy's timeout"), "{timeout:?}");
        assert_eq!(timeout.source.name, "Halfopen");
    }
}
