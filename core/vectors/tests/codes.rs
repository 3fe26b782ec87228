//! `codes.json`: what follows from each code by itself.

use crate::cases;
use halfopen::Code;
use serde::Deserialize;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[derive(Deserialize)]
struct Case {
    code: String,
    retryable: bool,
    severity: String,
    r#type: String,
    model: bool,
    tool: bool,
}

#[test]
fn every_code_has_what_the_table_says() {
    let cases: Vec<Case> = cases(include_str!("../../../tests/vectors/codes.json"));
    assert_eq!(
        cases.iter().map(|case| case.code.as_str()).collect::<Vec<_>>(),
        Code::ALL.iter().map(|code| code.as_str()).collect::<Vec<_>>()
    );
    for case in cases {
        let code = Code::from_name(&case.code).unwrap();
        assert_eq!(code.is_retryable(), case.retryable, "{code:?} retryable");
        assert_eq!(code.severity().as_str(), case.severity, "{code:?} severity");
        assert_eq!(code.error_type().as_str(), case.r#type, "{code:?} type");
        assert_eq!(code.is_model_code(), case.model, "{code:?} model");
        assert_eq!(code.is_tool_code(), case.tool, "{code:?} tool");
    }
}
