//! A copy of JSON, as `pkg/src/classify/thrown.ts` makes one of a live value: the same properties in the same order,
//! within the same limits. So an error pasted as JSON gets the same classification as in the process that threw it.

use super::key::Key;
use super::read::Read;
use super::thrown::{ITEM_LIMIT, Node, Thrown};

/// The most UTF-16 units that are read of one text.
const TEXT_LIMIT: usize = 4096;
/// The most UTF-16 units that are read of a text in which no JSON begins.
const PROSE_LIMIT: usize = 1024;
/// The most causes that are followed, including those of a list of errors.
const CAUSE_LIMIT: u8 = 8;
/// Objects that are looked into.
const OBJECT_LIMIT: u8 = 48;

/// Copies a thrown value.
pub(super) fn of_thrown(json: Node<'_>) -> Thrown {
    let mut copy = Copy::default();
    copy.put(Key::Item, json, Read::Error);
    copy.out
}

/// Copies headers: an object, or a list of pairs.
pub(super) fn of_headers(json: Node<'_>) -> Thrown {
    let mut copy = Copy::default();
    copy.headers(Key::Item, json);
    copy.out
}

#[derive(Default)]
struct Copy {
    out: Thrown,
    objects: u8,
    causes: u8,
}

impl Copy {
    fn put(&mut self, under: Key, value: Node<'_>, read: Read) {
        if let Some(text) = value.text() {
            self.out.text(under, shortened(text));
        } else if let Some(number) = value.number() {
            self.out.number(under, number);
        } else if let Some(boolean) = value.boolean() {
            self.out.boolean(under, boolean);
        } else if value.is_list() {
            self.list(under, value, read);
        } else {
            self.object(under, value, read);
        }
    }

    fn open(&mut self, under: Key, list: bool) -> Option<usize> {
        if self.objects >= OBJECT_LIMIT {
            return None;
        }
        let place = self.out.open(under, list)?;
        self.objects += 1;
        Some(place)
    }

    fn object(&mut self, under: Key, value: Node<'_>, read: Read) {
        let Some(place) = self.open(under, false) else { return };
        if read == Read::Error
            && let Some(class) = value.get(Key::Class)
            && let Some(class) = class.text().or_else(|| class.get(Key::Name)?.text())
            && !matches!(class, "Object" | "Error")
        {
            self.out.text(Key::Class, shortened(class));
        }
        for &key in read.keys() {
            match value.get(key) {
                Some(found) if found.is_object() || found.is_list() => self.inner(key, found),
                Some(found) => self.put(key, found, Read::Body),
                None => {}
            }
        }
        self.out.close(place);
    }

    fn inner(&mut self, under: Key, value: Node<'_>) {
        match Read::under(under) {
            Read::Headers => self.headers(under, value),
            Read::Presence => {
                if let Some(place) = self.open(under, true) {
                    self.out.close(place);
                }
            }
            Read::Causes => self.put(under, value, Read::Error),
            Read::Error if !self.counts() => {}
            read => self.put(under, value, read),
        }
    }

    /// Returns `true` if one more cause may be followed.
    fn counts(&mut self) -> bool {
        self.causes = self.causes.saturating_add(1);
        self.causes <= CAUSE_LIMIT
    }

    fn list(&mut self, under: Key, value: Node<'_>, read: Read) {
        let Some(place) = self.open(under, true) else { return };
        for item in value.children().take(ITEM_LIMIT) {
            if read == Read::Error && under != Key::Item && !self.counts() {
                break;
            }
            self.put(Key::Item, item, read);
        }
        self.out.close(place);
    }

    fn headers(&mut self, under: Key, headers: Node<'_>) {
        let Some(place) = self.open(under, false) else { return };
        for header in headers.children() {
            let Some(key) = header.key().filter(|key| key.is_header()) else { continue };
            // A header that came several times is a list, of which the first value counts.
            let value = if header.is_list() { header.children().next() } else { Some(header) };
            if let Some(text) = value.and_then(Node::text) {
                self.out.text(key, shortened(text));
            } else if let Some(number) = value.and_then(Node::number) {
                self.out.text(key, &number.to_string());
            }
        }
        self.out.close(place);
    }
}

/// Prose describes the failure at its beginning. JSON and pages are read up to the limit for any text.
fn shortened(text: &str) -> &str {
    let prose = units(text, PROSE_LIMIT);
    if prose.contains(['{', '<']) { units(text, TEXT_LIMIT) } else { prose }
}

/// Returns the text's first UTF-16 units, without splitting a surrogate pair.
fn units(text: &str, limit: usize) -> &str {
    let mut left = limit;
    let end = text.char_indices().find(|(_, character)| match left.checked_sub(character.len_utf16()) {
        Some(rest) => {
            left = rest;
            false
        }
        None => true,
    });
    end.and_then(|(at, _)| text.get(..at)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Its objects and lists.
    fn inside(node: Node<'_>) -> usize {
        let own = usize::from(node.is_object() || node.is_list());
        own + node.children().map(inside).sum::<usize>()
    }

    #[test]
    fn so_many_objects_are_looked_into() {
        let list = format!("[{}]", ["{}"; 7].join(","));
        let lists = format!(r#"{{"data":[{}]}}"#, [list.as_str(); 8].join(","));
        let thrown = Thrown::from_json(&lists);
        assert_eq!(inside(thrown.root().unwrap()), usize::from(OBJECT_LIMIT));
    }

    #[test]
    fn so_many_causes_are_followed() {
        let chain = (0..12).fold("{}".to_owned(), |inside, _| format!(r#"{{"cause":{inside}}}"#));
        let thrown = Thrown::from_json(&chain);
        assert_eq!(inside(thrown.root().unwrap()), 1 + usize::from(CAUSE_LIMIT));
        let list = format!(r#"{{"cause":{{"cause":{{"errors":[{}]}}}}}}"#, ["{}"; 8].join(","));
        let thrown = Thrown::from_json(&list);
        // The error, two causes, and a list of the remaining six.
        assert_eq!(inside(thrown.root().unwrap()), 3 + 1 + 6);
    }

    #[test]
    fn only_causes_count_as_causes() {
        let list = format!("[{}]", ["{}"; 8].join(","));
        let thrown = Thrown::from_json(&list);
        assert_eq!(inside(thrown.root().unwrap()), 9);
        let body = format!(r#"{{"data":{list},"body":{list}}}"#);
        let thrown = Thrown::from_json(&body);
        assert_eq!(inside(thrown.root().unwrap()), 1 + 9 + 9);
    }

    #[test]
    fn an_error_has_a_class_and_a_body_none() {
        let class = |json: &str, under: Option<Key>| {
            let thrown = Thrown::from_json(json);
            let root = thrown.root()?;
            let node = if let Some(key) = under { root.get(key)? } else { root };
            node.get(Key::Class)?.text().map(str::to_owned)
        };
        assert_eq!(class(r#"{"constructor":"LateError"}"#, None).as_deref(), Some("LateError"));
        assert_eq!(class(r#"{"constructor":"Error"}"#, None), None);
        assert_eq!(class(r#"{"data":{"constructor":"LateError"}}"#, Some(Key::Data)), None);
    }

    #[test]
    fn a_text_is_one_wherever_it_stands() {
        let thrown = Thrown::from_json(r#"{"headers":"late","data":"later"}"#);
        let text = |key: Key| thrown.root()?.get(key)?.text().map(str::to_owned);
        assert_eq!(
            (text(Key::Headers).as_deref(), text(Key::Data).as_deref()),
            (Some("late"), Some("later"))
        );
    }
}
