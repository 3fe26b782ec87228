//! Texts from elsewhere on their way into Markdown: they stay texts, whatever they say.

/// A fence that the text cannot close: one backtick more than its longest run of them, three at least.
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

/// The text on one line, without images, links and tags: none of them may load or lead anywhere from a report.
pub(super) fn inline(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut space = false;
    for character in text.trim().chars() {
        if character.is_control() || character == '\u{2028}' || character == '\u{2029}' {
            space = true;
            continue;
        }
        if std::mem::take(&mut space) && !line.ends_with(' ') {
            line.push(' ');
        }
        if (character == '(' && line.ends_with(']'))
            || (character == '[' && line.ends_with('!'))
            || character == '<'
        {
            line.push('\\');
        }
        line.push(character);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_text_stays_on_its_line_and_leads_nowhere() {
        assert_eq!(inline("a\r\n\n# b"), "a # b");
        assert_eq!(inline("![x](http://a/?q=1) <img src=x>"), "!\\[x]\\(http://a/?q=1) \\<img src=x>");
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
