//! Foreign texts in Markdown: they stay texts, whatever they contain.

/// Returns a fence that the text cannot close: one backtick more than its longest run of them, at least three.
pub(super) fn fenced(language: &str, text: &str) -> String {
    let mut longest = 2;
    let mut run = 0;
    for character in text.chars() {
        run = if character == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    format!("{fence}{language}\n{text}\n{fence}")
}

/// Returns the text on one line, without images, links and tags, so that nothing in a report loads or leads anywhere.
///
/// A bare address becomes code, because GitHub and others make a link of it, and no escape stops all of them.
pub(super) fn inline(text: &str) -> String {
    let words = text.split(|character: char| {
        character == ' ' || character.is_control() || matches!(character, '\u{2028}' | '\u{2029}')
    });
    // A lone backtick of the text would close the code of an address, so each of them is escaped then.
    let escaped = leads_somewhere(text);
    let mut line = String::with_capacity(text.len());
    for word in words.filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        if leads_somewhere(word) {
            line.extend(
                ['`'].into_iter().chain(word.chars().filter(|&character| character != '`')).chain(['`']),
            );
            continue;
        }
        for character in word.chars() {
            if (character == '(' && line.ends_with(']'))
                || (character == '[' && line.ends_with('!'))
                || character == '<'
                || (character == '`' && escaped)
            {
                line.push('\\');
            }
            line.push(character);
        }
    }
    line
}

/// Returns `true` if renderers of GitHub's Markdown turn the word into a link or a mention
/// (<https://github.github.com/gfm/#autolinks-extension->).
#[must_use]
pub fn leads_somewhere(word: &str) -> bool {
    let has = |what: &str| {
        word.as_bytes().windows(what.len()).any(|part| part.eq_ignore_ascii_case(what.as_bytes()))
    };
    ["://", "www.", "mailto:", "xmpp:", "@"].iter().any(|start| has(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_text_stays_on_its_line_and_leads_nowhere() {
        assert_eq!(inline("a\r\n\n# b"), "a # b");
        assert_eq!(inline("![x](/a) <b>"), "!\\[x]\\(/a) \\<b>");
        assert_eq!(inline("![x](http://a/?q=1) <img src=x>"), "`![x](http://a/?q=1)` \\<img src=x>");
        assert_eq!(
            inline("see https://a.example/?q=1, or www.b.example"),
            "see `https://a.example/?q=1,` or `www.b.example`"
        );
        assert_eq!(inline("`curl http://a` @team"), "\\`curl `http://a` `@team`");
        assert_eq!(inline("Missing required parameter 'api_key'"), "Missing required parameter 'api_key'");
    }

    proptest! {
        #[test]
        fn no_text_closes_its_own_fence(text in "[`a\n ]{0,60}") {
            let whole = fenced("json", &text);
            let fence: String = whole.chars().take_while(|&character| character == '`').collect();
            let lines: Vec<&str> = whole.split('\n').collect();
            let inner = &lines[1..lines.len() - 1];
            prop_assert!(inner.iter().all(|line| !line.contains(&fence)));
        }
    }
}
