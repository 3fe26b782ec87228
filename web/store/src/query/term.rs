//! Filters that views write, to show the calls that a row of theirs is about.

/// A term of the filter that holds for these names and no others. There is no way to write a quotation mark in a filter:
/// of a name with one its beginning is looked for.
pub fn term(key: &str, names: &[String]) -> String {
    let choices = names.iter().map(|name| match name.split_once('"') {
        Some((start, _)) => format!("\"{start}\"*"),
        None if name.contains(|letter: char| letter.is_whitespace() || letter == ',') => {
            format!("\"{name}\"")
        }
        None => name.clone(),
    });
    format!("{key}:{}", choices.collect::<Vec<_>>().join(","))
}
