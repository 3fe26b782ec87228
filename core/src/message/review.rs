//! What a translation is reviewed for beside its meaning: the address, the voice, no blame, a next step. The part of the
//! checklist in `docs/messages.md` that a test can hold; a back-translation by a reader is the other part.

use super::locale::{ALL, Explanation, Locale};
use super::tests::texts;
use super::{About, user_message};
use crate::time::Millis;

/// What a language must not say, and the words of a next step. Words are compared without case and whole where they have
/// letters of the Latin alphabet, as parts elsewhere.
struct Checklist {
    tag: &'static str,
    /// Words of the familiar address.
    informal: &'static [&'static str],
    /// Words by which the text would speak as a person or a company, or would apologise for one: the agent has a voice of its
    /// own, and the message stands in it.
    voice: &'static [&'static str],
    /// Words that make it the user's fault.
    blame: &'static [&'static str],
    /// Words that tell the user what to do or what is possible now.
    next_step: &'static [&'static str],
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
            "you can",
        ],
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
            "teilen sie",
            "starten sie",
            "sie können",
        ],
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
            "puede volver",
        ],
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
            "vous pouvez",
        ],
    },
    Checklist {
        tag: "ja",
        informal: &["君", "お前", "しろ。", "だよ", "だね", "じゃない"],
        // Not お客様 either: whoever uses an agent need not be anybody's customer.
        voice: &["私", "僕", "当社", "弊社", "我々", "お客様", "申し訳", "すみません"],
        blame: &["あなたのせい", "あなたの誤り", "間違えました", "違反"],
        next_step: &["ください", "できます"],
    },
    Checklist {
        tag: "zh",
        informal: &["你", "亲"],
        voice: &["我", "咱", "本公司", "抱歉", "对不起"],
        blame: &["您的错", "您的失误", "您忘记", "违反", "非法"],
        next_step: &["请", "可以"],
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
        let others = [locale.broken_off, locale.shut_down, locale.again_in, locale.again_soon];
        for text in rows.chain(others) {
            let step = text.contains("{again}") || checklist.next_step.iter().any(|word| has(text, word));
            assert!(step, "{}: what now? {text}", locale.tag);
        }
        for Explanation { steps, .. } in [&locale.invalid, &locale.empty, &locale.unknown] {
            assert!(!steps.is_empty(), "{}", locale.tag);
        }
    }
}

/// A sentence that ends in the plain form would be rude beside the others. Lists of causes and steps have it on purpose.
#[test]
fn japanese_sentences_are_polite() {
    let about = About { provider: Some("openai"), retry_after: Some(Millis(60_000)), ..About::default() };
    let japanese = ALL.iter().filter(|locale| locale.tag == "ja");
    for code in japanese.flat_map(|locale| locale.messages.iter().map(|(code, _)| *code)) {
        let message = user_message(code, &about, "ja");
        for sentence in message.split_terminator('。') {
            let polite = ["ます", "ません", "ました", "でした", "です", "ください"];
            assert!(polite.iter().any(|end| sentence.ends_with(end)), "{sentence}");
        }
    }
}

#[test]
fn the_checklist_finds_what_it_is_for() {
    assert!(has("Prüf das, wenn du kannst.", "du"));
    assert!(!has("Sie können durch Abwarten helfen.", "du"));
    assert!(has("请告诉你的管理员。", "你"));
    assert!(has("Es tu culpa", "tu") && !has("estuvo", "tu"));
}
