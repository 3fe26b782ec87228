//! The table of answers in every format, whole and in chunks, and the verdict on each.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use halfopen::response::{Answers, Failure, Handler, Lack, Verdict};
use serde_json::{Value, json};

const ALL: &[Lack] = &[Lack::Empty, Lack::Refused, Lack::Filtered, Lack::Truncated, Lack::BrokenToolCall];

/// `CODE retryable remedy`, or `answer`.
fn said(verdict: Option<&Verdict>) -> String {
    let Some(Verdict { fault, retryable, remedy }) = verdict else { return "answer".to_owned() };
    let remedy = remedy.as_ref().map_or_else(String::new, |remedy| {
        format!(
            " {}{}",
            remedy.kind(),
            remedy.because().map(|because| format!(":{because}")).unwrap_or_default()
        )
    });
    format!("{}{}{remedy}", fault.code().as_str(), if *retryable { " retryable" } else { "" })
}

fn whole(answers: Answers, answer: &Value) -> String {
    said(Handler::judge(answers, &answer).as_ref())
}

/// The verdict on a stream: at its end, or where a chunk brings it.
fn streamed(answers: Answers, chunks: &[Value]) -> String {
    let mut handler = Handler::judging(answers);
    for chunk in chunks {
        let Some((outlook, reading)) = handler.outlook().read(&chunk) else { continue };
        match handler.apply(outlook, reading).failure {
            None => {}
            Some(Failure::Verdict(verdict)) => return said(Some(&verdict)),
            Some(Failure::Fault(fault)) => {
                let retryable = fault.is_retryable();
                return said(Some(&Verdict { fault, retryable, remedy: None }));
            }
            Some(other) => panic!("{other:?}"),
        }
    }
    said(handler.verdict::<&Value>().as_ref())
}

fn chat(message: &Value, finish: &Value) -> Value {
    json!({"id": "x", "object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": finish}]})
}

fn chat_chunks(delta: &Value, finish: &Value) -> Vec<Value> {
    let chunk = |delta: &Value, finish: &Value| json!({"id": "x", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
    let mut first = delta.clone();
    if let Some(calls) = first.get_mut("tool_calls").and_then(Value::as_array_mut) {
        for (index, call) in calls.iter_mut().enumerate() {
            call["index"] = json!(index);
        }
    }
    vec![
        chunk(&json!({"role": "assistant", "content": ""}), &Value::Null),
        chunk(&first, &Value::Null),
        chunk(&json!({}), finish),
    ]
}

fn call(arguments: &str) -> Value {
    json!({"content": null, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "search", "arguments": arguments}}]})
}

