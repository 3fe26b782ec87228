//! German. Formal address; „quotes“ as DIN 5008 has them.

use super::super::Circumstance;
use super::shape::{Answer, Explanation, Locale, Plural};
use crate::Code;

/// For a visitor, of what only the people who run the assistant can mend.
const LOOK_AT_IT: &str = "Der Assistent kann derzeit nicht antworten. Ein neuer Versuch hilft erst, wenn sich die \
    Betreiber des Assistenten darum gekümmert haben.";

pub(super) const LOCALE: Locale = Locale {
    tag: "de",
    plural: Plural::One,
    seconds: &["{n} Sekunde", "{n} Sekunden"],
    minutes: &["{n} Minute", "{n} Minuten"],
    hours: &["{n} Stunde", "{n} Stunden"],
    days: &["{n} Tag", "{n} Tagen"],
    again_in: "Bitte versuchen Sie es in etwa {wait} erneut.",
    again_soon: "Bitte versuchen Sie es in Kürze erneut.",
    messages: &[
        (
            Code::ProviderNotConfigured,
            "[provider|{provider}|Der KI-Dienst] ist noch nicht eingerichtet. Hinterlegen Sie den API-Schlüssel in \
                den Einstellungen und versuchen Sie es dann erneut.",
        ),
        (
            Code::ProviderNotSupported,
            "[provider|{provider}|Dieser KI-Dienst] kann hierfür nicht verwendet werden. Wählen Sie in den Einstellungen einen anderen KI-Dienst.",
        ),
        (
            Code::AuthenticationError,
            "[provider|{provider}|Der Dienst] hat den API-Schlüssel nicht akzeptiert. Prüfen Sie ihn in den \
                Einstellungen: Er könnte falsch eingegeben, abgelaufen oder gesperrt sein.",
        ),
        (
            Code::RateLimited,
            "An [provider|{provider}|den Dienst] wurden in kurzer Zeit zu viele Anfragen gesendet. {again}",
        ),
        (
            Code::ModelNotFound,
            "[model|Das Modell „{model}“|Das gewählte Modell] ist[provider| bei {provider}|] nicht verfügbar. Prüfen \
                Sie den Namen in den Einstellungen oder wählen Sie ein anderes Modell.",
        ),
        (
            Code::ContextLengthExceeded,
            "Diese Unterhaltung ist zu lang für das Modell[model| „{model}“|]. Kürzen Sie Ihre Anfrage, lassen Sie \
                Anhänge weg oder beginnen Sie eine neue Unterhaltung.",
        ),
        (
            Code::NetworkError,
            "Die Verbindung [provider|zu {provider}|zum Dienst] konnte nicht hergestellt werden. [internet|Prüfen \
                Sie Ihre Internetverbindung.|Prüfen Sie, ob der Dienst läuft und erreichbar ist.] {again}",
        ),
        (
            Code::Timeout,
            "Die Antwort [provider|von {provider}|des Dienstes] hat zu lange auf sich warten lassen. {again} Wenn \
                das weiterhin vorkommt, hilft vielleicht eine kürzere Anfrage.",
        ),
        (
            Code::Unknown,
            "[provider|Bei der Arbeit mit {provider} ist|Es ist] ein unerwarteter Fehler aufgetreten. {again} Wenn \
                das weiterhin vorkommt, wenden Sie sich an den Support.",
        ),
        (
            Code::ServerError,
            "[provider|{provider}|Der Dienst] hat gerade technische Probleme; an Ihrer Anfrage liegt es nicht. {again}",
        ),
        (Code::ProviderOverloaded, "[provider|{provider}|Der Dienst] ist gerade stark ausgelastet. {again}"),
        (
            Code::QuotaExceeded,
            "Das Guthaben oder Nutzungslimit Ihres Kontos [provider|bei {provider}|beim Dienst] ist aufgebraucht. \
                [wait|Es sollte sich in etwa {wait} erneuern. |]Prüfen Sie Tarif und Abrechnung des Kontos oder \
                verwenden Sie einen anderen Dienst.",
        ),
        (
            Code::ContentFiltered,
            "Die Sicherheitsregeln [provider|von {provider}|des KI-Dienstes] haben diese Anfrage oder die Antwort \
                darauf gestoppt. Formulieren Sie die Anfrage um und lassen Sie heikle Inhalte weg.",
        ),
        (
            Code::PermissionDenied,
            "Ihrem Konto fehlt[provider| bei {provider}|] die Berechtigung dafür. Bitten Sie die Administration um \
                Zugriff oder verwenden Sie ein anderes Konto.",
        ),
        (
            Code::ValidationError,
            "[provider|{provider} konnte die Anfrage des Assistenten nicht verarbeiten|Diese Anfrage konnte nicht \
                verarbeitet werden]: Eine Angabe fehlt oder ist ungültig. Beginnen Sie eine neue Unterhaltung, \
                beschreiben Sie anders, was Sie möchten, oder prüfen Sie die Einstellungen.",
        ),
        (
            Code::NotFound,
            "Das Gesuchte wurde[provider| bei {provider}|] nicht gefunden. Prüfen Sie Name oder Adresse: Vielleicht wurde es verschoben oder gelöscht.",
        ),
        (Code::Cancelled, "Die Anfrage wurde abgebrochen. Sie können sie jederzeit erneut senden."),
        (
            Code::IoError,
            "Eine Datei konnte nicht gelesen oder gespeichert werden. Prüfen Sie, ob sie vorhanden ist, ob Sie sie \
                verwenden dürfen und ob genug Speicherplatz frei ist.",
        ),
        (
            Code::ConfigError,
            "In den Einstellungen fehlt etwas, oder etwas ist falsch. Prüfen Sie die Einstellungen und versuchen Sie es dann erneut.",
        ),
        (
            Code::LlmAssistRequired,
            "[tool|Das Werkzeug „{tool}“|Ein Werkzeug] braucht genauere Angaben, um weiterzumachen. Beschreiben Sie \
                ausführlicher, was Sie möchten, und versuchen Sie es dann erneut.",
        ),
        (
            Code::MaxIterationsExceeded,
            "Die Aufgabe brauchte mehr Schritte als erlaubt und wurde deshalb angehalten. Teilen Sie sie in kleinere \
                Aufgaben auf oder beschreiben Sie sie genauer.",
        ),
        (
            Code::ToolExecutionError,
            "[tool|Das Werkzeug „{tool}“|Ein Werkzeug] konnte seine Arbeit nicht abschließen. Versuchen Sie es erneut oder beschreiben Sie die Aufgabe anders.",
        ),
        (
            Code::InitializationError,
            "Der Assistent konnte nicht starten. Prüfen Sie die Einstellungen und starten Sie ihn neu. Wenn das nicht hilft, wenden Sie sich an den Support.",
        ),
        (
            Code::CircuitOpen,
            "[provider|Bei {provider}|Beim Dienst] sind mehrmals hintereinander Fehler aufgetreten; Anfragen dorthin sind deshalb vorerst angehalten. {again}",
        ),
        (Code::CapacityExceeded, "Es laufen bereits zu viele Anfragen gleichzeitig. {again}"),
        (
            Code::Conflict,
            "Jemand anderes hat dies gleichzeitig[provider| bei {provider}|] geändert; Ihre Änderung wurde deshalb nicht übernommen. {again}",
        ),
        (
            Code::AlreadyExists,
            "Das gibt es[provider| bei {provider}|] bereits. Wählen Sie einen anderen Namen oder ändern Sie, was schon da ist.",
        ),
    ],
    visitor: &[
        (
            Code::ProviderNotConfigured,
            "Der Assistent ist noch nicht fertig eingerichtet. Ein neuer Versuch hilft erst, wenn die Betreiber des \
                Assistenten die Einrichtung abgeschlossen haben.",
        ),
        (Code::ProviderNotSupported, LOOK_AT_IT),
        (Code::AuthenticationError, LOOK_AT_IT),
        (Code::ModelNotFound, LOOK_AT_IT),
        (
            Code::NetworkError,
            "Der Assistent konnte [provider|{provider}|einen Dienst, den er braucht,] nicht erreichen. {again} Wenn \
                das weiterhin vorkommt, müssen sich die Betreiber des Assistenten darum kümmern.",
        ),
        (
            Code::InvalidResponse,
            "[provider|{provider}|Der Dienst] hat eine Antwort gesendet, die der Assistent nicht verstehen konnte. \
                {again} Wenn das weiterhin vorkommt, müssen sich die Betreiber darum kümmern.",
        ),
        (
            Code::Unknown,
            "Etwas Unerwartetes ist schiefgegangen. {again} Wenn das weiterhin vorkommt, müssen sich die Betreiber des Assistenten darum kümmern.",
        ),
        (
            Code::QuotaExceeded,
            "Der Assistent hat vorerst aufgebraucht, was er nutzen darf. [wait|Bitte versuchen Sie es in etwa {wait} \
                erneut.|Ein neuer Versuch hilft erst, wenn sich die Betreiber des Assistenten darum gekümmert \
                haben.]",
        ),
        (
            Code::PermissionDenied,
            "Der Assistent darf dies[provider| bei {provider}|] nicht tun. Ein neuer Versuch hilft nicht: Nur die Betreiber des Assistenten können das ändern.",
        ),
        (
            Code::ValidationError,
            "Der Assistent konnte diese Anfrage nicht verarbeiten. Beginnen Sie eine neue Unterhaltung oder \
                beschreiben Sie anders, was Sie möchten. Wenn das nicht hilft, müssen sich die Betreiber des \
                Assistenten darum kümmern.",
        ),
        (
            Code::NotFound,
            "Das Gesuchte wurde[provider| bei {provider}|] nicht gefunden: Vielleicht wurde es verschoben oder \
                gelöscht. Prüfen Sie die Schreibweise oder fragen Sie anders.",
        ),
        (
            Code::IoError,
            "Der Assistent konnte eine Datei, die er braucht, nicht lesen oder speichern. {again} Wenn das weiterhin \
                vorkommt, müssen sich die Betreiber des Assistenten darum kümmern.",
        ),
        (Code::ConfigError, LOOK_AT_IT),
        (Code::InitializationError, LOOK_AT_IT),
    ],
    circumstances: &[
        (
            Circumstance::BrokenOff,
            "Die Verbindung [provider|zu {provider}|zum Dienst] ist abgebrochen, während die Antwort übertragen \
                wurde. [internet|Prüfen Sie Ihre Internetverbindung. |]{again}",
            "Die Antwort brach ab, bevor sie vollständig war. {again}",
        ),
        (
            Circumstance::ShutDown,
            "Die Anfrage wurde abgebrochen, weil der Assistent beendet wurde. Starten Sie ihn neu und senden Sie dann Ihre Anfrage.",
            "Die Anfrage wurde abgebrochen, weil der Assistent beendet wurde. {again}",
        ),
        (
            Circumstance::RateLimit,
            "In diesem Zeitraum dürfen keine weiteren Anfragen [provider|an {provider} |]gesendet werden. {again}",
            "Der Assistent erhält mehr Anfragen, als er beantworten kann. {again}",
        ),
        (
            Circumstance::Cost,
            "Die Ausgabengrenze für die Anfragen des Assistenten ist erreicht; vorerst werden keine weiteren gesendet. {again}",
            "Der Assistent hat seine Nutzungsgrenze vorerst erreicht. {again}",
        ),
        (
            Circumstance::Adaptive,
            "[provider|{provider}|Der Dienst] kann gerade nicht noch mehr Anfragen gleichzeitig annehmen. {again}",
            "",
        ),
        (
            Circumstance::NoSuchTool,
            "[tool|Ein Werkzeug namens „{tool}“ gibt es nicht|Das Werkzeug, das der Assistent gewählt hat, gibt es \
                nicht]; dieser Schritt war deshalb nicht möglich. Versuchen Sie es erneut oder beschreiben Sie die \
                Aufgabe anders.",
            "",
        ),
        (
            Circumstance::Conversation,
            "[provider|{provider}|Der KI-Dienst] kann diese Unterhaltung in ihrer jetzigen Form nicht fortsetzen. \
                Beginnen Sie eine neue Unterhaltung oder wählen Sie ein anderes Modell.",
            "Der Assistent kann diese Unterhaltung in ihrer jetzigen Form nicht fortsetzen. Beginnen Sie eine neue \
                Unterhaltung. Wenn das nicht hilft, müssen sich die Betreiber des Assistenten darum kümmern.",
        ),
        (
            Circumstance::Attachment,
            "[provider|{provider}|Der KI-Dienst] konnte einen Anhang in dieser Unterhaltung nicht verarbeiten. \
                Lassen Sie ihn weg oder senden Sie ihn in einem anderen Format. Wenn das nicht hilft, beginnen Sie eine \
                neue Unterhaltung.",
            "",
        ),
        (
            Circumstance::Isolated,
            "Anfragen [provider|an {provider}|an den Dienst] sind vorerst angehalten. {again}",
            "",
        ),
        (
            Circumstance::Throttled,
            "[provider|Bei {provider}|Beim Dienst] gab es Probleme; deshalb wird vorerst nur ein Teil der Anfragen dorthin gesendet. {again}",
            "",
        ),
    ],
    invalid: Explanation {
        what: "[provider|{provider}|Der Dienst] hat eine Antwort gesendet, die nicht verstanden werden konnte.",
        causes_title: "Mögliche Gründe:",
        causes: &[
            "Die Verbindung brach ab, bevor die Antwort vollständig war",
            "Der Dienst hatte kurzzeitig ein internes Problem",
            "Der Dienst hat die Art seiner Antworten geändert",
        ],
        steps_title: "Was Sie tun können:",
        steps: &[
            "Versuchen Sie es in Kürze erneut",
            "Bitten Sie um eine kürzere oder einfachere Antwort",
            "Wenn es weiterhin vorkommt, wählen Sie ein anderes Modell oder wenden Sie sich an den Support",
        ],
    },
    empty: Explanation {
        what: "[provider|{provider}|Der KI-Dienst] hat eine leere Antwort gesendet.",
        causes_title: "Mögliche Gründe:",
        causes: &[
            "Die Anfrage war unklar oder verlangte zu viel auf einmal",
            "Die Sicherheitsregeln des Dienstes haben die Antwort zurückgehalten",
            "Der Dienst war ausgelastet oder hatte kurzzeitig ein internes Problem",
            "Ein Limit für Anfragen oder Nutzung war erreicht",
        ],
        steps_title: "Was Sie tun können:",
        steps: &[
            "Sagen Sie mit anderen Worten, was Sie möchten",
            "Teilen Sie eine große Aufgabe in kleinere Schritte auf",
            "Versuchen Sie es in Kürze erneut",
        ],
    },
    empty_for_visitor: "[provider|{provider}|Der KI-Dienst] hat eine leere Antwort gesendet. Sagen Sie mit anderen \
        Worten, was Sie möchten, oder verlangen Sie weniger auf einmal.",
    details: "Technische Details: {detail}",
    expected_got: "Erwartet: {expected}\nErhalten: {got}",
    answer: Answer {
        sending: "Nachricht wird an die KI gesendet …",
        using: "{tool} wird verwendet …",
        error: "Fehler: {detail}",
        executed: "Analyse abgeschlossen. {tool} wurde erfolgreich ausgeführt.",
        analysed: "Analyse mit den verfügbaren Werkzeugen abgeschlossen.",
        completed: "Aufgabe mit den verfügbaren Werkzeugen erledigt.",
    },
};
