//! The laws of all messages, for every language, every code and all possible facts.

use super::lint::{Finding, lint};
use super::locale::{ALL, Explanation, Locale, Plural};
use super::{
    About, Audience, Circumstance, LOCALES, Progress, ROW_END, empty_response, invalid_response, progress,
    resolve_locale, technical_details, user_message,
};
use crate::{Code, time::Millis};
use proptest::prelude::*;

const PROVIDERS: [Option<&str>; 4] = [None, Some("openai"), Some("azure-openai"), Some("acme_cloud")];
const MODELS: [Option<&str>; 2] = [None, Some("claude-sonnet-4-5")];
const TOOLS: [Option<&str>; 2] = [None, Some("web_search")];
const WAITS: [Option<Millis>; 5] =
    [None, Some(Millis(1)), Some(Millis(30_000)), Some(Millis(432_000)), Some(Millis(200_000_000))];

fn everything_that_may_be_known() -> impl Iterator<Item = About<'static>> {
    PROVIDERS.into_iter().flat_map(|provider| {
        MODELS.into_iter().flat_map(move |model| {
            TOOLS.into_iter().flat_map(move |tool| {
                WAITS.into_iter().flat_map(move |retry_after| {
                    Circumstance::ALL.into_iter().flat_map(move |circumstance| {
                        Audience::ALL.map(|audience| About {
                            provider,
                            model,
                            tool,
                            retry_after,
                            circumstance,
                            audience,
                        })
                    })
                })
            })
        })
    })
}

#[test]
fn every_language_has_every_code_once() {
    for locale in ALL {
        for &code in Code::ALL {
            let rows = locale.messages.iter().filter(|(of, _)| *of == code).count();
            let explained = code == Code::InvalidResponse;
            assert_eq!(rows, usize::from(!explained), "{} {code:?}", locale.tag);
            assert!(
                locale.visitor.iter().filter(|(of, _)| *of == code).count() <= 1,
                "{} {code:?}",
                locale.tag
            );
        }
    }
}

#[test]
fn every_language_has_a_sentence_of_its_own_for_each_circumstance() {
    for locale in ALL {
        let rows = locale.circumstances.iter().map(|(of, ..)| *of);
        assert!(rows.eq(Circumstance::ALL.into_iter().skip(1)), "{}", locale.tag);
        for (circumstance, audience) in Circumstance::ALL
            .into_iter()
            .skip(1)
            .flat_map(|one| Audience::ALL.map(|audience| (one, audience)))
        {
            let code = circumstance.code().unwrap();
            let usual_about = About { audience, ..About::default() };
            let about = About { circumstance, ..usual_about };
            let usual = user_message(code, &usual_about, locale.tag);
            assert_ne!(user_message(code, &about, locale.tag), usual, "{}", locale.tag);
            let unrelated = user_message(Code::Timeout, &about, locale.tag);
            assert_eq!(unrelated, user_message(Code::Timeout, &usual_about, locale.tag));
        }
    }
}

/// The same in every language: a code that speaks to an owner alone in one must not in another.
#[test]
fn every_language_speaks_to_visitors_of_the_same_codes() {
    let codes = |tag: &str| {
        let locale = ALL.iter().find(|locale| locale.tag == tag).unwrap();
        let mut codes: Vec<_> = locale.visitor.iter().map(|(code, _)| code.as_str()).collect();
        codes.sort_unstable();
        codes
    };
    for locale in ALL {
        assert_eq!(codes(locale.tag), codes("en"), "{}", locale.tag);
        for (code, text) in locale.visitor {
            assert!(!locale.messages.contains(&(*code, *text)), "{} {code:?}: {text}", locale.tag);
        }
    }
}

#[test]
fn the_network_of_a_tool_is_not_the_users() {
    let network = |provider| About { provider, ..About::default() };
    for circumstance in [Circumstance::None, Circumstance::BrokenOff] {
        for locale in LOCALES {
            let said = |provider| {
                user_message(Code::NetworkError, &About { circumstance, ..network(provider) }, locale)
                    .to_lowercase()
            };
            let own = |text: &str| {
                text.contains("internet") || text.contains("インターネット") || text.contains("检查网络")
            };
            assert!(own(&said(Some("openai"))), "{locale}: {}", said(Some("openai")));
            for provider in [None, Some("postgres"), Some("ollama")] {
                assert!(!own(&said(provider)), "{locale}: {}", said(provider));
            }
        }
    }
}

