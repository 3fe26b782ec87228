//! The page's address and the state that it encodes: `?view=breakers&q=code:TIMEOUT&call=…`.

use crate::view::View;

/// The part of the page's state that an address has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    pub view: View,
    /// The filter; empty for none.
    pub query: String,
    /// The id of the selected call.
    pub call: Option<String>,
    /// The open swimlane, as [`crate::view::opened_swimlane`] writes it.
    pub swimlane: Option<String>,
    /// `true` if the demonstration is shown.
    pub demo: bool,
}

impl Address {
    /// Reads the parameters of an address. Unknown ones are ignored.
    pub fn read(parameter: impl Fn(&str) -> Option<String>) -> Self {
        Self {
            view: parameter("view").and_then(|word| View::from_word(&word)).unwrap_or_default(),
            query: parameter("q").unwrap_or_default(),
            call: parameter("call").filter(|id| !id.is_empty()),
            swimlane: parameter("swimlane").filter(|word| !word.is_empty()),
            demo: parameter("source").as_deref() == Some("demo"),
        }
    }

    /// The parameters for this state; `None` for those that the address does not need.
    pub fn parameters(self) -> [(&'static str, Option<String>); 5] {
        [
            ("view", (self.view != View::default()).then(|| self.view.word().to_owned())),
            ("q", Some(self.query).filter(|query| !query.is_empty())),
            ("call", self.call.filter(|id| !id.is_empty())),
            ("swimlane", self.swimlane.filter(|word| !word.is_empty())),
            ("source", self.demo.then(|| "demo".to_owned())),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Address {
        Address::read(|name| pairs.iter().find(|pair| pair.0 == name).map(|pair| pair.1.to_owned()))
    }

    #[test]
    fn what_is_unknown_shows_the_first_view() {
        let nothing = read(&[]);
        assert_eq!(
            nothing,
            Address { view: View::Health, query: String::new(), call: None, swimlane: None, demo: false }
        );
        assert_eq!(read(&[("view", "nowhere"), ("call", ""), ("source", "file")]), nothing);
        assert_eq!(nothing.parameters().map(|parameter| parameter.1), [const { None }; 5]);
    }

    #[test]
    fn a_link_to_a_view_that_became_part_of_another_one_leads_there() {
        for (word, view) in [
            ("pending", View::Timeline),
            ("providers", View::Traffic),
            ("policies", View::Traffic),
            ("backoff", View::Lab),
            ("messages", View::Classify),
        ] {
            assert_eq!(read(&[("view", word)]).view, view);
        }
    }

    #[test]
    fn every_view_comes_back() {
        for (view, word, ..) in View::ALL {
            let address = read(&[
                ("view", *word),
                ("q", "code:TIMEOUT"),
                ("call", "a1"),
                ("swimlane", "task:a&b"),
                ("source", "demo"),
            ]);
            let query = "code:TIMEOUT".to_owned();
            assert_eq!(
                address,
                Address {
                    view: *view,
                    query,
                    call: Some("a1".into()),
                    swimlane: Some("task:a&b".into()),
                    demo: true
                }
            );
            let written = address.clone().parameters();
            let again = Address::read(|name| written.iter().find(|pair| pair.0 == name)?.1.clone());
            assert_eq!(again, address);
        }
    }
}
