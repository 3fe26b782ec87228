//! A review of translations for everything but their meaning: the address, the voice, no blame, a next step. These are
//! the points of the checklist in `docs/messages.md` that a test can check; a reader checks the meaning by translating
//! back.

use super::locale::{ALL, Explanation, Locale};
use super::tests::texts;
use super::{About, Audience, Circumstance, user_message};
use crate::Code;
use crate::time::Millis;

/// The words that a language must avoid, and those of a next step. The comparison ignores case. Words of the Latin
/// alphabet match as a whole, others as parts.
struct Checklist {
    tag: &'static str,
    /// Words of the familiar address.
    informal: &'static [&'static str],
    /// Words by which the text would speak as a person or a company, or would apologise for one. The agent has its own
    /// voice, and the message is part of it.
    voice: &'static [&'static str],
    /// Words that make it the user's fault.
    blame: &'static [&'static str],
    /// Words that tell the user what to do or what is possible now.
    next_step: &'static [&'static str],
    /// Things that a visitor of another person's agent cannot look at: keys, settings, accounts, bills, connections.
    owners: &'static [&'static str],
    /// The people who can.
    people: &'static [&'static str],
}

const CHECKLISTS: &[Checklist] = &[
    Checklist {
        tag: "en",
        informal: &["gonna", "oops", "uh-oh", "hey", "whoops"],
        voice: &["i", "i’m", "me", "my", "we", "we’re", "us", "our", "sorry"],
        blame: &[
            "your fault",
            "your mistake",
            "your error",
            "you failed",
            "you forgot",
            "illegal",
            "forbidden",
        ],
        next_step: &[
            "try again",
            "check",
            "choose",
            "shorten",
            "rephrase",
            "ask",
            "describe",
            "split",
            "start it again",
            "start a new conversation",
            "you can",
        ],
        owners: &[
            "key",
            "settings",
            "account",
            "plan",
            "billing",
            "quota",
            "administrator",
            "internet",
            "connection",
            "model",
            "support",
        ],
        people: &["the people who run"],
    },
    Checklist {
        tag: "de",
        informal: &[
            "du", "dich", "dir", "dein", "deine", "deinen", "deinem", "deiner", "euch", "euer", "eure",
        ],
        voice: &["ich", "mich", "mir", "mein", "meine", "wir", "uns", "unser", "unsere", "entschuldigung"],
        blame: &["ihr fehler", "ihre schuld", "falsch gemacht", "haben sie vergessen", "verboten"],
        next_step: &[
            "versuchen sie",
            "prüfen sie",
            "wählen sie",
            "kürzen sie",
            "formulieren sie",
            "bitten sie",
            "beschreiben sie",
            "sagen sie",
            "teilen sie",
            "starten sie",
            "beginnen sie",
            "sie können",
        ],
        owners: &[
            "schlüssel",
            "einstellungen",
            "konto",
            "tarif",
            "abrechnung",
            "kontingent",
            "administration",
            "internetverbindung",
            "verbindung",
            "modell",
            "support",
        ],
        people: &["betreiber"],
    },
    Checklist {
        tag: "es",
        informal: &["tú", "tu", "tus", "te", "ti", "vosotros", "vuestro", "inténtalo", "comprueba", "puedes"],
        voice: &["yo", "mi", "nosotros", "nuestro", "nuestra", "hemos", "podemos", "sentimos", "siento"],
        blame: &["su error", "su culpa", "ha cometido", "ha olvidado", "prohibido"],
        next_step: &[
            "vuelva a",
            "inténtelo",
            "compruebe",
            "compruébela",
            "elija",
            "acorte",
            "exprese",
            "pida",
            "revise",
            "describa",
            "divídala",
            "empiece",
            "puede volver",
        ],
        owners: &[
            "clave",
            "ajustes",
            "cuenta",
            "plan",
            "facturación",
            "cuota",
            "administrador",
            "internet",
            "conexión",
            "modelo",
            "asistencia",
        ],
        people: &["las personas que"],
    },
    Checklist {
        tag: "fr",
        informal: &["tu", "te", "toi", "ton", "ta", "tes", "réessaie", "vérifie"],
        voice: &["je", "moi", "mon", "ma", "mes", "nous", "notre", "nos", "désolé", "désolés"],
        blame: &["votre erreur", "votre faute", "vous n’avez pas", "vous avez oublié", "interdit"],
        next_step: &[
            "réessayez",
            "réessayer",
            "vérifiez",
            "choisissez",
            "raccourcissez",
            "reformulez",
            "demandez",
            "décrivez",
            "divisez",
            "redémarrez",
            "commencez",
            "vous pouvez",
        ],
        owners: &[
            "clé",
            "paramètres",
            "compte",
            "abonnement",
            "facturation",
            "quota",
            "administrateur",
            "internet",
            "connexion",
            "modèle",
            "assistance",
        ],
        people: &["les personnes qui"],
    },
    Checklist {
        tag: "ja",
        informal: &["君", "お前", "しろ。", "だよ", "だね", "じゃない"],
        // Not お客様 either: the user of an agent need not be a customer.
        voice: &["私", "僕", "当社", "弊社", "我々", "お客様", "申し訳", "すみません"],
        blame: &["あなたのせい", "あなたの誤り", "間違えました", "違反"],
        next_step: &["ください", "できます"],
        owners: &[
            "キー",
            "設定で",
            "設定を確認",
            "アカウント",
            "プラン",
            "お支払い",
            "管理者",
            "インターネット",
            "モデル",
            "サポート",
        ],
        people: &["運営者"],
    },
    Checklist {
        tag: "zh",
        informal: &["你", "亲"],
        voice: &["我", "咱", "本公司", "抱歉", "对不起"],
        blame: &["您的错", "您的失误", "您忘记", "违反", "非法"],
        next_step: &["请", "可以"],
        owners: &["密钥", "检查设置", "账户", "套餐", "账单", "管理员", "网络", "模型", "支持人员"],
        people: &["运营人员"],
    },
];