#[test]
fn every_message_is_good_whatever_is_known() {
    for locale in LOCALES {
        for &code in Code::ALL {
            for about in everything_that_may_be_known() {
                let message = user_message(code, &about, locale);
                assert_eq!(lint(&message), [], "{locale} {code:?} {about:?}: {message}");
            }
        }
    }
}

#[test]
fn every_message_names_the_event_and_the_next_step() {
    for locale in LOCALES {
        for &code in Code::ALL {
            let message = user_message(code, &About::default(), locale);
            let sentences = message.matches(['.', '。', '！', '\n']).count();
            assert!(sentences >= 2, "{locale} {code:?}: {message}");
        }
    }
}

#[test]
fn no_two_codes_say_the_same() {
    for locale in LOCALES {
        let mut said: Vec<_> =
            Code::ALL.iter().map(|&code| user_message(code, &About::default(), locale)).collect();
        said.sort();
        said.dedup();
        assert_eq!(said.len(), Code::ALL.len(), "{locale}");
    }
}

#[test]
fn nothing_is_left_in_english() {
    for (of, locale) in
        LOCALES.iter().skip(1).flat_map(|locale| Code::ALL.iter().map(move |&code| (code, *locale)))
    {
        let about = About { retry_after: Some(Millis(60_000)), ..About::default() };
        let english = user_message(of, &about, "en");
        let message = user_message(of, &about, locale);
        let shared = message
            .split(['.', '。', '\n'])
            .filter(|part| part.trim().len() > 8 && english.contains(part.trim()));
        assert_eq!(shared.count(), 0, "{locale} {of:?}: {message}");
    }
}

#[test]
fn the_wait_is_named_where_waiting_helps() {
    let about = About { retry_after: Some(Millis(432_000)), ..About::default() };
    for code in [
        Code::RateLimited,
        Code::NetworkError,
        Code::Timeout,
        Code::ServerError,
        Code::ProviderOverloaded,
        Code::QuotaExceeded,
        Code::CircuitOpen,
        Code::CapacityExceeded,
        Code::Conflict,
    ] {
        for (locale, wait) in [
            ("en", "in about 7 minutes"),
            ("de", "in etwa 7 Minuten"),
            ("es", "dentro de unos 7 minutos"),
            ("fr", "dans environ 7 minutes"),
            ("ja", "約7分後に"),
            ("zh", "大约7分钟后"),
        ] {
            let message = user_message(code, &about, locale);
            assert!(message.contains(wait), "{locale} {code:?}: {message}");
        }
    }
}

#[test]
fn one_of_a_unit_is_one() {
    for (locale, second, minute, hour, day) in [
        ("en", "in about 1 second.", "in about 1 minute.", "in about 1 hour.", "in about 1 day."),
        ("de", "in etwa 1 Sekunde ", "in etwa 1 Minute ", "in etwa 1 Stunde ", "in etwa 1 Tag "),
        (
            "es",
            "aproximadamente 1 segundo.",
            "aproximadamente 1 minuto.",
            "aproximadamente 1 hora.",
            "aproximadamente 1 día.",
        ),
        (
            "fr",
            "dans environ 1 seconde.",
            "dans environ 1 minute.",
            "dans environ 1 heure.",
            "dans environ 1 jour.",
        ),
        ("ja", "約1秒後に", "約1分後に", "約1時間後に", "約1日後に"),
        ("zh", "大约1秒后", "大约1分钟后", "大约1小时后", "大约1天后"),
    ] {
        for (ms, said) in [(1_000, second), (60_000, minute), (3_600_000, hour), (86_400_000, day)] {
            let about = About { retry_after: Some(Millis(ms)), ..About::default() };
            let message = user_message(Code::RateLimited, &about, locale);
            assert!(message.contains(said), "{locale} {ms}: {message}");
        }
    }
}

#[test]
fn names_are_the_ones_that_people_know() {
    let about = About { provider: Some("azure-openai"), model: Some("gpt-4o"), ..About::default() };
    for locale in LOCALES {
        let message = user_message(Code::ModelNotFound, &about, locale);
        assert!(message.contains("Azure OpenAI") && message.contains("gpt-4o"), "{locale}: {message}");
        let message = user_message(
            Code::ToolExecutionError,
            &About { tool: Some("web_search"), ..About::default() },
            locale,
        );
        assert!(message.contains("web_search"), "{locale}: {message}");
    }
}

