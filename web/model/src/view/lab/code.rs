//! A policy of the lab as code.

use super::json::Json;

/// The options that are functions outside of the lab.
const FALLBACK: &str = "fallback";

/// `createPolicy` with these options.
pub fn policy(options: &Json) -> String {
    let known: Vec<_> = options.fields().iter().filter(|(key, _)| key != FALLBACK).collect();
    let answers = options.get(FALLBACK) == Some(&Json::Bool(true));
    let notes =
        if answers { "  // fallback: a function that answers where the provider does not\n" } else { "" };
    let head = "import { createPolicy } from 'halfopen';\n\nexport const policy = createPolicy(";
    if known.is_empty() && notes.is_empty() {
        return format!("{head}{{}});\n");
    }
    let fields: String =
        known.iter().map(|(key, value)| format!("  {}: {},\n", name(key), literal(value))).collect();
    format!("{head}{{\n{fields}{notes}}});\n")
}

fn literal(value: &Json) -> String {
    match value {
        // JSON has no number for it.
        Json::Text(text) if text == "Infinity" => "Number.POSITIVE_INFINITY".to_owned(),
        Json::Text(text) => quoted(text),
        Json::List(items) => format!("[{}]", items.iter().map(literal).collect::<Vec<_>>().join(", ")),
        Json::Map(fields) if fields.is_empty() => "{}".to_owned(),
        Json::Map(fields) => {
            let fields: Vec<_> =
                fields.iter().map(|(key, value)| format!("{}: {}", name(key), literal(value))).collect();
            format!("{{ {} }}", fields.join(", "))
        }
        plain => plain.compact(),
    }
}

fn name(key: &str) -> String {
    let plain = key.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        && !key.starts_with(|letter: char| letter.is_ascii_digit());
    if plain && !key.is_empty() { key.to_owned() } else { quoted(key) }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_is_code_to_paste() {
        let options = r#"{"retry":{"maxRetries":10,"maxDelayMs":"Infinity","retryOn":["network"]},"breaker":false,"fallback":true}"#;
        assert_eq!(
            policy(&Json::parse(options).unwrap()),
            "import { createPolicy } from 'halfopen';\n\nexport const policy = createPolicy({\n  retry: { maxRetries: 10, \
             maxDelayMs: Number.POSITIVE_INFINITY, retryOn: ['network'] },\n  breaker: false,\n  \
             // fallback: a function that answers where the provider does not\n});\n"
        );
        assert!(policy(&Json::parse("{}").unwrap()).ends_with("createPolicy({});\n"));
    }
}
