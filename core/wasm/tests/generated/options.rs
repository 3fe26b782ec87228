//! The products of the table of options: the schema of the lab's policies, the names that recorded policies and actions of the
//! dashboard know, the page of all options, and the rows to which a test of the package holds its own.

use crate::{bracketed, check, check_file, documented};
use halfopen::policy::table::{self, Kind, NONE, OPTIONS, OptionRow, REQUIRED};
use halfopen::policy::{BreakerConfig, BreakerOptions, Preset, defaults};
use serde_json::{Value, json};

/// More than memory has room for: the lab's bound of a count.
const MANY: u64 = 100_000_000;
/// The lab's bound of a number.
const LARGE: u64 = 1_000_000_000_000_000;

fn schema_of(row: &OptionRow) -> Value {
    let (millis, positive) =
        (json!({ "$ref": "#/$defs/milliseconds" }), json!({ "$ref": "#/$defs/positive" }));
    let or_infinity = |finite: Value| json!({ "anyOf": [finite, { "const": "Infinity" }] });
    match row.kind {
        // Of functions, the lab knows only whether there is one.
        Kind::Flag | Kind::Function => json!({ "type": "boolean" }),
        Kind::Text => json!({ "type": "string" }),
        Kind::OneOf(names) => json!({ "enum": names }),
        Kind::Millis => millis,
        Kind::MillisOrInfinity => or_infinity(millis),
        Kind::Span => positive,
        Kind::SpanOrInfinity => or_infinity(positive),
        Kind::PositiveCount => json!({ "type": "integer", "minimum": 1, "maximum": MANY }),
        Kind::CountOrInfinity => json!({ "type": "integer", "minimum": 0, "maximum": MANY }),
        Kind::Factor => json!({ "type": "number", "minimum": 0, "maximum": LARGE }),
        Kind::Growth => json!({ "type": "number", "minimum": 1, "maximum": 1_000_000 }),
        Kind::Rate => json!({ "type": "number", "exclusiveMinimum": 0, "maximum": 1 }),
        Kind::Share => json!({ "type": "number", "minimum": 0, "maximum": 1 }),
        Kind::Finite => json!({ "type": "number" }),
        Kind::Jitter => {
            json!({ "anyOf": [{ "type": "number", "minimum": 0, "maximum": 1 }, { "enum": ["full", "equal", "decorrelated"] }] })
        }
        Kind::RetryOn => {
            let types = json!({ "enum": ["timeout", "tool_failed", "llm_failed", "network"] });
            json!({ "type": "array", "items": { "anyOf": [{ "$ref": "#/$defs/code" }, types] } })
        }
        Kind::Instance(_) => Value::Bool(false),
        Kind::Options => {
            let section = section_of(row.path);
            let mut any = vec![section.clone()];
            any.extend(row.several.then(|| json!({ "type": "array", "items": section })));
            any.extend(row.off.then(|| json!({ "const": false })));
            any.extend((row.default == "off").then(|| json!({ "const": true })));
            // As events write it.
            any.extend((row.path == "retry.budget").then(|| json!({ "const": "default" })));
            if any.len() == 1 { section } else { json!({ "anyOf": any }) }
        }
    }
}

fn section_of(section: &str) -> Value {
    if section != "breaker.window" {
        return object_of(section, &|_| true);
    }
    let of_kind = |kind: &str, other: &str| {
        let mut schema = object_of(section, &|row: &OptionRow| row.name() != other);
        schema["properties"]["kind"] = json!({ "const": kind });
        let needed = if kind == "count" { "size" } else { "durationMs" };
        schema["required"].as_array_mut().unwrap().push(needed.into());
        schema
    };
    json!({ "oneOf": [of_kind("count", "durationMs"), of_kind("time", "size")] })
}