#[test]
fn a_regional_locale_finds_its_language() {
    for (name, language) in [
        ("de-AT", "de"),
        ("de_CH.UTF-8", "de"),
        ("DE", "de"),
        ("fr-CA", "fr"),
        ("es-419", "es"),
        ("ja-JP-u-ca-japanese", "ja"),
        ("zh-Hans-CN", "zh"),
        ("zh_TW", "zh"),
        ("en-GB", "en"),
        ("pt", "en"),
        ("pt-BR", "en"),
        ("", "en"),
        ("C", "en"),
        ("den", "en"),
        ("x-de", "en"),
        ("日本語", "en"),
    ] {
        assert_eq!(resolve_locale(name), language, "{name:?}");
    }
}

#[test]
fn empty_and_invalid_answers_are_explained_in_several_lines() {
    for locale in LOCALES {
        let about = About { provider: Some("openai"), ..About::default() };
        let empty = empty_response("no candidates in response", &about, locale);
        assert!(
            empty.lines().count() >= 9 && empty.ends_with("no candidates in response"),
            "{locale}: {empty}"
        );
        let invalid = invalid_response("content attribute", "missing", &about, locale);
        assert!(
            invalid.lines().count() >= 10 && invalid.contains("content attribute"),
            "{locale}: {invalid}"
        );
        assert!(invalid.ends_with("missing") && invalid.contains("OpenAI"), "{locale}: {invalid}");
        for text in [empty, invalid] {
            assert_eq!(lint(&text), [], "{locale}: {text}");
        }
        // A missing part is of no use to a visitor.
        let visitor = About { audience: Audience::Visitor, ..about };
        let empty = empty_response("no candidates in response", &visitor, locale);
        let invalid = invalid_response("content attribute", "missing", &visitor, locale);
        for text in [empty, invalid] {
            assert!(!text.contains('\n') && text.contains("OpenAI"), "{locale}: {text}");
            assert!(!text.contains("candidates") && !text.contains("attribute"), "{locale}: {text}");
        }
    }
}

#[test]
fn details_are_one_redacted_line() {
    assert_eq!(technical_details("", "en"), "");
    assert_eq!(technical_details("  \n ", "en"), "");
    assert_eq!(technical_details("a\n  b jane@example.com", "de"), "\n\nTechnische Details: a b [redacted]");
    let long = technical_details(&"wörter ".repeat(100_000), "en");
    assert!(long.chars().count() < 540 && long.ends_with('…'), "{long}");
}

/// The rules of each language's typography.
#[test]
fn the_typography_is_the_languages_own() {
    for locale in ALL {
        for text in texts(locale) {
            let wrong: &[&str] = match locale.tag {
                "en" => &["'", "\""],
                "de" => &["'", "\"", "”"],
                "es" => &["\"", "“"],
                "fr" => &["'", "\"", " :", " ;", " »", "« ", "« ", "“"],
                "ja" => &["、 ", "。 ", ",", "!", "?", ": "],
                "zh" => &["， ", "。 ", ",", "!", "?", ": ", "、 ", "「"],
                other => panic!("no rules for {other}: add them"),
            };
            for mark in wrong {
                assert!(!text.contains(mark), "{}: {mark:?} in {text}", locale.tag);
            }
            if matches!(locale.tag, "ja" | "zh") {
                assert!(!text.contains(' ') && !text.contains('.'), "{}: {text}", locale.tag);
            }
        }
    }
}

/// Every template uses the little language rightly: sections of three parts, known names, nothing left open.
#[test]
fn templates_are_well_formed() {
    let names = ["provider", "internet", "model", "tool", "wait", "again", "detail", "expected", "got", "n"];
    for locale in ALL {
        for text in texts(locale) {
            assert!(!text.contains(ROW_END), "{}: {text}", locale.tag);
            assert_eq!(text.matches('[').count(), text.matches(']').count(), "{}: {text}", locale.tag);
            for section in text.split('[').skip(1) {
                let parts: Vec<_> = section.split(']').next().unwrap().split('|').collect();
                assert!(parts.len() == 3 && names.contains(&parts[0]), "{}: {text}", locale.tag);
            }
            for placeholder in text.split('{').skip(1) {
                let name = placeholder.split('}').next().unwrap();
                assert!(names.contains(&name), "{}: {{{name}}} in {text}", locale.tag);
            }
        }
        for forms in [locale.seconds, locale.minutes, locale.hours, locale.days] {
            assert!(forms.iter().all(|form| form.contains("{n}")), "{}", locale.tag);
            let wanted = if matches!(locale.plural, Plural::None) { 1 } else { 2 };
            assert_eq!(forms.len(), wanted, "{}: a plural form without words", locale.tag);
            assert!(!forms.concat().contains('|'), "{}", locale.tag);
        }
        assert!(locale.again_in.contains("{wait}") && locale.details.contains("{detail}"), "{}", locale.tag);
        assert!(
            locale.expected_got.contains("{expected}") && locale.expected_got.contains("{got}"),
            "{}",
            locale.tag
        );
        let words = &locale.answer;
        assert!(words.using.contains("{tool}") && words.executed.contains("{tool}"), "{}", locale.tag);
        assert!(words.error.contains("{detail}"), "{}", locale.tag);
    }
}

