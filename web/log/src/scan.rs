//! One pass over JSON: the position of each member of an object, its value unread.
//!
//! Accepts RFC 8259 and two extensions that real writers produce: unescaped control characters in a string, and halves
//! of surrogate pairs (`JSON.stringify` writes them; they read as U+FFFD).

use memchr::memchr2;

/// A value, in the line's own notation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// The text between the quotes.
    Text {
        raw: &'a str,
        escaped: bool,
    },
    Number(&'a str),
    Flag(bool),
    Null,
    /// An object or an array, whole.
    Nested(&'a str),
}

/// Why the scan stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The text ends before its JSON does.
    Torn,
    /// Something else was expected at that byte.
    Unexpected { expected: &'static str, at: usize },
}

/// Deepest nesting that is scanned: a bit for each level.
const DEEPEST: u32 = 127;

/// A position in the text.
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Calls `member` with each member of the object that the whole text is. Keys come as they are written, escapes and all.
    pub(super) fn object(&mut self, mut member: impl FnMut(&'a str, Token<'a>)) -> Result<(), Fault> {
        self.expect(b'{', "an object")?;
        if self.next_is(b'}') {
            return self.end();
        }
        loop {
            self.expect(b'"', "a name in quotes")?;
            let (key, _) = self.rest_of_string()?;
            self.expect(b':', "a colon")?;
            let value = self.value()?;
            member(key, value);
            if self.next_is(b'}') {
                return self.end();
            }
            self.expect(b',', "a comma or the object's end")?;
        }
    }

    /// Calls `item` with each item of the array that the whole text is.
    pub(super) fn array(&mut self, mut item: impl FnMut(Token<'a>)) -> Result<(), Fault> {
        self.expect(b'[', "an array")?;
        if self.next_is(b']') {
            return self.end();
        }
        loop {
            item(self.value()?);
            if self.next_is(b']') {
                return self.end();
            }
            self.expect(b',', "a comma or the array's end")?;
        }
    }

    fn value(&mut self) -> Result<Token<'a>, Fault> {
        self.skip_space();
        let start = self.at;
        match self.peek() {
            Some(b'"') => {
                self.at += 1;
                let (raw, escaped) = self.rest_of_string()?;
                Ok(Token::Text { raw, escaped })
            }
            Some(b'{' | b'[') => {
                self.nested()?;
                Ok(Token::Nested(self.since(start)))
            }
            _ => self.scalar(),
        }
    }

    fn scalar(&mut self) -> Result<Token<'a>, Fault> {
        match self.peek() {
            None => Err(Fault::Torn),
            Some(b't') => self.word("true", Token::Flag(true)),
            Some(b'f') => self.word("false", Token::Flag(false)),
            Some(b'n') => self.word("null", Token::Null),
            _ => self.number(),
        }
    }

    fn word(&mut self, word: &'static str, token: Token<'a>) -> Result<Token<'a>, Fault> {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        if rest.starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(token)
        } else if word.as_bytes().starts_with(rest) {
            Err(Fault::Torn)
        } else {
            self.unexpected("a value")
        }
    }

    fn number(&mut self) -> Result<Token<'a>, Fault> {
        let start = self.at;
        let minus = self.take(b'-');
        let leading_zero = self.peek() == Some(b'0');
        let whole = self.digits();
        if whole == 0 {
            return if minus && self.peek().is_none() {
                Err(Fault::Torn)
            } else {
                self.unexpected("a value")
            };
        }
        if leading_zero && whole > 1 {
            return self.unexpected("a number without a leading zero");
        }
        if self.take(b'.') && self.digits() == 0 {
            return self.digit_missing();
        }
        if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'+') || self.take(b'-');
            if self.digits() == 0 {
                return self.digit_missing();
            }
        }
        Ok(Token::Number(self.since(start)))
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
    }

    fn digit_missing<T>(&self) -> Result<T, Fault> {
        if self.peek().is_none() { Err(Fault::Torn) } else { self.unexpected("a digit") }
    }

    /// Reads up to the closing quote. Returns the text between the quotes, and whether it has escapes.
    fn rest_of_string(&mut self) -> Result<(&'a str, bool), Fault> {
        let (start, mut escaped) = (self.at, false);
        let bytes = self.text.as_bytes();
        loop {
            let rest = bytes.get(self.at..).unwrap_or_default();
            self.at += memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
            match bytes.get(self.at) {
                Some(b'"') => {
                    let raw = self.since(start);
                    self.at += 1;
                    return Ok((raw, escaped));
                }
                Some(b'\\') => {
                    escaped = true;
                    self.at += 1;
                    self.escape()?;
                }
                _ => return Err(Fault::Torn),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Fault> {
        match self.peek() {
            None => Err(Fault::Torn),
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 1;
                Ok(())
            }
            Some(b'u') => {
                self.at += 1;
                for _ in 0..4 {
                    match self.peek() {
                        None => return Err(Fault::Torn),
                        Some(byte) if byte.is_ascii_hexdigit() => self.at += 1,
                        Some(_) => return self.unexpected("four hexadecimal digits"),
                    }
                }
                Ok(())
            }
            Some(_) => self.unexpected("an escape of JSON"),
        }
    }

    /// Skips an object or array, without recursion, so that a hostile depth cannot exhaust the stack.
    fn nested(&mut self) -> Result<(), Fault> {
        // A bit for each level that is open, the innermost lowest: 1 for an object.
        let (mut levels, mut depth) = (0_u128, 0_u32);
        loop {
            // At the beginning of a value.
            self.skip_space();
            let opens = match self.peek() {
                Some(b'{') => Some(true),
                Some(b'[') => Some(false),
                _ => None,
            };
            if let Some(object) = opens {
                if depth == DEEPEST {
                    return self.unexpected("less deeply nested values");
                }
                self.at += 1;
                levels = levels << 1 | u128::from(object);
                depth += 1;
                if !self.next_is(if object { b'}' } else { b']' }) {
                    if object {
                        self.name()?;
                    }
                    continue;
                }
                levels >>= 1;
                depth -= 1;
            } else if self.take(b'"') {
                self.rest_of_string()?;
            } else {
                self.scalar()?;
            }
            // After a value come any number of ends, then perhaps the next value.
            while depth > 0 && self.next_is(if levels & 1 == 1 { b'}' } else { b']' }) {
                levels >>= 1;
                depth -= 1;
            }
            if depth == 0 {
                return Ok(());
            }
            self.expect(b',', "a comma or an end")?;
            if levels & 1 == 1 {
                self.name()?;
            }
        }
    }

    fn name(&mut self) -> Result<(), Fault> {
        self.expect(b'"', "a name in quotes")?;
        self.rest_of_string()?;
        self.expect(b':', "a colon")
    }

    fn end(&mut self) -> Result<(), Fault> {
        self.skip_space();
        if self.peek().is_none() { Ok(()) } else { self.unexpected("the end of the line") }
    }

    fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), Fault> {
        match self.next_is(byte) {
            true => Ok(()),
            false if self.peek().is_none() => Err(Fault::Torn),
            false => self.unexpected(expected),
        }
    }

    fn unexpected<T>(&self, expected: &'static str) -> Result<T, Fault> {
        Err(Fault::Unexpected { expected, at: self.at })
    }

    /// Skips white space, and then `byte` if it is next.
    fn next_is(&mut self, byte: u8) -> bool {
        self.skip_space();
        self.take(byte)
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn scan(text: &str) -> Result<Vec<(&str, Token<'_>)>, Fault> {
        let mut members = Vec::new();
        Scanner::new(text).object(|key, value| members.push((key, value)))?;
        Ok(members)
    }

    #[test]
    fn members_come_with_their_values_unread() {
        let text = r#" { "a" : "x\"y" , "b":-1.5e3,"c":[1,{"d":[]},{}],"e":null,"f":false, "g":{} } "#;
        assert_eq!(
            scan(text).unwrap(),
            [
                ("a", Token::Text { raw: r#"x\"y"#, escaped: true }),
                ("b", Token::Number("-1.5e3")),
                ("c", Token::Nested(r#"[1,{"d":[]},{}]"#)),
                ("e", Token::Null),
                ("f", Token::Flag(false)),
                ("g", Token::Nested("{}")),
            ]
        );
    }

    #[test]
    fn what_is_no_json_says_what_was_expected_and_where() {
        for (text, expected, at) in [
            ("[]", "an object", 0),
            (r#"{"a":01}"#, "a number without a leading zero", 7),
            (r#"{"a":1.}"#, "a digit", 7),
            (r#"{"a":tree}"#, "a value", 5),
            (r#"{"a":"\x"}"#, "an escape of JSON", 7),
            (r#"{"a":1 "b":2}"#, "a comma or the object's end", 7),
            (r#"{"a":1}x"#, "the end of the line", 7),
            (r#"{"a":[1,]}"#, "a value", 8),
        ] {
            assert_eq!(scan(text), Err(Fault::Unexpected { expected, at }), "{text}");
        }
        let deep = format!("{{\"a\":{}", "[".repeat(100_000));
        assert!(matches!(scan(&deep), Err(Fault::Unexpected { expected: "less deeply nested values", .. })));
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "\\PC{0,8}".prop_map(Value::from),
            "[\"\\\\\n\t\u{0}/é😀]{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-c\"]{0,2}", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_serde_writes_is_read_whole(value in json(), pretty: bool) {
            let object = serde_json::json!({ "k": value });
            let text = if pretty { serde_json::to_string_pretty(&object).unwrap() } else { object.to_string() };
            let members = scan(&text).unwrap();
            prop_assert_eq!(members.len(), 1);
            let again: Value = match members[0].1 {
                Token::Text { raw, escaped } => (&*halfopen::unescape::unescape(raw, escaped)).into(),
                Token::Number(raw) | Token::Nested(raw) => serde_json::from_str(raw).unwrap(),
                Token::Flag(flag) => flag.into(),
                Token::Null => Value::Null,
            };
            let known: Value = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(&again, &known["k"]);
        }

        #[test]
        fn it_takes_what_serde_takes(text in r#"[\{\}\[\]:,"\\ue0-9tfn.+ -]{0,24}"#) {
            let text = format!("{{\"k\":{text}}}");
            let known = serde_json::from_str::<serde_json::Map<String, Value>>(&text);
            // Numbers out of range and half surrogates are the caller's business.
            if known.is_ok() {
                prop_assert!(scan(&text).is_ok(), "{}", text);
            } else if scan(&text).is_ok() {
                let why = known.unwrap_err().to_string();
                prop_assert!(why.contains("out of range") || why.contains("surrogate") || why.contains("hex"), "{} {}", text, why);
            }
        }
    }
}
