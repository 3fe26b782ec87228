//! French. Formal address; no-break spaces in « quotes » and before high punctuation (narrow before `;`). Zero is singular.

use super::super::Circumstance;
use super::shape::{Answer, Explanation, Locale, Plural};
use crate::Code;

/// For a visitor, of what only the people who run the assistant can mend.
const LOOK_AT_IT: &str = "L’assistant ne peut pas répondre pour le moment. Réessayer ne servira à rien tant que les \
    personnes qui s’en occupent n’y auront pas remédié.";

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
            "[provider|{provider}|Le service] n’a pas accepté la clé API. Vérifiez-la dans les paramètres\u{a0}: \
                elle est peut-être mal saisie, expirée ou désactivée.",
        ),
        (
            Code::RateLimited,
            "Trop de demandes ont été envoyées [provider|à {provider}|au service] en peu de temps. {again}",
        ),
        (
            Code::ModelNotFound,
            "[model|Le modèle «\u{a0}{model}\u{a0}»|Le modèle choisi] n’est pas disponible[provider| chez \
                {provider}|]. Vérifiez son nom dans les paramètres ou choisissez un autre modèle.",
        ),
        (
            Code::ContextLengthExceeded,
            "Cette conversation est trop longue pour le modèle[model| «\u{a0}{model}\u{a0}»|]. Raccourcissez votre \
                demande, retirez des pièces jointes ou commencez une nouvelle conversation.",
        ),
        (
            Code::NetworkError,
            "Impossible de se connecter [provider|à {provider}|au service]. [internet|Vérifiez votre connexion \
                internet.|Vérifiez que le service fonctionne et qu’il est accessible.] {again}",
        ),
        (
            Code::Timeout,
            "[provider|{provider}|Le service] a mis trop de temps à répondre. {again} Si le problème persiste, essayez une demande plus courte.",
        ),
        (
            Code::Unknown,
            "Un problème inattendu est survenu[provider| avec {provider}|]. {again} S’il persiste, contactez l’assistance.",
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
            "Le crédit de votre compte [provider|{provider}|auprès du service] est épuisé, ou sa limite \
                d’utilisation est atteinte. [wait|Le renouvellement devrait avoir lieu dans environ {wait}. \
                |]Vérifiez l’abonnement et la facturation du compte, ou utilisez un autre service.",
        ),
        (
            Code::ContentFiltered,
            "Les règles de sécurité appliquées par [provider|{provider}|le service d’IA] ont bloqué cette demande ou \
                sa réponse. Reformulez votre demande et évitez les contenus sensibles.",
        ),
        (
            Code::PermissionDenied,
            "Votre compte[provider| {provider}|] n’est pas autorisé à faire cela. Demandez à un administrateur de \
                vous donner accès, ou utilisez un autre compte.",
        ),
        (
            Code::ValidationError,
            "[provider|{provider} n’a pas pu traiter la demande de l’assistant|Cette demande n’a pas pu être \
                traitée]\u{a0}: une information manque ou n’est pas valide. Commencez une nouvelle conversation, \
                décrivez autrement ce que vous souhaitez ou vérifiez les paramètres.",
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
            "[tool|L’outil «\u{a0}{tool}\u{a0}»|Un outil] a besoin de plus d’indications pour continuer. Décrivez \
                plus en détail ce que vous souhaitez, puis réessayez.",
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
    visitor: &[
        (
            Code::ProviderNotConfigured,
            "L’assistant n’est pas encore entièrement configuré. Réessayer ne servira à rien tant que les personnes qui s’en occupent n’auront pas terminé.",
        ),
        (Code::ProviderNotSupported, LOOK_AT_IT),
        (Code::AuthenticationError, LOOK_AT_IT),
        (Code::ModelNotFound, LOOK_AT_IT),
        (
            Code::NetworkError,
            "L’assistant n’a pas pu joindre [provider|{provider}|un service dont il a besoin]. {again} Si le \
                problème persiste, les personnes qui s’occupent de l’assistant doivent y remédier.",
        ),
        (
            Code::InvalidResponse,
            "[provider|{provider}|Le service] a envoyé une réponse que l’assistant n’a pas pu comprendre. {again} Si \
                le problème persiste, les personnes qui s’occupent de l’assistant doivent y remédier.",
        ),
        (
            Code::Unknown,
            "Un problème inattendu est survenu. {again} S’il persiste, les personnes qui s’occupent de l’assistant doivent y remédier.",
        ),
        (
            Code::QuotaExceeded,
            "L’assistant a épuisé ce qu’il peut utiliser pour le moment. [wait|Veuillez réessayer dans environ \
                {wait}.|Réessayer ne servira à rien tant que les personnes qui s’en occupent n’y auront pas \
                remédié.]",
        ),
        (
            Code::PermissionDenied,
            "L’assistant n’est pas autorisé à faire cela[provider| chez {provider}|]. Réessayer ne servira à \
                rien\u{a0}: seules les personnes qui s’en occupent peuvent changer cela.",
        ),
        (
            Code::ValidationError,
            "L’assistant n’a pas pu traiter cette demande. Commencez une nouvelle conversation ou décrivez autrement \
                ce que vous souhaitez. Si cela ne suffit pas, les personnes qui s’occupent de l’assistant doivent y \
                remédier.",
        ),
        (
            Code::NotFound,
            "L’élément demandé est introuvable[provider| chez {provider}|]\u{a0}: il a peut-être été déplacé ou \
                supprimé. Vérifiez son orthographe ou demandez-le autrement.",
        ),
        (
            Code::IoError,
            "L’assistant n’a pas pu lire ou enregistrer un fichier dont il a besoin. {again} Si le problème \
                persiste, les personnes qui s’occupent de l’assistant doivent y remédier.",
        ),
        (Code::ConfigError, LOOK_AT_IT),
        (Code::InitializationError, LOOK_AT_IT),
    ],
    circumstances: &[
        (
            Circumstance::BrokenOff,
            "La connexion [provider|à {provider}|au service] s’est interrompue pendant la réception de la réponse. \
                [internet|Vérifiez votre connexion internet. |]{again}",
            "La réponse s’est interrompue avant d’être complète. {again}",
        ),
        (
            Circumstance::ShutDown,
            "La demande a été annulée, car l’assistant a été arrêté. Redémarrez-le, puis envoyez votre demande.",
            "La demande a été annulée, car l’assistant a été arrêté. {again}",
        ),
        (
            Circumstance::RateLimit,
            "Toutes les demandes autorisées sur cette période ont déjà été envoyées[provider| à {provider}|]. {again}",
            "L’assistant reçoit plus de demandes qu’il ne peut en traiter. {again}",
        ),
        (
            Circumstance::Cost,
            "La limite de dépenses fixée pour les demandes de l’assistant est atteinte\u{202f}; plus aucune n’est envoyée pour le moment. {again}",
            "L’assistant a atteint sa limite d’utilisation pour le moment. {again}",
        ),
        (
            Circumstance::Adaptive,
            "[provider|{provider}|Le service] ne peut pas accepter davantage de demandes à la fois en ce moment. {again}",
            "",
        ),
        (
            Circumstance::NoSuchTool,
            "[tool|Aucun outil ne s’appelle «\u{a0}{tool}\u{a0}»|L’outil choisi par l’assistant n’existe \
                pas]\u{202f}; cette étape n’a pas pu être effectuée. Réessayez ou décrivez la tâche autrement.",
            "",
        ),
        (
            Circumstance::Conversation,
            "[provider|{provider}|Le service d’IA] ne peut pas poursuivre cette conversation telle quelle. Commencez \
                une nouvelle conversation ou choisissez un autre modèle.",
            "L’assistant ne peut pas poursuivre cette conversation telle quelle. Commencez une nouvelle \
                conversation. Si cela ne suffit pas, les personnes qui s’occupent de l’assistant doivent y remédier.",
        ),
        (
            Circumstance::Attachment,
            "[provider|{provider}|Le service d’IA] n’a pas pu traiter une pièce jointe de cette conversation. \
                Retirez-la ou envoyez-la dans un autre format. Si cela ne suffit pas, commencez une nouvelle \
                conversation.",
            "",
        ),
        (
            Circumstance::Isolated,
            "Aucune demande n’est envoyée [provider|à {provider}|au service] pour le moment. {again}",
            "",
        ),
        (
            Circumstance::Throttled,
            "[provider|{provider}|Le service] a rencontré des problèmes\u{202f}; seule une partie des demandes lui est envoyée pour le moment. {again}",
            "",
        ),
    ],
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
    empty_for_visitor: "[provider|{provider}|Le service d’IA] a renvoyé une réponse vide. Dites autrement ce que vous souhaitez ou demandez moins à la fois.",
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