/// Every text of a language.
pub(super) fn texts(locale: &'static Locale) -> Vec<&'static str> {
    let explained = |of: &'static Explanation| {
        [of.what, of.causes_title, of.steps_title]
            .into_iter()
            .chain(of.causes.iter().copied())
            .chain(of.steps.iter().copied())
    };
    let circumstances = locale.circumstances.iter().flat_map(|(_, owner, visitor)| [*owner, *visitor]);
    let rows = locale.messages.iter().chain(locale.visitor).map(|(_, text)| *text).chain(circumstances);
    rows.filter(|text| !text.is_empty())
        .chain([locale.empty_for_visitor])
        .chain(explained(&locale.invalid))
        .chain(explained(&locale.empty))
        .chain([locale.again_in, locale.again_soon, locale.details, locale.expected_got])
        .chain(progress_texts(locale))
        .collect()
}

fn progress_texts(locale: &'static Locale) -> [&'static str; 6] {
    let words = &locale.answer;
    [words.sending, words.using, words.error, words.executed, words.analysed, words.completed]
}

#[test]
fn progress_has_a_sentence_of_its_own_in_every_language() {
    let steps = [
        Progress::Sending,
        Progress::Using("web_search"),
        Progress::Failed("no such city"),
        Progress::Executed(Some("web_search")),
        Progress::Executed(None),
        Progress::Completed,
    ];
    for step in steps {
        let mut said: Vec<_> = LOCALES.iter().map(|locale| progress(step, locale)).collect();
        for text in &said {
            assert_eq!(lint(text), [], "{text}");
        }
        said.sort();
        said.dedup();
        // "Error: …" is Spanish too.
        let shared = usize::from(matches!(step, Progress::Failed(_)));
        assert_eq!(said.len(), LOCALES.len() - shared, "{step:?}: {said:?}");
    }
    assert_eq!(
        progress(Progress::Executed(Some("[tool|a|b]{tool}")), "tlh"),
        "Analysis complete. Executed [tool|a|b]{tool} successfully."
    );
}

#[test]
fn the_lint_finds_its_faults() {
    for (bad, finding) in [
        ("The JSON was bad.", Finding::Jargon("json".into())),
        ("The API is down.", Finding::Jargon("api".into())),
        ("RATE_LIMITED, sorry.", Finding::Code("RATE_LIMITED".into())),
        ("It was ECONNREFUSED.", Finding::Code("ECONNREFUSED".into())),
        ("It failed (503).", Finding::Status("503".into())),
        ("Ask {provider}.", Finding::Placeholder),
        ("Two  spaces.", Finding::Spacing),
        ("Write to jane@example.com now.", Finding::Secret),
        ("", Finding::Empty),
    ] {
        assert!(lint(bad).contains(&finding), "{bad}: {:?}", lint(bad));
    }
    assert!(matches!(lint(&"long ".repeat(60))[..], [.., Finding::LongLine(_), Finding::Spacing]));
    assert_eq!(lint("Prüfen Sie den API-Schlüssel."), []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Names come from configurations and errors. With any contents, a message stays clean.
    #[test]
    fn whatever_the_names_hold_the_message_is_clean(
        provider in "\\PC{0,80}", model in "\\PC{0,80}", tool in "\\PC{0,80}", wait: u64, locale in "\\PC{0,12}", code in 0_u8..26,
    ) {
        let about = About {
            provider: Some(&provider), model: Some(&model), tool: Some(&tool), retry_after: Some(Millis(wait)),
            ..About::default()
        };
        let message = user_message(Code::from_index(code).unwrap(), &about, &locale);
        prop_assert!(!lint(&message).contains(&Finding::Secret), "{}", message);
        prop_assert!(message.chars().count() < 1_200, "{}", message);
    }
}