fn object_of(section: &str, keep: &dyn Fn(&OptionRow) -> bool) -> Value {
    let rows: Vec<_> = table::within(section).filter(|row| row.lab && keep(row)).collect();
    let properties: serde_json::Map<String, Value> =
        rows.iter().map(|row| (row.name().to_owned(), schema_of(row))).collect();
    let required: Vec<&str> =
        rows.iter().filter(|row| row.default == REQUIRED).map(|row| row.name()).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

#[test]
fn the_schema_of_a_policy_is_made_of_the_table() {
    let mut policy = object_of("", &|_| true);
    policy["description"] =
        "A policy: what is left out is the default of createPolicy(), at any depth.".into();
    check_file("pkg/schema/scenario.schema.json", |page| {
        const HEAD: &str = "    \"policy\": ";
        // Where the formatter has broken other lines, it is the same.
        let written: Value = serde_json::from_str(page).unwrap();
        if written["$defs"]["policy"] == policy {
            return page.to_owned();
        }
        let Some((head, tail)) = page.split_once(HEAD) else { return page.to_owned() };
        let (_, tail) = tail.split_once("\n    }").unwrap();
        let text = serde_json::to_string_pretty(&policy).unwrap().replace('\n', "\n    ");
        format!("{head}{HEAD}{text}{tail}")
    });
}

#[test]
fn the_names_that_the_package_knows_are_those_of_the_table() {
    let mut sections: Vec<String> = Vec::new();
    let all = [""]
        .into_iter()
        .chain(OPTIONS.iter().filter(|row| row.lab && row.kind == Kind::Options).map(|row| row.path));
    for section in all {
        let names: Vec<String> =
            table::within(section).filter(|row| row.lab).map(|row| format!("'{}'", row.name())).collect();
        let key = section.rsplit('.').next().unwrap_or_default();
        let key = if key.is_empty() { "''" } else { key };
        sections.push(
            bracketed(&format!("   {key}: "), ["[", "]"], &names, "")
                .replace("\n  ", "\n    ")
                .replace("\n]", "\n  ]")
                .trim_start()
                .to_owned(),
        );
    }
    let lab = bracketed(
        "export const LAB_OPTIONS: Readonly<Record<string, readonly string[]>> = ",
        ["{", "}"],
        &sections,
        ";",
    );
    let changeable: Vec<String> =
        table::within("").filter(|row| row.is_changeable()).map(|row| format!("'{}'", row.path)).collect();
    let changeable = bracketed("export const CHANGEABLE = ", ["[", "]"], &changeable, " as const;");
    let mut groups: Vec<(char, [Vec<String>; 3])> = Vec::new();
    for row in OPTIONS {
        let Some((letter, number)) = row.alternative else { continue };
        if !groups.iter().any(|(known, _)| *known == letter) {
            groups.push((letter, Default::default()));
        }
        let (_, group) = groups.iter_mut().find(|(known, _)| *known == letter).unwrap();
        group[usize::from(number) - 1].push(format!("'{}'", row.name()));
    }
    let groups: Vec<String> = groups
        .iter()
        .map(|(_, group)| {
            let names = group.iter().filter(|names| !names.is_empty());
            let lists: Vec<String> = names.map(|names| format!("[{}]", names.join(", "))).collect();
            format!("[{}]", lists.join(", "))
        })
        .collect();
    let alternatives = bracketed(
        "export const ALTERNATIVES: readonly (readonly (readonly string[])[])[] = ",
        ["[", "]"],
        &groups,
        ";",
    );
    let about = "Options that replace one another: one that is given on a layer above takes the others away.";
    let body = documented(about, &alternatives)
        + "\n"
        + &documented("The options that the lab knows, by the object that they are in.", &lab)
        + "\n"
        + &documented(
            "The options that may be changed from the dashboard: numbers, flags and names.",
            &changeable,
        );
    check("pkg/src/option-table.ts", "The part of the table of options that the package needs.", &body);
}

/// A default as the page shows it: code, or words.
fn shown(default: &str) -> String {
    let is_code = default.starts_with(['\'', '['])
        || default.parse::<f64>().is_ok()
        || default.replace('_', "").parse::<f64>().is_ok()
        || matches!(default, "true" | "false" | "Infinity");
    match default {
        NONE => "none".into(),
        REQUIRED => "required".into(),
        _ if is_code => format!("`{default}`"),
        _ => default.to_owned(),
    }
}

fn accepted(row: &OptionRow) -> String {
    match row.kind {
        Kind::OneOf(names) => names.iter().map(|name| format!("`'{name}'`")).collect::<Vec<_>>().join(", "),
        Kind::Options => {
            let mut text = "options".to_owned();
            if row.several {
                text += ", or a list of them";
            }
            match (row.off, row.default) {
                (true, "off") => text += ", `true`, `false`",
                (true, _) => text += ", or `false`",
                (false, _) => {}
            }
            text
        }
        kind => kind.expected().to_owned(),
    }
}

#[test]
fn the_page_of_all_options_is_made_of_the_table() {
    let mut page = String::from(
        "| Option | Accepts | `createPolicy()` | On its own | `'capability'` | `'service'` |\n|---|---|---|---|---|---|\n",
    );
    for row in OPTIONS.iter().filter(|row| row.shown) {
        let [capability, service] = row.presets.map(|preset| preset.map(shown).unwrap_or_default());
        let class = row.class.map(shown).unwrap_or_default();
        let instead: Vec<String> = OPTIONS
            .iter()
            .filter(|other| {
                row.alternative
                    .zip(other.alternative)
                    .is_some_and(|(own, other)| own.0 == other.0 && own.1 != other.1)
            })
            .map(|other| format!("`{}`", other.name()))
            .collect();
        let instead =
            if instead.is_empty() { String::new() } else { format!("; replaces {}", instead.join(", ")) };
        page += &format!(
            "| `{}` | {}{instead} | {} | {class} | {capability} | {service} |\n",
            row.path,
            accepted(row),
            shown(row.default)
        );
    }
    check_file("docs/policies/options.md", |written| {
        let (begin, end) = ("<!-- options -->\n\n", "\n<!-- /options -->");
        let Some(((head, _), (_, tail))) = written.split_once(begin).zip(written.split_once(end)) else {
            return String::new();
        };
        format!("{head}{begin}{page}{end}{tail}")
    });
}

/// The package's test holds its types and its reader to these.
#[test]
fn the_package_has_the_rows_of_the_table() {
    let rows: Vec<Value> = OPTIONS
        .iter()
        .filter(|row| row.shown)
        .map(|row| {
            let (expected, names) = match row.kind {
                Kind::OneOf(names) => (names.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", "), true),
                kind => (kind.expected().to_owned(), false),
            };
            json!({ "path": row.path, "expected": expected, "oneOf": names, "options": row.kind == Kind::Options, "off": row.off, "required": row.default == REQUIRED })
        })
        .collect();
    let about = "The options of a policy: written from the table of the core.";
    let text = serde_json::to_string_pretty(&json!({ "about": about, "options": rows })).unwrap();
    check_file("tests/vectors/options.json", |_| text + "\n");
}