fn has(text: &str, word: &str) -> bool {
    let text = text.to_lowercase();
    text.match_indices(word).any(|(at, _)| {
        let latin = |c: Option<char>| c.is_some_and(|c| c.is_alphabetic() && u32::from(c) < 0x250);
        let inner = word.chars().next().is_some_and(|c| latin(Some(c)));
        let end = at + word.len();
        !inner || (!latin(text[..at].chars().next_back()) && !latin(text[end..].chars().next()))
    })
}

fn reviewed() -> impl Iterator<Item = (&'static Locale, &'static Checklist)> {
    ALL.iter().map(|locale| {
        let checklist = CHECKLISTS.iter().find(|checklist| checklist.tag == locale.tag);
        (*locale, checklist.unwrap_or_else(|| panic!("no checklist for {}: add one", locale.tag)))
    })
}

fn assert_without(words: fn(&Checklist) -> &'static [&'static str], fault: &str) {
    for (locale, checklist) in reviewed() {
        for text in texts(locale) {
            let found: Vec<_> = words(checklist).iter().filter(|word| has(text, word)).collect();
            assert!(found.is_empty(), "{} {fault} {found:?}: {text}", locale.tag);
        }
    }
}

#[test]
fn the_address_is_formal() {
    assert_without(|checklist| checklist.informal, "is familiar");
}

#[test]
fn no_text_speaks_as_a_person_or_a_company() {
    assert_without(|checklist| checklist.voice, "has a voice of its own");
}

#[test]
fn no_text_blames_the_user() {
    assert_without(|checklist| checklist.blame, "blames");
}

