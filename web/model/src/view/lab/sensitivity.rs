//! The inputs of the scenario that the conclusion depends on: a bar for each that moves the difference between two policies.

use super::field::{FAULT, Field, WORLD};
use super::outcome::{Outcome, fault_name};

/// The number of bars that are shown.
const MOST: usize = 8;
/// Inputs that move the difference by less than a tenth of a point count as moving nothing.
const LEAST: f64 = 0.001;

/// An input, and what a tenth more or less of it does.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    pub label: String,
    /// Of the longest bar.
    pub share: f64,
    /// `true` if it moves the difference in favour of the first policy.
    pub for_first: bool,
    /// By how much, in points.
    pub says: String,
}

/// The bars, the longest first.
pub fn bars(outcome: &Outcome) -> Vec<Bar> {
    let inputs = outcome.hangs_on.iter().flat_map(|hangs_on| &hangs_on.inputs);
    let moving: Vec<_> = inputs.filter(|(_, effect)| effect.abs() >= LEAST).take(MOST).collect();
    let longest = moving.first().map_or(1.0, |(_, effect)| effect.abs());
    let bar = |(path, effect): &(String, f64)| Bar {
        label: label(outcome, path),
        share: effect.abs() / longest,
        for_first: *effect > 0.0,
        says: format!("{:+.1} points", effect * 100.0),
    };
    moving.into_iter().map(bar).collect()
}

/// The quantity of the bars.
pub fn heading(outcome: &Outcome) -> Option<String> {
    let hangs_on = outcome.hangs_on.as_ref()?;
    let [first, second] = hangs_on.between.as_slice() else { return None };
    Some(if bars(outcome).is_empty() {
        format!(
            "Nothing moves the difference in success between “{first}” and “{second}” when it is changed by a tenth."
        )
    } else {
        format!(
            "By how much the difference in success between “{first}” and “{second}” moves when an input is changed by a tenth."
        )
    })
}

/// An input by the name that the editor has for it; else its path.
fn label(outcome: &Outcome, path: &str) -> String {
    let named = |fields: &[Field], path: &str| {
        let field = fields.iter().find(|field| field.path == path)?;
        Some(field.label.to_owned())
    };
    if let Some((index, rest)) = path.strip_prefix("faults.").and_then(|rest| rest.split_once('.')) {
        let faults = outcome.scenario.get("faults").map_or(&[][..], super::json::Json::items);
        let fault = index.parse().ok().and_then(|index: usize| faults.get(index)).map(fault_name);
        return format!(
            "{}: {}",
            fault.unwrap_or_else(|| "fault".to_owned()),
            named(FAULT, rest).unwrap_or_else(|| rest.to_owned())
        );
    }
    let fields =
        WORLD.iter().find_map(|(group, fields)| named(fields, path).map(|label| format!("{group}: {label}")));
    fields.unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::outcome::{read, stage};
    use super::*;

    #[test]
    fn inputs_have_the_names_of_the_editor_and_the_longest_bar_comes_first() {
        let mut outcome = stage::outcome();
        assert_eq!((bars(&outcome), heading(&outcome)), (Vec::new(), None));
        let message = r#"{"id":1,"between":["bad","good"],"inputs":[
            {"path":"faults.0.forMs","effect":-0.5},{"path":"provider.service.mean","effect":0.25},
            {"path":"provider.rateLimit.limit","effect":0.1},{"path":"clients.count","effect":0.0001}]}"#;
        outcome.take(read(message).unwrap().1);
        let shown: Vec<_> = bars(&outcome).into_iter().map(|bar| (bar.label, bar.share, bar.says)).collect();
        let expected = [
            ("pause: For", 1.0, "-50.0 points"),
            ("Provider: Mean", 0.5, "+25.0 points"),
            ("provider.rateLimit.limit", 0.2, "+10.0 points"),
        ];
        assert_eq!(shown, expected.map(|(label, share, says)| (label.to_owned(), share, says.to_owned())));
        assert!(heading(&outcome).unwrap().contains("between “bad” and “good”"));
        outcome.take(read(r#"{"id":1,"between":["bad","good"],"inputs":[]}"#).unwrap().1);
        assert!(heading(&outcome).unwrap().starts_with("Nothing moves"));
    }
}
