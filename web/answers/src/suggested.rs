//! A classifier for an error that no rule recognises, as `explainClassification` of the package suggests it.

use serde_json::Value;

/// The fields that may hold an error's own code, the most specific first.
const TELLING: &[&str] = &["code", "errorCode", "error_code", "type", "reason", "name"];

/// A classifier that requires the first code or name of the error that was read and may be shown; `None` where there is
/// none. It never asks for the error's text.
pub(crate) fn classifier(error: &str, signals: &Value) -> Option<String> {
    let error: Value = serde_json::from_str(error).ok()?;
    let read = |list: &str| signals.get(list).and_then(Value::as_array).cloned().unwrap_or_default();
    let shown = [read("codes"), read("names")].concat();
    let stated =
        |key: &&&str| error.get(**key).is_some_and(|value| value.is_string() && shown.contains(value));
    let key = TELLING.iter().find(stated)?;
    let value = error.get(*key)?.as_str()?;
    Some(format!(
        "classify: (error) => {{
  const {{ {key} }} = error as {{ {key}?: unknown }};
  // Retried; for what cannot succeed when sent again, take the code that says so.
  return {key} === '{value}' ? {{ code: 'SERVER_ERROR' }} : undefined;
}},"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_most_telling_code_that_may_be_shown_is_required() {
        let signals = json!({ "codes": ["E_QUEUE_7"], "names": ["QueueError"] });
        let both = classifier(r#"{"name":"QueueError","code":"E_QUEUE_7"}"#, &signals).unwrap();
        assert!(both.contains("return code === 'E_QUEUE_7' ?"), "{both}");
        let name = classifier(r#"{"name":"QueueError","code":"secret"}"#, &signals).unwrap();
        assert!(name.contains("return name === 'QueueError' ?"), "{name}");
    }

    #[test]
    fn an_error_without_a_code_that_was_read_has_no_classifier() {
        for error in [r#"{"message":"boom"}"#, r#"{"code":"other"}"#, r#"{"code":7}"#, "no JSON", "[]"] {
            assert_eq!(classifier(error, &json!({ "codes": ["E_QUEUE_7"] })), None, "{error}");
        }
    }
}
