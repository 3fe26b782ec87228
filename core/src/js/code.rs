//! The code table for JavaScript: read once, at import.

use crate::Code;
use serde::Serialize;
use wasm_bindgen::prelude::*;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    code: &'static str,
    about: &'static str,
    severity: &'static str,
    r#type: &'static str,
    retryable: bool,
    model: bool,
    tool: bool,
    /// The code's place among the tools' codes, in the order of their own type; absent for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_order: Option<usize>,
    /// What the code becomes when a tool's failure reaches the agent.
    from_tool: &'static str,
}

/// Every row of the code table, in numbering order.
#[wasm_bindgen(js_name = codeTable)]
pub fn code_table() -> Result<JsValue, serde_wasm_bindgen::Error> {
    let rows: Vec<Row> = Code::ALL
        .iter()
        .map(|&code| Row {
            code: code.as_str(),
            about: code.description(),
            severity: code.severity().as_str(),
            r#type: code.error_type().as_str(),
            retryable: code.is_retryable(),
            model: code.is_model_code(),
            tool: code.is_tool_code(),
            tool_order: Code::TOOL.iter().position(|&tool| tool == code),
            from_tool: code.from_tool().as_str(),
        })
        .collect();
    serde_wasm_bindgen::to_value(&rows)
}