fn number_of(path: &str, of: impl Fn(&OptionRow) -> Option<&'static str>) -> Option<f64> {
    let row = OPTIONS.iter().find(|row| row.path == path).unwrap();
    match of(row)? {
        "Infinity" => Some(f64::INFINITY),
        text => text.replace('_', "").parse().ok(),
    }
}

/// The structs of the core have the numbers of the table.
#[test]
fn the_defaults_of_the_core_are_those_of_the_table() {
    let presets = [Preset::Agent, Preset::Capability, Preset::Service].map(Preset::options);
    for (place, options) in presets.iter().enumerate() {
        let of = |path: &str| {
            number_of(path, |row| if place == 0 { Some(row.default) } else { row.presets[place - 1] })
        };
        assert_eq!(options.max_retries, of("retry.maxRetries"));
        assert_eq!(options.base_delay_ms, of("retry.baseDelayMs"));
        assert_eq!(options.max_delay_ms, of("retry.maxDelayMs"));
        assert_eq!(options.backoff_factor, of("retry.backoffFactor"));
    }
    let breaker = |of: fn(&OptionRow) -> Option<&'static str>| BreakerOptions {
        failure_threshold: number_of("breaker.failureThreshold", of),
        reset_timeout_ms: number_of("breaker.resetTimeoutMs", of),
        half_open_max_calls: number_of("breaker.halfOpenMaxCalls", of),
        probe_timeout_ms: number_of("breaker.probeTimeoutMs", of),
        ..BreakerOptions::NONE
    };
    assert_eq!(breaker(|row| Some(row.default)), defaults::BREAKER);
    assert_eq!(breaker(|row| row.presets[1]), defaults::SOURCES_BREAKER);
    assert_eq!(breaker(|row| row.class.or(Some(row.default))).config(), BreakerConfig::default());
}
