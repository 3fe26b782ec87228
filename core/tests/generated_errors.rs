//! Generates TypeScript from the tables of classification and messages, so that each table exists once. Fails when a
//! file is stale; `UPDATE=1 cargo test -p halfopen --test generated_errors` rewrites them.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use halfopen::classify::{Key, NO_KEY, Read, rule, rule_ids};
use halfopen::message::{LOCALES, templates};

const COMMAND: &str = "UPDATE=1 cargo test -p halfopen --test generated_errors";

/// The longest line that the formatter leaves alone.
const WIDTH: usize = 110;

/// Holds a file (relative to the repository) to the text, or writes it under `UPDATE=1`.
fn check(file: &str, about: &str, from: &str, body: &str) {
    let path = format!("{}/../{file}", env!("CARGO_MANIFEST_DIR"));
    let text = format!("/** {about} */\n// Written from {from}: `{COMMAND}`.\n\n{body}");
    if std::fs::read_to_string(&path).unwrap_or_default() == text {
        return;
    }
    assert!(std::env::var_os("UPDATE").is_some(), "{file} is stale: {COMMAND}");
    std::fs::create_dir_all(std::path::Path::new(&path).parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
}

/// A string as the formatter writes it.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('\n', "\\n");
    if escaped.contains('\'') && !escaped.contains('"') {
        return format!("\"{escaped}\"");
    }
    format!("'{}'", escaped.replace('\'', "\\'"))
}

/// A constant that is a list of words, as one string with a space between two: a third of the size of a list.
fn words<'a>(name: &str, words: impl IntoIterator<Item = &'a str>) -> String {
    let mut lines = vec![String::new()];
    for word in words {
        assert!(!word.contains(' '));
        let line = lines.last_mut().unwrap();
        let space = if line.is_empty() && lines.len() == 1 { "" } else { " " };
        let line = lines.last_mut().unwrap();
        if line.len() + word.len() + 12 > WIDTH {
            *line += space;
            lines.push(word.to_owned());
        } else {
            *line += space;
            *line += word;
        }
    }
    let lines: Vec<String> = lines.iter().map(|line| format!("  {}", quoted(line))).collect();
    let text = lines.join(" +\n");
    if lines.len() == 1 && name.len() + text.len() + 16 <= WIDTH {
        return format!("export const {name} = {};\n", text.trim_start());
    }
    format!("export const {name} =\n{text};\n")
}

fn name_of(read: Read) -> String {
    format!("{read:?}").to_lowercase()
}

#[test]
fn the_keys_that_are_read() {
    let names = Key::ALL.iter().map(|key| key.name()).skip(1);
    let first = Key::FIRST_HEADER.number();
    let mut body = format!(
        "/** The names in the order of their numbers, from 1 on; 0 is what has no name. Those of headers come last. \
            */\n{}\n/** The number that no name has: that of an opening brace, by which a copy is searched for JSON. \
            */\nexport const NO_KEY = {NO_KEY};\n\n/** The first number of a header. */\nexport const FIRST_HEADER = \
            {first};\n",
        words("KEYS", names)
    );
    for read in Read::LISTED {
        let name = format!("OF_{}", name_of(*read).to_uppercase());
        let about = if *read == Read::Error {
            "/** The properties read of an error, of a thrown object and of a cause; then, of other objects. */\n"
        } else {
            ""
        };
        body += &format!("\n{about}{}", words(&name, read.keys().iter().map(|key| key.name())));
    }
    let others = Key::ALL.iter().filter(|key| Read::under(**key) != Read::Body);
    let others = others.map(|key| format!("{}:{}", key.name(), name_of(Read::under(*key))));
    let others: Vec<String> = others.collect();
    body += &format!(
        "\n/** How an object under a key is read, unless it is read as a body. */\n{}",
        words("READ_AS", others.iter().map(String::as_str))
    );
    check(
        "pkg/src/classify/keys.ts",
        "The names that are ever read of a thrown value.",
        "core/src/classify/{key,read}.rs",
        &body,
    );
}

#[test]
fn the_ids_of_rules() {
    let body = words("RULE_IDS", rule_ids());
    check(
        "pkg/src/classify/rule-ids.ts",
        "The ids of the rules by their numbers.",
        "core/src/classify/rules.rs",
        &body,
    );
}

#[test]
fn what_explains_rules() {
    let mut body = String::from(
        "/** Of a rule: the code that it gives, its source, what it asks for. */\ntype RuleText = readonly [code: \
            string, source: string, ...wanted: string[]];\n\n/** Returns the texts of the rules by their numbers. In a \
            function, an import of the package does not make them. */\nexport const ruleTexts = (): readonly \
            RuleText[] => [\n",
    );
    for id in rule_ids() {
        let card = rule(id).unwrap();
        let parts =
            [card.code.as_str(), card.source].into_iter().chain(card.wanted.iter().map(String::as_str));
        let parts: Vec<String> = parts.map(quoted).collect();
        let line = format!("  [{}],", parts.join(", "));
        if line.chars().count() <= WIDTH {
            body += &format!("{line}\n");
        } else {
            body += &format!("  [\n    {},\n  ],\n", parts.join(",\n    "));
        }
    }
    body += "];\n";
    check(
        "pkg/src/classify/rule-texts.ts",
        "The explanations of the rules. Only `explainClassification` needs them.",
        "core/src/classify/rules.rs",
        &body,
    );
}

#[test]
fn the_templates_of_languages() {
    for tag in LOCALES {
        // One text and no list of rows: as the core takes it, and smaller and quicker to load. In a function: an import
        // of the package makes no text.
        let rows = templates(tag).join("\u{1e}\n");
        let rows: Vec<String> = rows
            .split_inclusive("\u{1e}\n")
            .map(|row| {
                let row = row.strip_suffix('\n').filter(|row| row.ends_with('\u{1e}')).unwrap_or(row);
                quoted(row).replace('\u{1e}', "\\u001e")
            })
            .collect();
        let body = format!("export const {tag} = () =>\n  {};\n", rows.join(" +\n  "));
        check(
            &format!("pkg/src/message/locale/{tag}.ts"),
            "The templates of messages in one language.",
            &format!("core/src/message/locale/{tag}.rs"),
            &body,
        );
    }
}
