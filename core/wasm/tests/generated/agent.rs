//! The package's knowledge of responses and reports without the core: the formats' names, the faults' codes and
//! messages, the status lines and the labels in every language.

use crate::{check, documented, strings};
use halfopen::message::LOCALES;
use halfopen::recovery::labels;
use halfopen::response::status::{self, Failed};
use halfopen::response::{Empty, Fault, Format, Invalid, ToolFault, ToolsOnly};

/// A text as the formatter writes it: in single quotes, or in double ones where that spares escapes.
fn quoted(text: &str) -> String {
    assert!(!text.contains(['\\', '"', '\n']), "{text}");
    if text.contains('\'') { format!("\"{text}\"") } else { format!("'{text}'") }
}

/// How many columns the formatter counts for a text: two for a letter of East Asia and for an emoji.
fn columns(text: &str) -> usize {
    text.chars().map(|letter| if ('\u{2e80}'..).contains(&letter) { 2 } else { 1 }).sum()
}

/// A line of an object that is `depth` deep.
fn field(depth: usize, name: &str, value: &str) -> String {
    let indent = "  ".repeat(depth);
    let line = format!("{indent}{name}: {value},\n");
    if columns(line.trim_end()) <= crate::WIDTH {
        return line;
    }
    format!("{indent}{name}:\n{indent}  {value},\n")
}

/// Texts in every language: their type, and a file of each language.
fn in_every_language(
    folder: &str,
    (about, name, constant): (&str, &str, &str),
    names: &[(&str, &str)],
    texts: impl Fn(&str) -> Vec<String>,
) {
    let fields: String = names
        .iter()
        .map(|(field, about)| format!("  /** {about} */\n  readonly {field}: string;\n"))
        .collect();
    let interface = documented(about, &format!("export interface {name} {{\n{fields}}}"));
    check(&format!("pkg/src/{folder}/locale/types.ts"), &format!("{constant} of one language."), &interface);
    for tag in LOCALES {
        let values = texts(tag);
        assert_eq!(values.len(), names.len());
        let fields = names.iter().zip(values);
        let fields: String = fields.map(|((name, _), text)| field(1, name, &quoted(&text))).collect();
        check(
            &format!("pkg/src/{folder}/locale/{tag}.ts"),
            &format!("{constant} in one language."),
            &format!(
                "import type {{ {name} }} from './types.js';\n\nexport const {tag}{name}: {name} = {{\n{fields}}};\n"
            ),
        );
    }
}

#[test]
fn the_formats_and_faults_of_the_package_are_the_cores() {
    let (first, second) = (|| "{first}".to_owned(), || "{second}".to_owned());
    let faults = [Empty::Response, Empty::NoCandidates, Empty::NoText, Empty::NoToolActivity]
        .map(|class| Fault::Empty { class, reason: first() })
        .into_iter()
        .chain(
            [
                Invalid::Response,
                Invalid::MissingAttribute,
                Invalid::InvalidStructure,
                Invalid::UnexpectedType,
            ]
            .map(|class| Fault::Invalid { class, expected: first(), got: second() }),
        )
        .chain([ToolFault::Execution, ToolFault::NotFound, ToolFault::Failed].map(|class| Fault::Tool {
            class,
            tool: first(),
            error: second(),
        }));
    let rows: String = faults
        .map(|fault| {
            let row = format!("['{}', {}]", fault.code().as_str(), quoted(&fault.to_string()));
            field(1, fault.class(), &row)
        })
        .collect();
    let body = [
        documented(
            "The names of all formats, in the order in which they are tried.",
            &strings("FORMATS", Format::ALL.iter().map(|format| format.as_str())),
        ),
        documented(
            "Code and message of each class of error; its constructor's arguments replace the braces.",
            &format!("export const FAULTS = {{\n{rows}}} as const;"),
        ),
    ]
    .join("\n");
    check("pkg/src/response/tables.ts", "The formats of responses, and what can be wrong with one.", &body);
}

#[test]
fn the_status_lines_of_the_package_are_the_cores() {
    let names = [
        ("sending", "The request goes out."),
        ("using", "The call of a tool, `{tool}`, begins."),
        ("failed", "The exchange failed with the message `{detail}`."),
        ("executed", "Instead of a stream's text: it only called tools, `{tool}` last."),
        ("analysed", "The same where no tool has a name."),
        ("completed", "Instead of a whole response's text: it only called tools."),
    ];
    in_every_language(
        "response",
        (
            "The texts that a user reads while an answer comes in, and instead of one.",
            "StatusTexts",
            "Status lines",
        ),
        &names,
        |tag| {
            let streamed = |tool: Option<&str>| ToolsOnly::Streamed(tool.map(str::to_owned));
            vec![
                status::sending(tag),
                status::tool("{tool}", tag),
                status::ended(Failed::Otherwise, "{detail}", tag),
                status::instead_of_text(&streamed(Some("{tool}")), tag),
                status::instead_of_text(&streamed(None), tag),
                status::instead_of_text(&ToolsOnly::Whole, tag),
            ]
        },
    );
}

#[test]
fn the_labels_of_the_package_are_the_cores() {
    let names = [
        ("heading", "The title."),
        ("kind", "Of the error's type, with its code and severity."),
        ("task", "Of what the user asked for."),
        ("operation", "Of what failed."),
        ("message", "Of what the error said."),
        ("capability", "Of the capability that failed."),
        ("metadata", "Of the guidance that travels with the error."),
        ("stats", "Of the three numbers that follow."),
        ("operations", "How many steps were begun."),
        ("time", "How long they took."),
        ("retries", "How many retries there were."),
        ("analysis", "Of an explanation, behind the report."),
        ("noAnalysis", "The sentence instead of an explanation."),
        ("stepFailed", "The message for a user when the error step itself fails."),
    ];
    in_every_language(
        "recovery",
        ("The labels of a report in one language.", "Labels", "The labels of a report"),
        &names,
        |tag| {
            let of = labels(tag);
            let texts = [
                of.heading,
                of.kind,
                of.task,
                of.operation,
                of.message,
                of.capability,
                of.metadata,
                of.stats,
                of.operations,
                of.time,
                of.retries,
                of.analysis,
                of.no_analysis,
                of.step_failed,
            ];
            texts.map(str::to_owned).to_vec()
        },
    );
}
