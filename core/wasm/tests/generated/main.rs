//! Generates TypeScript from the core's own tables, so that each number and each name exists once. Fails when a file is
//! stale; `UPDATE=1 cargo test -p halfopen-wasm --test generated` rewrites them.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod agent;
mod codes;
mod options;
mod presets;
mod wire;

/// The longest line that the formatter leaves alone.
const WIDTH: usize = 110;

const COMMAND: &str = "UPDATE=1 cargo test -p halfopen-wasm --test generated";

/// Holds a file (relative to the repository) of TypeScript to the text, or writes it under `UPDATE=1`.
fn check(file: &str, about: &str, body: &str) {
    check_file(file, |_| {
        format!("/** {about} */\n// Written from the core's tables: `{COMMAND}`.\n\n{body}")
    });
}

/// Holds a file to what `text` makes of it.
fn check_file(file: &str, text: impl FnOnce(&str) -> String) {
    let path = format!("{}/../../{file}", env!("CARGO_MANIFEST_DIR"));
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    let text = text(&written);
    if written == text {
        return;
    }
    assert!(std::env::var_os("UPDATE").is_some(), "{file} is stale: {COMMAND}");
    std::fs::create_dir_all(std::path::Path::new(&path).parent().unwrap()).unwrap();
    std::fs::write(&path, &text).unwrap();
}

/// A comment and what it is about, between empty lines.
fn documented(about: &str, code: &str) -> String {
    let comment = format!("/** {about} */");
    if comment.len() <= WIDTH {
        return format!("{comment}\n{code}\n");
    }
    let mut lines = String::new();
    let mut line = String::from(" *");
    for word in about.split(' ') {
        if line.len() + 1 + word.len() > WIDTH {
            lines += &format!("{line}\n");
            line = String::from(" *");
        }
        line += &format!(" {word}");
    }
    format!("/**\n{lines}{line}\n */\n{code}\n")
}

/// `head` with the items between brackets, on one line where they fit, else on a line each.
fn bracketed(head: &str, [open, close]: [&str; 2], items: &[String], tail: &str) -> String {
    let space = if open.ends_with('{') && !items.is_empty() { " " } else { "" };
    let line = format!("{head}{open}{space}{}{space}{close}{tail}", items.join(", "));
    if line.len() <= WIDTH {
        return line;
    }
    let lines: String = items.iter().map(|item| format!("  {item},\n")).collect();
    format!("{head}{open}\n{lines}{close}{tail}")
}

/// A list of strings.
fn strings<'a>(name: &str, items: impl IntoIterator<Item = &'a str>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| format!("'{item}'")).collect();
    bracketed(&format!("export const {name} = "), ["[", "]"], &items, " as const;")
}
