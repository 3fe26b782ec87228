//! Every error code and what follows from it: `pkg/src/codes-table.ts`, so that the package knows them without the core, and
//! the table in `docs/errors.md`.

use crate::{check, check_file, documented};
use halfopen::classify::remedy::{Answer, KINDS, Media, Never, Problem, Remedy, Value};
use halfopen::{Code, ErrorType, Severity};

fn union<'a>(about: &str, name: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("'{name}'")).collect();
    let line = format!("export type {name} = {};", names.join(" | "));
    if line.len() <= crate::WIDTH {
        return documented(about, &line);
    }
    documented(about, &format!("export type {name} =\n  | {};", names.join("\n  | ")))
}

fn rows() -> String {
    let rows = Code::ALL.iter().map(|code| {
        format!(
            "  ['{}', '{}', '{}', {}, {}, {}, '{}'],\n",
            code.as_str(),
            code.severity().as_str(),
            code.error_type().as_str(),
            code.is_retryable(),
            code.is_model_code(),
            code.is_tool_code(),
            code.from_tool().as_str(),
        )
    });
    rows.collect()
}

#[test]
fn the_codes_of_the_package_are_the_cores() {
    let names = |codes: &'static [Code]| codes.iter().map(|code| code.as_str());
    let model = names(Code::ALL).filter(|name| Code::from_name(name).unwrap().is_model_code());
    let row = "export type CodeRow = readonly [\n  code: AgentErrorCode,\n  severity: ErrorSeverity,\n  type: \
        ErrorType,\n  retryable: boolean,\n  model: boolean,\n  tool: boolean,\n  fromTool: AgentErrorCode,\n];";
    let tool_order: String = names(Code::TOOL).map(|name| format!("  '{name}',\n")).collect();
    let body = [
        union("The codes of a failed model call. The first ten are the base set; the rest refine it.", "ModelErrorCode", model),
        union("The codes of a failed tool.", "ToolErrorCode", names(Code::TOOL)),
        union("The codes of a failed agent: its model's codes, its tools', its own, and local refusals.", "AgentErrorCode", names(Code::ALL)),
        union("Coarse kinds, for policies written per kind.", "ErrorType", ErrorType::ALL.map(ErrorType::as_str)),
        union("An orchestrator's best reaction to an error.", "ErrorSeverity", Severity::ALL.map(Severity::as_str)),
        documented("A code and what follows from it; `fromTool` is what it becomes where a tool's failure reaches the agent.", row),
        documented("Every code, in the order of their numbers.", &format!("export const CODES: readonly CodeRow[] = [\n{}];", rows())),
        documented("The codes of tools, in the order in which their own type names them.",
            &format!("export const TOOL_CODES: readonly ToolErrorCode[] = [\n{tool_order}];")),
    ]
    .join("\n");
    check("pkg/src/codes-table.ts", "Every error code and what follows from it.", &body);
}

/// One remedy of each kind, and more of a kind whose details decide the code.
fn remedies() -> Vec<Remedy> {
    let mut all = vec![
        Remedy::PairToolCalls { ids: Vec::new() },
        Remedy::FixReasoning,
        Remedy::FixMessages(Problem::Empty),
        Remedy::EndWithUser,
        Remedy::DropParameter { name: String::new() },
        Remedy::RenameParameter { from: String::new(), to: String::new() },
        Remedy::SetParameter { name: String::new(), value: Value::Boolean(true) },
        Remedy::Shorten { limit: None, sent: None },
        Remedy::DropMedia { reason: Media::TooMany, at: None, limit: None },
        Remedy::RenameCalls { pattern: None, max_length: None },
        Remedy::RenameTools { pattern: None, max_length: None },
        Remedy::ResendHistory,
        Remedy::NewSession,
        Remedy::Resample(Answer::Empty),
        Remedy::Resample(Answer::UnknownTool),
        Remedy::RaiseOutputLimit,
    ];
    all.extend(
        [Never::Refused, Never::Filtered, Never::Retired, Never::LacksFeature].map(Remedy::OtherModel),
    );
    all
}

/// The kinds of remedies that errors of that code have, as the page lists them.
fn remedies_of(code: Code) -> String {
    let has = |remedy: &Remedy| Code::ALL.iter().any(|&ruled| remedy.code(ruled) == code);
    let mut kinds: Vec<_> = remedies().iter().filter(|remedy| has(remedy)).map(Remedy::kind).collect();
    kinds.dedup();
    kinds.iter().map(|kind| format!("`{kind}`")).collect::<Vec<_>>().join(", ")
}

fn page_rows() -> String {
    let rows = Code::ALL.iter().map(|code| {
        let layers = match (code.is_model_code(), code.is_tool_code()) {
            (true, true) => "model, tool",
            (true, false) => "model",
            (false, true) => "tool",
            (false, false) => "agent",
        };
        format!(
            "| `{}` | {} | {} | {} | `{}` | {layers} | {} |\n",
            code.as_str(),
            code.description().trim_end_matches('.'),
            if code.is_retryable() { "**yes**" } else { "no" },
            code.severity().as_str(),
            code.error_type().as_str(),
            remedies_of(*code),
        )
    });
    rows.collect()
}

#[test]
fn the_page_on_errors_says_of_each_remedy_what_must_change() {
    let page = include_str!("../../../../docs/errors.md");
    let missing: Vec<_> =
        KINDS.into_iter().filter(|kind| !page.contains(&format!("\n| `{kind}` | "))).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let mut made: Vec<_> = remedies().iter().map(Remedy::kind).collect();
    made.dedup();
    assert_eq!(made, KINDS);
}

#[test]
fn the_page_on_errors_has_the_table_of_codes() {
    check_file("docs/errors.md", |page| {
        let (before, rest) = page.split_once("<!-- codes: ").unwrap();
        let (comment, rest) = rest.split_once(" -->\n").unwrap();
        let (_, after) = rest.split_once("<!-- /codes -->").unwrap();
        let head = "| Code | Meaning | Retryable | Severity | Kind | Layers | [Remedies](#remedies) |\n|---|---|---|---|---|---|---|\n";
        format!("{before}<!-- codes: {comment} -->\n{head}{}<!-- /codes -->{after}", page_rows())
    });
}
