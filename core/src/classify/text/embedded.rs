//! JSON inside texts: SDKs put a provider's response into their messages, and gateways one response into another.

use super::json;
use crate::classify::key::Key;
use crate::classify::thrown::{DEPTH_LIMIT, Node, Thrown};

/// Returns the JSON inside the value's texts, as a list. It is parsed once more, so that JSON inside that JSON is found
/// too.
pub(in crate::classify) fn embedded(thrown: &Thrown) -> [Thrown; 2] {
    let first = embedded_once(thrown);
    let second = embedded_once(&first);
    [first, second]
}

fn embedded_once(thrown: &Thrown) -> Thrown {
    let mut out = Thrown::default();
    if let Some(root) = thrown.root().filter(|_| thrown.may_hold_json()) {
        let place = out.open(Key::Item, true);
        let mut left = 4;
        read_embedded(root, 0, &mut left, &mut out);
        if let Some(place) = place {
            out.close(place);
        }
        if left == 4 {
            return Thrown::default();
        }
    }
    out
}

fn read_embedded(node: Node<'_>, depth: u8, left: &mut u8, out: &mut Thrown) {
    if depth > DEPTH_LIMIT || *left == 0 {
        return;
    }
    if let Some(text) = node.text() {
        if node.key().is_some_and(|key| WRAPPING_TEXTS.contains(&key))
            && let Some(json) = json::find(text).and_then(|at| text.get(at..))
        {
            *left -= 1;
            json::read(json, Key::Item, out);
        }
        return;
    }
    // A parser, a validator or a child process quotes its input, which does not come from a provider.
    let names = [node.get(Key::Class), node.get(Key::Name)];
    let quotes =
        names.iter().flatten().filter_map(|name| name.text()).any(|name| QUOTING_CLASSES.contains(&name));
    if quotes || node.get(Key::Cmd).is_some() {
        return;
    }
    // If the SDK has parsed a body, the message that quotes it need not be parsed again.
    let parsed = node.is_object() && node.get(Key::Error).is_some_and(Node::is_object);
    for child in node.children() {
        let quoted = parsed && child.key() == Some(Key::Message);
        if !quoted && !child.key().is_some_and(Key::is_header) {
            read_embedded(child, depth + 1, left, out);
        }
    }
}

/// Texts that may contain JSON: messages, and bodies that were kept as text.
const WRAPPING_TEXTS: [Key; 9] = [
    Key::Item,
    Key::Message,
    Key::Body,
    Key::ResponseBody,
    Key::Data,
    Key::Error,
    Key::Raw,
    Key::Detail,
    Key::Details,
];

/// Classes whose messages quote their input.
const QUOTING_CLASSES: [&str; 7] = [
    "SyntaxError",
    "ZodError",
    "$ZodError",
    "ValidationError",
    "AssertionError",
    "AI_JSONParseError",
    "AI_TypeValidationError",
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns how many JSON documents the texts of the value itself contain.
    fn documents(thrown: &Thrown) -> usize {
        embedded_once(thrown).root().map_or(0, |list| list.children().count())
    }

    fn of(json: &serde_json::Value) -> usize {
        documents(&Thrown::from_json(&json.to_string()))
    }

    #[test]
    fn four_documents_are_read() {
        let texts = |count: usize| vec![r#"late: {"code":1}"#; count];
        for (count, read) in [(0, 0), (1, 1), (4, 4), (6, 4)] {
            assert_eq!(of(&serde_json::json!({ "data": texts(count) })), read, "{count}");
        }
    }

    #[test]
    fn quoted_or_known_json_is_not_read_again() {
        let text = r#"late: {"code":1}"#;
        assert_eq!(of(&serde_json::json!({ "message": text })), 1);
        assert_eq!(of(&serde_json::json!({ "name": "SyntaxError", "message": text })), 0);
        assert_eq!(of(&serde_json::json!({ "cmd": "ls", "message": text })), 0);
        assert_eq!(of(&serde_json::json!({ "error": {}, "message": text })), 0);
        assert_eq!(of(&serde_json::json!({ "error": {}, "body": text })), 1);
    }

    #[test]
    fn texts_are_looked_for_to_a_depth() {
        for (depth, read) in [(24, 1), (25, 0), (26, 0)] {
            let inside = [&[Key::Message.number(), 3, 10, 0][..], br#"{"code":1}"#].concat();
            let lists = (0..depth).fold(inside, |inside, _| {
                [&[Key::Item.number(), 5][..], &u16::try_from(inside.len()).unwrap().to_le_bytes(), &inside]
                    .concat()
            });
            assert_eq!(documents(&Thrown::from_bytes(&lists)), read, "{depth}");
        }
    }
}
