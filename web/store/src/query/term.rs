//! Filters that views write, to show the calls that a row of theirs is about.

/// A term of the filter that matches exactly these names. A filter cannot contain a quotation mark, so a name that has one is
/// matched by its beginning.
pub fn term(key: &str, names: &[String]) -> String {
    let is_quoted = |name: &str| {
        name.contains(|letter: char| letter.is_whitespace() || letter == ',')
            || name.starts_with([':', '<', '>', '='])
    };
    let choices = names.iter().map(|name| match name.split_once('"') {
        Some((start, _)) => format!("\"{start}\"*"),
        None if is_quoted(name) => format!("\"{name}\""),
        None => name.clone(),
    });
    format!("{key}:{}", choices.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Query;
    use crate::stage::Stage;

    #[test]
    fn a_written_term_holds_for_the_names_that_it_was_written_for() {
        let names = [
            "plan",
            "Plan the trip",
            "book, cut",
            "a:b",
            "=x",
            ":y",
            ">z",
            "-minus",
            "open",
            "group:task",
            "status:ok",
            "say \"hello\"",
            "mülleimer",
        ];
        let mut stage = Stage::new();
        for (number, name) in names.iter().enumerate() {
            let task = name.replace('"', "\\\"");
            stage.call("s", &number.to_string(), &format!(r#","task":"{task}""#));
        }
        let log = &stage.log;
        let found = |written: &str| {
            let filter = Query::parse(written).unwrap().prepare(&log.names);
            let calls = log.calls().filter(|(_, call)| filter.passes(log, call, stage.time));
            calls.map(|(_, call)| log.names.text(call.task).to_owned()).collect::<Vec<_>>()
        };
        for name in names {
            let written = term("task", &[name.to_owned()]);
            assert_eq!(found(&written), [name], "{written}");
        }
        assert_eq!(found(&term("task", &names.map(str::to_owned))), names);
    }
}