#[test]
fn every_message_has_a_next_step() {
    for (locale, checklist) in reviewed() {
        let rows = locale.messages.iter().map(|(_, text)| *text);
        let circumstances = locale.circumstances.iter().flat_map(|(_, owner, visitor)| [*owner, *visitor]);
        let visitor = locale.visitor.iter().map(|(_, text)| *text);
        let others = [locale.empty_for_visitor, locale.again_in, locale.again_soon];
        for text in rows.chain(circumstances).chain(visitor).chain(others).filter(|text| !text.is_empty()) {
            let mut words = checklist.next_step.iter().chain(checklist.people);
            assert!(
                text.contains("{again}") || words.any(|word| has(text, word)),
                "{}: what now? {text}",
                locale.tag
            );
        }
        for Explanation { steps, .. } in [&locale.invalid, &locale.empty] {
            assert!(!steps.is_empty(), "{}", locale.tag);
        }
    }
}

/// Every sentence that a visitor may read, with any facts: the owners' that visitors share, and their own.
#[test]
fn no_visitor_is_sent_to_things_that_only_the_owner_has() {
    for (locale, checklist) in reviewed() {
        for (code, circumstance, provider, wait) in everything() {
            let about = About {
                provider,
                retry_after: wait,
                circumstance,
                audience: Audience::Visitor,
                ..About::default()
            };
            let text = user_message(code, &about, locale.tag);
            let found: Vec<_> = checklist.owners.iter().filter(|word| has(&text, word)).collect();
            // A conversation can be too long for a model: a visitor shortens the conversation.
            let is_a_reason = code == Code::ContextLengthExceeded && found.len() == 1;
            assert!(
                found.is_empty() || is_a_reason,
                "{} {code:?} sends a visitor to {found:?}: {text}",
                locale.tag
            );
        }
    }
}

/// If only the operators can help, and trying again does not, the sentence says both.
#[test]
fn a_visitor_reads_who_has_to_look_at_it() {
    for (locale, checklist) in reviewed() {
        for code in [
            Code::ProviderNotConfigured,
            Code::ProviderNotSupported,
            Code::AuthenticationError,
            Code::ModelNotFound,
            Code::QuotaExceeded,
            Code::PermissionDenied,
            Code::ConfigError,
            Code::InitializationError,
            Code::Unknown,
        ] {
            let visitor = About { audience: Audience::Visitor, ..About::default() };
            let text = user_message(code, &visitor, locale.tag);
            assert!(checklist.people.iter().any(|word| has(&text, word)), "{} {code:?}: {text}", locale.tag);
            assert!(
                !checklist
                    .people
                    .iter()
                    .any(|word| has(&user_message(code, &About::default(), locale.tag), word))
            );
        }
    }
}

fn everything() -> impl Iterator<Item = (Code, Circumstance, Option<&'static str>, Option<Millis>)> {
    Code::ALL.iter().flat_map(|&code| {
        Circumstance::ALL.into_iter().flat_map(move |circumstance| {
            [None, Some("openai"), Some("postgres")].into_iter().flat_map(move |provider| {
                [None, Some(Millis(60_000))].map(|wait| (code, circumstance, provider, wait))
            })
        })
    })
}

/// A sentence that ends in the plain form would be rude beside the others. Lists of causes and steps have it on purpose.
#[test]
fn japanese_sentences_are_polite() {
    let about = About { provider: Some("openai"), retry_after: Some(Millis(60_000)), ..About::default() };
    for (code, circumstance, audience) in
        Code::ALL.iter().filter(|code| **code != Code::InvalidResponse).flat_map(|&code| {
            Circumstance::ALL
                .into_iter()
                .flat_map(move |one| Audience::ALL.map(|audience| (code, one, audience)))
        })
    {
        let message = user_message(code, &About { circumstance, audience, ..about }, "ja");
        for sentence in message.split_terminator('。') {
            let polite = ["ます", "ません", "ました", "でした", "です", "ください"];
            assert!(polite.iter().any(|end| sentence.ends_with(end)), "{sentence}");
        }
    }
}

#[test]
fn the_checklist_finds_its_faults() {
    assert!(has("Prüf das, wenn du kannst.", "du"));
    assert!(!has("Sie können durch Abwarten helfen.", "du"));
    assert!(has("请告诉你的管理员。", "你"));
    assert!(has("Es tu culpa", "tu") && !has("estuvo", "tu"));
}
