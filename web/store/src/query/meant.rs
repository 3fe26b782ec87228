//! The filter that somebody meant whose filter finds nothing or cannot be read.

use super::grammar::{split, unquoted};
use super::keys::{self, NAMED, NUMBERS, TEXTS, WORDS};
use crate::call::Status;

/// The filter that was meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meant {
    /// The term: `status:failed`.
    pub term: String,
    /// The whole filter with it.
    pub filter: String,
}

/// Returns the filter that was meant, if a term of one is the name of a status without its key, or has a key that does not exist.
/// Legends show the names of statuses, and as a word `failed` is searched for in names and texts.
pub fn meant(text: &str) -> Option<Meant> {
    let mut terms = split(text, char::is_whitespace);
    let term = terms.iter_mut().find_map(|term| {
        *term = meant_by(term)?;
        Some(term.clone())
    })?;
    Some(Meant { term, filter: terms.join(" ") })
}

fn meant_by(term: &str) -> Option<String> {
    let body = term.strip_prefix('-').unwrap_or(term);
    let minus = term.strip_suffix(body)?;
    let Some(at) = body.find([':', '<', '>', '=', '"']) else {
        // A word of the filter means what it says.
        let is_status = is_status(&body.to_lowercase()) && keys::find(WORDS, body).is_none();
        return is_status.then(|| format!("{minus}status:{}", body.to_lowercase()));
    };
    let (key, rest) = body.split_at(at);
    let named = NAMED.iter().map(|key| key.word).chain(TEXTS.iter().map(|key| key.word));
    let known: Vec<_> = named.chain(NUMBERS.iter().map(|key| key.word)).chain(["group"]).collect();
    if rest.starts_with('"') || known.iter().any(|known| known.eq_ignore_ascii_case(key)) {
        return None;
    }
    // `outcome:failed` means `status:failed`, whichever key is spelt like the one that was typed.
    let value = rest.trim_start_matches([':', '=', '<', '>']);
    let key = if is_status(&unquoted(value)) { "status" } else { nearest(key, &known)? };
    Some(format!("{minus}{key}{rest}"))
}

fn is_status(word: &str) -> bool {
    Status::ALL.iter().any(|status| status.word() == word)
}

/// Returns the most similar word; `None` if all are too different.
fn nearest<'a>(misspelt: &str, words: &[&'a str]) -> Option<&'a str> {
    let misspelt = misspelt.to_lowercase();
    let most = misspelt.len().div_ceil(3).max(2);
    let near = words.iter().map(|word| (distance(misspelt.as_bytes(), word.as_bytes()), *word));
    near.filter(|near| near.0 <= most).min_by_key(|near| near.0).map(|near| near.1)
}

/// Levenshtein's distance. Words of the filter are ASCII, so it counts bytes.
fn distance(from: &[u8], to: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=from.len()).collect();
    let mut last = from.len();
    for (above, byte) in to.iter().enumerate() {
        let mut diagonal = above;
        last = above + 1;
        if let Some(first) = row.first_mut() {
            *first = last;
        }
        for (cell, other) in row.iter_mut().skip(1).zip(from) {
            let substituted = diagonal + usize::from(other != byte);
            diagonal = *cell;
            last = substituted.min(diagonal + 1).min(last + 1);
            *cell = last;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_status_without_its_key_is_recognised() {
        let meant = |text| meant(text).map(|meant| (meant.term, meant.filter));
        let expected = |term: &str, filter: &str| Some((term.to_owned(), filter.to_owned()));
        assert_eq!(meant("failed"), expected("status:failed", "status:failed"));
        assert_eq!(
            meant(r#"task:"book, cut" -Failed trip"#),
            expected("-status:failed", r#"task:"book, cut" -status:failed trip"#)
        );
        // A word of the filter means what it says.
        assert_eq!(
            [meant("silent"), meant("\"failed\""), meant("status:failed"), meant("trip")],
            [const { None }; 4]
        );
    }

    #[test]
    fn a_key_that_does_not_exist_is_replaced_by_the_one_that_was_meant() {
        let meant = |text| meant(text).map(|meant| meant.filter);
        for (text, expected) in [
            ("outcome:failed", "status:failed"),
            ("trip -polcy:chat", "trip -policy:chat"),
            ("atempts>=3", "attempts>=3"),
        ] {
            assert_eq!(meant(text).as_deref(), Some(expected));
        }
        assert_eq!([meant("colour:red"), meant("policy:chat"), meant("")], [const { None }; 3]);
    }

    #[test]
    fn the_distance_counts_letters_to_insert_drop_or_replace() {
        let of = |from: &str, to: &str| distance(from.as_bytes(), to.as_bytes());
        assert_eq!([of("", "abc"), of("abc", ""), of("abc", "abc")], [3, 3, 0]);
        assert_eq!([of("kitten", "sitting"), of("polcy", "policy"), of("sunday", "saturday")], [3, 1, 3]);
    }

    #[test]
    fn a_misspelt_word_is_recognised_and_another_one_is_not() {
        let meant = |word| nearest(word, &["code", "policy", "provider"]);
        assert_eq!(
            [meant("polcy"), meant("Provder"), meant("colour")],
            [Some("policy"), Some("provider"), None]
        );
    }
}
