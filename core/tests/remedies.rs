//! Remedies of real errors: `tests/repair/cases.json` and `tests/repair/wordings.json`, each with what it must give.
//!
//! `SHOW=1 cargo test -p halfopen --test remedies -- --nocapture` prints each case that misses.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test")]

use halfopen::Code;
use halfopen::classify::remedy::{KINDS, spoken};
use halfopen::classify::{Context, Thrown, classify};
use halfopen::message::{About, Audience, Circumstance, user_message};
use serde_json::Value;

fn cases(name: &str) -> Vec<Value> {
    let path = format!("{}/../tests/repair/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    file["cases"].as_array().unwrap().clone()
}

/// The thrown value as it is read: the name of a class is its constructor's.
fn with_constructors(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(key, value)| {
                let of_class = key == "class" && fields.contains_key("message");
                (if of_class { "constructor".to_owned() } else { key.clone() }, with_constructors(value))
            })
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Value::Array(items) => items.iter().map(with_constructors).collect::<Vec<_>>().into(),
        other => other.clone(),
    }
}

fn bare(name: &Value) -> String {
    name.as_str()
        .unwrap_or_default()
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect::<String>()
        .to_lowercase()
}

/// Returns `true` if a detail equals the expected one.
fn same(key: &str, wanted: &Value, got: &Value) -> bool {
    match key {
        "name" | "from" | "to" => bare(wanted) == bare(got),
        "ids" => {
            let set = |ids: &Value| {
                let mut ids: Vec<String> =
                    ids.as_array().into_iter().flatten().map(ToString::to_string).collect();
                ids.sort();
                ids
            };
            set(wanted) == set(got)
        }
        _ => match (wanted.as_f64(), got.as_f64()) {
            (Some(wanted), Some(got)) => (wanted - got).abs() < 1e-9,
            _ => wanted == got,
        },
    }
}

fn details_right(case: &Value, wanted: &Value, got: &Value) -> bool {
    let loose = |key: &str| case["loose"].as_array().is_some_and(|keys| keys.iter().any(|one| one == key));
    wanted.as_object().into_iter().flatten().all(|(key, value)| {
        let any = case["anyOf"][key].as_array();
        loose(key)
            || same(key, value, &got[key])
            || any.is_some_and(|values| values.iter().any(|one| same(key, one, &got[key])))
    })
}

#[derive(Default, Debug)]
struct Score {
    repairable: u32,
    kind: u32,
    details: u32,
    none: u32,
    wrongly: u32,
    code: u32,
    retryable: u32,
    all: u32,
}

fn score(name: &str) -> Score {
    let show = std::env::var_os("SHOW").is_some();
    let mut score = Score::default();
    for case in cases(name) {
        let thrown = Thrown::from_json(&with_constructors(&case["thrown"]).to_string());
        let found = classify(&thrown, &Context::default());
        let got = found.remedy.as_ref().map_or(Value::Null, |remedy| remedy.to_json());
        let accepted: Vec<&Value> =
            std::iter::once(&case["remedy"]).chain(case["accept"].as_array().into_iter().flatten()).collect();
        let of_kind: Vec<&&Value> = accepted.iter().filter(|one| one["kind"] == got["kind"]).collect();
        let right = of_kind.iter().any(|one| one.is_null() || details_right(&case, one, &got));
        let mut misses = Vec::new();
        if case["remedy"].is_null() {
            score.none += 1;
            if of_kind.is_empty() {
                score.wrongly += 1;
                misses.push("remedy where none helps");
            }
        } else {
            score.repairable += 1;
            score.kind += u32::from(!of_kind.is_empty());
            score.details += u32::from(right);
            if of_kind.is_empty() {
                misses.push("kind");
            } else if !right {
                misses.push("details");
            }
        }
        score.all += 1;
        let code = serde_json::json!(found.code.as_str());
        let codes = case["acceptCodes"].as_array();
        if case["code"].is_null() || case["code"] == code || codes.is_some_and(|codes| codes.contains(&code))
        {
            score.code += 1;
        } else {
            misses.push("code");
        }
        if case["anyRetryable"] == true || case["retryable"].is_null() || case["retryable"] == found.retryable
        {
            score.retryable += 1;
        } else {
            misses.push("retryable");
        }
        if show && !misses.is_empty() {
            eprintln!(
                "{} {misses:?}\n  wanted {} {}\n  got    {got} {} {} ({})",
                case["id"],
                case["remedy"],
                case["code"],
                found.code.as_str(),
                found.retryable,
                found.rule
            );
        }
    }
    eprintln!("{name}: {score:?}");
    score
}

/// At least this many of a hundred.
fn holds(part: u32, of: u32, percent: u32) -> bool {
    part * 100 >= of * percent
}

#[test]
fn the_open_cases_have_their_remedies() {
    let score = score("cases");
    assert!(holds(score.kind, score.repairable, 97), "kind: {score:?}");
    assert!(holds(score.details, score.repairable, 95), "details: {score:?}");
    assert_eq!(score.wrongly, 0, "{score:?}");
    assert!(holds(score.code, score.all, 97) && holds(score.retryable, score.all, 97), "{score:?}");
}

#[test]
fn other_wordings_of_the_same_families_have_them_too() {
    let score = score("wordings");
    assert!(holds(score.kind, score.repairable, 97), "kind: {score:?}");
    assert!(holds(score.details, score.repairable, 95), "details: {score:?}");
    assert_eq!(score.wrongly, 0, "{score:?}");
}

/// The sentence of an error that can be repaired speaks of the conversation: what the user entered and what the settings say is
/// not at fault, so nothing asks to change either.
#[test]
fn the_user_reads_of_the_conversation_whatever_the_remedy_in_every_language() {
    let entered = [
        ("en", ["describe", "settings", "check the name", "not valid"]),
        ("de", ["beschreiben", "einstellungen", "prüfen sie", "ungültig"]),
        ("es", ["describa", "ajustes", "compruebe", "no es válido"]),
        ("fr", ["décrivez", "paramètres", "vérifiez", "n’est pas valide"]),
        ("ja", ["説明", "設定", "ご確認", "誤り"]),
        ("zh", ["描述", "设置", "检查", "无效"]),
    ];
    let conversation = ["conversation", "Unterhaltung", "conversación", "conversation", "会話", "对话"];
    for kind in KINDS {
        for code in [Code::ValidationError, Code::NotFound] {
            let (spoken, circumstance) = spoken(code, kind);
            for ((locale, words), conversation) in entered.iter().zip(conversation) {
                for audience in Audience::ALL {
                    let about = About { circumstance, audience, ..About::default() };
                    let said = user_message(spoken, &about, locale);
                    let lower = said.to_lowercase();
                    assert!(said.contains(conversation), "{kind} {locale}: {said}");
                    assert!(!words.iter().any(|word| lower.contains(word)), "{kind} {locale}: {said}");
                }
            }
        }
        assert_eq!(spoken(Code::InvalidResponse, kind), (Code::InvalidResponse, Circumstance::None));
    }
    assert_eq!(spoken(Code::ValidationError, ""), (Code::ValidationError, Circumstance::None));
}