#[test]
fn chat_completions_are_judged_alike_whole_and_in_chunks() {
    let cases = [
        (json!({"content": "Paris"}), json!("stop"), "answer"),
        (json!({"content": " \n"}), json!("stop"), "INVALID_RESPONSE retryable ask-again:empty"),
        (
            json!({"content": null, "reasoning_content": "hm"}),
            json!("stop"),
            "INVALID_RESPONSE retryable ask-again:empty",
        ),
        (json!({"content": ""}), json!("length"), "INVALID_RESPONSE raise-output-limit"),
        (json!({"content": ""}), json!("content_filter"), "CONTENT_FILTERED other-model:filtered"),
        (json!({"content": "The beginning"}), json!("content_filter"), "answer"),
        (json!({"content": "The beginning"}), json!("length"), "answer"),
        (json!({"content": null, "refusal": "I cannot."}), json!("stop"), "answer"),
        (json!({"content": null, "audio": {"id": "a"}}), json!("stop"), "answer"),
        (json!({"content": "x"}), Value::Null, "INVALID_RESPONSE retryable"),
        (json!({"content": ""}), Value::Null, "INVALID_RESPONSE retryable"),
        (call(r#"{"for":"tea"}"#), json!("tool_calls"), "answer"),
        (call(""), json!("tool_calls"), "answer"),
        (
            call(r#"{"for":"te"#),
            json!("tool_calls"),
            "INVALID_RESPONSE retryable ask-again:invalid-arguments",
        ),
        (call(r#"{"for":"te"#), json!("length"), "INVALID_RESPONSE retryable raise-output-limit"),
        (call(""), json!("length"), "INVALID_RESPONSE retryable raise-output-limit"),
        (json!({"content": "x"}), json!("error"), "INVALID_RESPONSE retryable"),
    ];
    for (message, finish, expected) in cases {
        let name = format!("{message} {finish}");
        assert_eq!(whole(Answers::default(), &chat(&message, &finish)), expected, "whole {name}");
        assert_eq!(
            streamed(Answers::default(), &chat_chunks(&message, &finish)),
            expected,
            "streamed {name}"
        );
    }
}

#[test]
fn what_is_accepted_is_no_failure_and_what_is_not_is_one() {
    let strict = Answers::failing(ALL);
    let lenient = Answers::failing(&[]);
    let cases = [
        (json!({"content": ""}), "stop", "INVALID_RESPONSE retryable ask-again:empty"),
        (json!({"refusal": "I cannot."}), "stop", "CONTENT_FILTERED other-model:refused"),
        (json!({"content": "The"}), "content_filter", "CONTENT_FILTERED other-model:filtered"),
        (json!({"content": "The"}), "length", "INVALID_RESPONSE raise-output-limit"),
        (call("{"), "tool_calls", "INVALID_RESPONSE retryable ask-again:invalid-arguments"),
    ];
    for (message, finish, expected) in cases {
        let answer = chat(&message, &json!(finish));
        assert_eq!(
            (whole(strict, &answer), whole(lenient, &answer)),
            (expected.to_owned(), "answer".to_owned())
        );
        let chunks = chat_chunks(&message, &json!(finish));
        assert_eq!(
            (streamed(strict, &chunks), streamed(lenient, &chunks)),
            (expected.to_owned(), "answer".to_owned())
        );
    }
    let endless = chat(&json!({"content": "x"}), &Value::Null);
    assert_eq!(whole(lenient, &endless), "INVALID_RESPONSE retryable");
}

#[test]
fn every_format_has_its_words_for_the_same() {
    let empty = "INVALID_RESPONSE retryable ask-again:empty";
    let cases = [
        (json!({"type": "message", "content": [], "stop_reason": "end_turn"}), empty),
        (
            json!({"type": "message", "content": [{"type": "thinking", "thinking": "hm"}], "stop_reason": "end_turn"}),
            empty,
        ),
        (
            json!({"type": "message", "content": [], "stop_reason": "refusal"}),
            "CONTENT_FILTERED other-model:refused",
        ),
        (
            json!({"type": "message", "content": [{"type": "text", "text": "I"}], "stop_reason": "refusal"}),
            "answer",
        ),
        (
            json!({"type": "message", "content": [], "stop_reason": "max_tokens"}),
            "INVALID_RESPONSE raise-output-limit",
        ),
        (
            json!({"type": "message", "content": [{"type": "tool_use", "id": "t", "name": "n", "input": {}}], "stop_reason": "tool_use"}),
            "answer",
        ),
        (json!({"candidates": [{"content": {"parts": []}, "finishReason": "STOP"}]}), empty),
        (json!({"candidates": [{"finishReason": "STOP"}], "modelVersion": "m"}), empty),
        (json!({"candidates": [{"finishReason": "SAFETY"}]}), "CONTENT_FILTERED other-model:filtered"),
        (json!({"promptFeedback": {"blockReason": "SAFETY"}}), "CONTENT_FILTERED other-model:filtered"),
        (json!({"candidates": []}), "INVALID_RESPONSE retryable ask-again:empty"),
        (
            json!({"candidates": [{"content": {"parts": [{"inlineData": {"data": "x"}}]}, "finishReason": "STOP"}]}),
            "answer",
        ),
        (
            json!({"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]}),
            "INVALID_RESPONSE retryable ask-again:invalid-arguments",
        ),
        (json!({"object": "response", "status": "completed", "output": []}), empty),
        (json!({"object": "response", "status": "completed", "output": [{"type": "reasoning"}]}), empty),
        (
            json!({"object": "response", "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": []}),
            "INVALID_RESPONSE raise-output-limit",
        ),
        (json!({"object": "response", "status": "queued", "output": []}), "answer"),
        (
            json!({"object": "response", "status": "completed", "output": [{"type": "image_generation_call", "result": "x"}]}),
            "answer",
        ),
        (json!({"model": "m", "message": {"content": ""}, "done": true, "done_reason": "stop"}), empty),
        (json!({"model": "m", "response": "", "done": true, "done_reason": "load"}), "answer"),
        (json!({"content": [], "finishReason": {"unified": "stop", "raw": "stop"}}), empty),
        (
            json!({"content": [{"type": "reasoning", "text": "hm"}], "finishReason": {"unified": "stop", "raw": "stop"}}),
            empty,
        ),
        (
            json!({"content": [{"type": "file"}], "finishReason": {"unified": "stop", "raw": "stop"}}),
            "answer",
        ),
        (
            json!({"content": [], "finishReason": {"unified": "content-filter", "raw": "content_filter"}}),
            "CONTENT_FILTERED other-model:filtered",
        ),
        (
            json!({"content": [], "finishReason": {"unified": "content-filter", "raw": "refusal"}}),
            "CONTENT_FILTERED other-model:refused",
        ),
        (
            json!({"content": [], "finishReason": {"unified": "error", "raw": null}}),
            "INVALID_RESPONSE retryable",
        ),
        (
            json!({"content": [{"type": "text", "text": "x"}], "finishReason": {"unified": "other"}}),
            "INVALID_RESPONSE retryable",
        ),
        (
            json!({"content": [{"type": "tool-call", "toolCallId": "c", "toolName": "n", "input": "{"}], "finishReason": {"unified": "tool-calls", "raw": "tool_calls"}}),
            "INVALID_RESPONSE retryable ask-again:invalid-arguments",
        ),
    ];
    for (answer, expected) in cases {
        assert_eq!(whole(Answers::default(), &answer), expected, "{answer}");
    }
}

#[test]
fn other_objects_of_an_interface_are_not_judged() {
    let cases = [
        json!({"object": "list", "data": []}),
        json!({"object": "fine_tuning.job", "id": "f", "error": {"message": "failed", "code": "x"}}),
        json!({"object": "response.compaction", "output": []}),
        json!({"name": "cachedContents/x", "usageMetadata": {"totalTokenCount": 9}}),
        json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": "no"}}),
        json!([1]),
        json!("text"),
    ];
    for value in cases {
        assert!(Handler::read_judged(&&value).is_none(), "{value}");
    }
    let error = json!({"error": {"message": "Overloaded", "type": "server_error"}});
    assert!(matches!(Handler::read_judged(&&error), Some(Err(Failure::Provider(_)))));
}

#[test]
fn what_comes_behind_an_end_with_nothing_still_counts() {
    let chunk = |text: &str| json!({"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": "STOP"}], "modelVersion": "m"});
    assert_eq!(streamed(Answers::default(), &[chunk(""), chunk("Paris")]), "answer");
    assert_eq!(streamed(Answers::default(), &[chunk("")]), "INVALID_RESPONSE retryable ask-again:empty");
    assert_eq!(streamed(Answers::default(), &[]), "INVALID_RESPONSE retryable");
}
