//! A rule looked up by its id: what it requires for, and who says so.

use crate::wire::crossing;
use halfopen::classify::{rule, source_url};

crossing! {
    /// What does the rule of this id require?
    pub struct LookUp {
        /// The rule's id, as an event has it.
        pub id: String,
    }

    /// The rule, as far as it is known.
    pub struct Card {
        /// What it requires for, in words.
        pub requires: String,
        /// Who says so; empty for what is no rule of the table.
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
        None if question.id == "agent-error" => own("an AgentError, which states its own code"),
        None => own("a rule of the application's own"),
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
    }
}
