//! German. Formal address; „quotes“ as DIN 5008 has them.

use super::shape::{Answer, Explanation, Locale, Plural};
use crate::Code;

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
            "[provider|{provider}|Der KI-Dienst] ist noch nicht eingerichtet. Hinterlegen Sie den API-Schlüssel in den Einstellungen und versuchen Sie es dann erneut.",
        ),
        (
            Code::ProviderNotSupported,
            "[provider|{provider}|Dieser KI-Dienst] kann hierfür nicht verwendet werden. Wählen Sie in den Einstellungen einen anderen KI-Dienst.",
        ),
        (
            Code::AuthenticationError,
            "[provider|{provider}|Der Dienst] hat den API-Schlüssel nicht akzeptiert. Prüfen Sie ihn in den Einstellungen: Er könnte falsch eingegeben, abgelaufen oder gesperrt sein.",
        ),
        (
            Code::RateLimited,
            "An [provider|{provider}|den Dienst] wurden in kurzer Zeit zu viele Anfragen gesendet. {again}",
        ),
        (
            Code::ModelNotFound,
            "[model|Das Modell „{model}“|Das gewählte Modell] ist[provider| bei {provider}|] nicht verfügbar. Prüfen Sie den Namen in den Einstellungen oder wählen Sie ein anderes Modell.",
        ),
        (
            Code::ContextLengthExceeded,
            "Diese Unterhaltung ist zu lang für das Modell[model| „{model}“|]. Kürzen Sie Ihre Anfrage, lassen Sie Anhänge weg oder beginnen Sie eine neue Unterhaltung.",
        ),
        (
            Code::NetworkError,
            "Die Verbindung [provider|zu {provider}|zum Dienst] konnte nicht hergestellt werden. Prüfen Sie Ihre Internetverbindung. {again}",
        ),
        (
            Code::Timeout,
            "Die Antwort [provider|von {provider}|des Dienstes] hat zu lange auf sich warten lassen. {again} Wenn das weiterhin vorkommt, hilft vielleicht eine kürzere Anfrage.",
        ),
        (
            Code::ServerError,
            "[provider|{provider}|Der Dienst] hat gerade technische Probleme; an Ihrer Anfrage liegt es nicht. {again}",
        ),
        (Code::ProviderOverloaded, "[provider|{provider}|Der Dienst] ist gerade stark ausgelastet. {again}"),
        (
            Code::QuotaExceeded,
            "Das Guthaben oder Nutzungslimit Ihres Kontos [provider|bei {provider}|beim Dienst] ist aufgebraucht. [wait|Es sollte sich in etwa {wait} erneuern. |]Prüfen Sie Tarif und Abrechnung des Kontos oder verwenden Sie einen anderen Dienst.",
        ),
        (
            Code::ContentFiltered,
            "Die Sicherheitsregeln [provider|von {provider}|des KI-Dienstes] haben diese Anfrage oder die Antwort darauf gestoppt. Formulieren Sie die Anfrage um und lassen Sie heikle Inhalte weg.",
        ),
        (
            Code::PermissionDenied,
            "Ihrem Konto fehlt[provider| bei {provider}|] die Berechtigung dafür. Bitten Sie die Administration um Zugriff oder verwenden Sie ein anderes Konto.",
        ),
        (
            Code::ValidationError,
            "[provider|{provider} konnte diese Anfrage nicht verarbeiten|Diese Anfrage konnte nicht verarbeitet werden]: Eine Angabe fehlt oder ist ungültig. Prüfen Sie Ihre Eingaben und die Einstellungen und versuchen Sie es dann erneut.",
        ),
        (
            Code::NotFound,
            "Das Gesuchte wurde[provider| bei {provider}|] nicht gefunden. Prüfen Sie Name oder Adresse: Vielleicht wurde es verschoben oder gelöscht.",
        ),
        (Code::Cancelled, "Die Anfrage wurde abgebrochen. Sie können sie jederzeit erneut senden."),
        (
            Code::IoError,
            "Eine Datei konnte nicht gelesen oder gespeichert werden. Prüfen Sie, ob sie vorhanden ist, ob Sie sie verwenden dürfen und ob genug Speicherplatz frei ist.",
        ),
        (
            Code::ConfigError,
            "In den Einstellungen fehlt etwas, oder etwas ist falsch. Prüfen Sie die Einstellungen und versuchen Sie es dann erneut.",
        ),
        (
            Code::LlmAssistRequired,
            "[tool|Das Werkzeug „{tool}“|Ein Werkzeug] braucht genauere Angaben, um weiterzumachen. Beschreiben Sie ausführlicher, was Sie möchten, und versuchen Sie es dann erneut.",
        ),
        (
            Code::MaxIterationsExceeded,
            "Die Aufgabe brauchte mehr Schritte als erlaubt und wurde deshalb angehalten. Teilen Sie sie in kleinere Aufgaben auf oder beschreiben Sie sie genauer.",
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
    broken_off: "Die Verbindung [provider|zu {provider}|zum Dienst] ist abgebrochen, während die Antwort übertragen wurde. Prüfen Sie Ihre Internetverbindung. {again}",
    shut_down: "Die Anfrage wurde abgebrochen, weil der Assistent beendet wurde. Starten Sie ihn neu und senden Sie dann Ihre Anfrage.",
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
    unknown: Explanation {
        what: "[provider|Bei der Arbeit mit {provider} ist|Es ist] ein unerwarteter Fehler aufgetreten.",
        causes_title: "Mögliche Gründe:",
        causes: &[
            "Die Anwendung hat einen Fehler",
            "Ein Dienst hatte kurzzeitig ein internes Problem",
            "Eine Einstellung fehlt oder ist falsch",
        ],
        steps_title: "Was Sie tun können:",
        steps: &[
            "Versuchen Sie es in Kürze erneut",
            "Wenn es weiterhin vorkommt, wenden Sie sich an den Support",
        ],
    },
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
