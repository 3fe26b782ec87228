//! A scenario in the page's address: its JSON in base64url, behind `#lab=`.

use super::json::Json;

/// The text before it.
pub const MARK: &str = "#lab=";
/// Longer addresses are cut by mail programs and chats.
pub const MOST: usize = 8_000;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The part of an address behind its path; `None` for a scenario that is too long for one.
pub fn fragment(scenario: &Json) -> Option<String> {
    let text = scenario.compact();
    let encoded: String = text
        .as_bytes()
        .chunks(3)
        .flat_map(|chunk| {
            let bits = (0..3).fold(0, |bits, at| bits << 8 | u32::from(chunk.get(at).copied().unwrap_or(0)));
            (0..=chunk.len()).map(move |at| {
                let six = bits >> (18 - 6 * at) & 63;
                char::from(ALPHABET.get(six as usize).copied().unwrap_or(b'A'))
            })
        })
        .collect();
    let fragment = format!("{MARK}{encoded}");
    (fragment.len() <= MOST).then_some(fragment)
}

/// The scenario of an address's fragment.
pub fn scenario(fragment: &str) -> Option<Json> {
    let encoded = fragment.strip_prefix(MARK)?;
    let mut bytes = Vec::with_capacity(encoded.len() * 3 / 4);
    let (mut bits, mut held) = (0_u32, 0);
    for letter in encoded.bytes() {
        let six = ALPHABET.iter().position(|known| *known == letter)?;
        bits = bits << 6 | u32::try_from(six).ok()?;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from(bits >> held & 255).ok()?);
        }
    }
    Json::parse(std::str::from_utf8(&bytes).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::super::presets::{PRESETS, scenario as of};
    use super::*;

    #[test]
    fn what_is_shared_comes_back() {
        for preset in PRESETS {
            let before = of(preset);
            let fragment = fragment(&before).unwrap();
            assert!(fragment.bytes().all(|byte| byte.is_ascii_graphic()));
            assert_eq!(scenario(&fragment), Some(before));
        }
        for text in ["", "a", "ab", "abc", "übermäßig 🎈"] {
            let json = Json::Text(text.into());
            assert_eq!(scenario(&fragment(&json).unwrap()), Some(json));
        }
    }

    #[test]
    fn what_is_none_is_none_and_too_long_is_not_shared() {
        assert_eq!(scenario("#lab=%%%"), None);
        assert_eq!(scenario("#other"), None);
        assert_eq!(fragment(&Json::Text("x".repeat(MOST))), None);
    }
}
