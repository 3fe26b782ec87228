//! French. Formal address; no-break spaces in « quotes » and before high punctuation (narrow before `;`). Zero is singular.

use super::shape::{Answer, Explanation, Locale, Plural};
use crate::Code;

pub(super) const LOCALE: Locale = Locale {
    tag: "fr",
    plural: Plural::UpToOne,
    seconds: &["{n} seconde", "{n} secondes"],
    minutes: &["{n} minute", "{n} minutes"],
    hours: &["{n} heure", "{n} heures"],
    days: &["{n} jour", "{n} jours"],
    again_in: "Veuillez réessayer dans environ {wait}.",
    again_soon: "Veuillez réessayer dans un instant.",
    messages: &[
        (
            Code::ProviderNotConfigured,
            "[provider|{provider}|Le service d’IA] n’est pas encore configuré. Ajoutez sa clé API dans les paramètres, puis réessayez.",
        ),
        (
            Code::ProviderNotSupported,
            "[provider|{provider}|Ce service d’IA] ne peut pas être utilisé pour cela. Choisissez un autre service d’IA dans les paramètres.",
        ),
        (
            Code::AuthenticationError,
            "[provider|{provider}|Le service] n’a pas accepté la clé API. Vérifiez-la dans les paramètres\u{a0}: elle est peut-être mal saisie, expirée ou désactivée.",
        ),
        (
            Code::RateLimited,
            "Trop de demandes ont été envoyées [provider|à {provider}|au service] en peu de temps. {again}",
        ),
        (
            Code::ModelNotFound,
            "[model|Le modèle «\u{a0}{model}\u{a0}»|Le modèle choisi] n’est pas disponible[provider| chez {provider}|]. Vérifiez son nom dans les paramètres ou choisissez un autre modèle.",
        ),
        (
            Code::ContextLengthExceeded,
            "Cette conversation est trop longue pour le modèle[model| «\u{a0}{model}\u{a0}»|]. Raccourcissez votre demande, retirez des pièces jointes ou commencez une nouvelle conversation.",
        ),
        (
            Code::NetworkError,
            "Impossible de se connecter [provider|à {provider}|au service]. Vérifiez votre connexion internet. {again}",
        ),
        (
            Code::Timeout,
            "[provider|{provider}|Le service] a mis trop de temps à répondre. {again} Si le problème persiste, essayez une demande plus courte.",
        ),
        (
            Code::ServerError,
            "[provider|{provider}|Le service] rencontre des problèmes techniques\u{202f}; votre demande n’est pas en cause. {again}",
        ),
        (
            Code::ProviderOverloaded,
            "[provider|{provider}|Le service] est très sollicité en ce moment. {again}",
        ),
        (
            Code::QuotaExceeded,
            "Le crédit de votre compte [provider|{provider}|auprès du service] est épuisé, ou sa limite d’utilisation est atteinte. [wait|Le renouvellement devrait avoir lieu dans environ {wait}. |]Vérifiez l’abonnement et la facturation du compte, ou utilisez un autre service.",
        ),
        (
            Code::ContentFiltered,
            "Les règles de sécurité appliquées par [provider|{provider}|le service d’IA] ont bloqué cette demande ou sa réponse. Reformulez votre demande et évitez les contenus sensibles.",
        ),
        (
            Code::PermissionDenied,
            "Votre compte[provider| {provider}|] n’est pas autorisé à faire cela. Demandez à un administrateur de vous donner accès, ou utilisez un autre compte.",
        ),
        (
            Code::ValidationError,
            "[provider|{provider} n’a pas pu traiter cette demande|Cette demande n’a pas pu être traitée]\u{a0}: une information manque ou n’est pas valide. Vérifiez votre saisie et les paramètres, puis réessayez.",
        ),
        (
            Code::NotFound,
            "L’élément demandé est introuvable[provider| chez {provider}|]. Vérifiez le nom ou l’adresse\u{a0}: il a peut-être été déplacé ou supprimé.",
        ),
        (Code::Cancelled, "La demande a été annulée. Vous pouvez la renvoyer quand vous le souhaitez."),
        (
            Code::IoError,
            "Un fichier n’a pas pu être lu ou enregistré. Vérifiez qu’il existe, que vous avez le droit de l’utiliser et qu’il reste assez d’espace libre.",
        ),
        (Code::ConfigError, "Un paramètre manque ou est incorrect. Vérifiez les paramètres, puis réessayez."),
        (
            Code::LlmAssistRequired,
            "[tool|L’outil «\u{a0}{tool}\u{a0}»|Un outil] a besoin de plus d’indications pour continuer. Décrivez plus en détail ce que vous souhaitez, puis réessayez.",
        ),
        (
            Code::MaxIterationsExceeded,
            "La tâche demandait plus d’étapes qu’il n’est permis et a été arrêtée. Divisez-la en tâches plus petites ou décrivez-la plus précisément.",
        ),
        (
            Code::ToolExecutionError,
            "[tool|L’outil «\u{a0}{tool}\u{a0}»|Un outil] n’a pas pu terminer son travail. Réessayez ou décrivez la tâche autrement.",
        ),
        (
            Code::InitializationError,
            "L’assistant n’a pas pu démarrer. Vérifiez les paramètres, puis redémarrez-le. Si cela ne suffit pas, contactez l’assistance.",
        ),
        (
            Code::CircuitOpen,
            "[provider|{provider}|Le service] a échoué plusieurs fois de suite\u{202f}; aucune demande ne lui est envoyée pour le moment. {again}",
        ),
        (Code::CapacityExceeded, "Trop de demandes sont déjà en cours. {again}"),
        (
            Code::Conflict,
            "Quelqu’un d’autre a modifié cet élément au même moment[provider| chez {provider}|]\u{202f}; votre modification n’a pas été appliquée. {again}",
        ),
        (
            Code::AlreadyExists,
            "Cet élément existe déjà[provider| chez {provider}|]. Choisissez un autre nom ou modifiez celui qui existe.",
        ),
    ],
    broken_off: "La connexion [provider|à {provider}|au service] s’est interrompue pendant la réception de la réponse. Vérifiez votre connexion internet. {again}",
    shut_down: "La demande a été annulée, car l’assistant a été arrêté. Redémarrez-le, puis envoyez votre demande.",
    invalid: Explanation {
        what: "[provider|{provider}|Le service] a envoyé une réponse qui n’a pas pu être comprise.",
        causes_title: "Causes possibles\u{a0}:",
        causes: &[
            "la connexion a été coupée avant la fin de la réponse",
            "le service a eu un bref problème interne",
            "le service a changé sa façon de répondre",
        ],
        steps_title: "Ce que vous pouvez faire\u{a0}:",
        steps: &[
            "Réessayez dans un instant",
            "Demandez une réponse plus courte ou plus simple",
            "Si le problème persiste, choisissez un autre modèle ou contactez l’assistance",
        ],
    },
    empty: Explanation {
        what: "[provider|{provider}|Le service d’IA] a renvoyé une réponse vide.",
        causes_title: "Causes possibles\u{a0}:",
        causes: &[
            "la demande manquait de clarté ou était trop vaste",
            "les règles de sécurité du service ont retenu la réponse",
            "le service était très sollicité ou a eu un bref problème interne",
            "une limite de demandes ou d’utilisation était atteinte",
        ],
        steps_title: "Ce que vous pouvez faire\u{a0}:",
        steps: &[
            "Dites autrement ce que vous souhaitez",
            "Divisez une grande tâche en étapes plus petites",
            "Réessayez dans un instant",
        ],
    },
    unknown: Explanation {
        what: "Un problème inattendu est survenu[provider| avec {provider}|].",
        causes_title: "Causes possibles\u{a0}:",
        causes: &[
            "l’application comporte une erreur",
            "un service a eu un bref problème interne",
            "un paramètre manque ou est incorrect",
        ],
        steps_title: "Ce que vous pouvez faire\u{a0}:",
        steps: &["Réessayez dans un instant", "Si le problème persiste, contactez l’assistance"],
    },
    details: "Détails techniques\u{a0}: {detail}",
    expected_got: "Attendu\u{a0}: {expected}\nReçu\u{a0}: {got}",
    answer: Answer {
        sending: "Envoi du message à l’IA…",
        using: "Utilisation de {tool}…",
        error: "Erreur\u{a0}: {detail}",
        executed: "Analyse terminée. L’exécution de {tool} a réussi.",
        analysed: "Analyse terminée à l’aide des outils disponibles.",
        completed: "Tâche accomplie à l’aide des outils disponibles.",
    },
};
