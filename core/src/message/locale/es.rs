//! Spanish. Formal address; «quotes» as the RAE recommends. "About" agrees with its unit, so each unit includes it.

use super::super::Circumstance;
use super::shape::{Answer, Explanation, Locale, Plural};
use crate::Code;

/// For a visitor, of what only the people who run the assistant can mend.
const LOOK_AT_IT: &str = "El asistente no puede responder en este momento. Volver a intentarlo no servirá hasta que lo revisen las personas que lo gestionan.";

pub(super) const LOCALE: Locale = Locale {
    tag: "es",
    plural: Plural::One,
    seconds: &["aproximadamente {n} segundo", "unos {n} segundos"],
    minutes: &["aproximadamente {n} minuto", "unos {n} minutos"],
    hours: &["aproximadamente {n} hora", "unas {n} horas"],
    days: &["aproximadamente {n} día", "unos {n} días"],
    again_in: "Vuelva a intentarlo dentro de {wait}.",
    again_soon: "Vuelva a intentarlo dentro de un momento.",
    messages: &[
        (
            Code::ProviderNotConfigured,
            "[provider|{provider}|El servicio de IA] aún no está configurado. Añada su clave de API en los ajustes y vuelva a intentarlo.",
        ),
        (
            Code::ProviderNotSupported,
            "[provider|{provider}|Este servicio de IA] no se puede usar para esto. Elija otro servicio de IA en los ajustes.",
        ),
        (
            Code::AuthenticationError,
            "[provider|{provider}|El servicio] no ha aceptado la clave de API. Compruébela en los ajustes: puede estar mal escrita, caducada o desactivada.",
        ),
        (
            Code::RateLimited,
            "Se han enviado demasiadas solicitudes [provider|a {provider}|al servicio] en poco tiempo. {again}",
        ),
        (
            Code::ModelNotFound,
            "[model|El modelo «{model}»|El modelo elegido] no está disponible[provider| en {provider}|]. Compruebe \
                su nombre en los ajustes o elija otro modelo.",
        ),
        (
            Code::ContextLengthExceeded,
            "Esta conversación es demasiado larga para el modelo[model| «{model}»|]. Acorte su mensaje, quite \
                archivos adjuntos o empiece una conversación nueva.",
        ),
        (
            Code::NetworkError,
            "No se ha podido conectar con [provider|{provider}|el servicio]. [internet|Compruebe su conexión a \
                internet.|Compruebe que el servicio esté en marcha y accesible.] {again}",
        ),
        (
            Code::Timeout,
            "[provider|{provider}|El servicio] ha tardado demasiado en responder. {again} Si sigue ocurriendo, pruebe con una solicitud más corta.",
        ),
        (
            Code::Unknown,
            "Se ha producido un error inesperado[provider| al trabajar con {provider}|]. {again} Si sigue ocurriendo, contacte con el servicio de asistencia.",
        ),
        (
            Code::ServerError,
            "[provider|{provider}|El servicio] tiene problemas técnicos; su solicitud no es la causa. {again}",
        ),
        (
            Code::ProviderOverloaded,
            "[provider|{provider}|El servicio] está muy ocupado en este momento. {again}",
        ),
        (
            Code::QuotaExceeded,
            "Se ha agotado el saldo de su cuenta [provider|de {provider}|del servicio] o se ha alcanzado su límite \
                de uso. [wait|Debería renovarse dentro de {wait}. |]Revise el plan y la facturación de la cuenta, o \
                use otro servicio.",
        ),
        (
            Code::ContentFiltered,
            "Las normas de seguridad [provider|de {provider}|del servicio de IA] han bloqueado esta solicitud o su \
                respuesta. Exprese su solicitud de otra manera y evite el contenido delicado.",
        ),
        (
            Code::PermissionDenied,
            "Su cuenta no tiene permiso para hacer esto[provider| en {provider}|]. Pida a un administrador que le dé acceso o use otra cuenta.",
        ),
        (
            Code::ValidationError,
            "[provider|{provider} no ha podido procesar la solicitud del asistente|No se ha podido procesar esta \
                solicitud]: falta algún dato o no es válido. Empiece una conversación nueva, describa de otra manera \
                lo que desea o revise los ajustes.",
        ),
        (
            Code::NotFound,
            "No se ha encontrado lo que se buscaba[provider| en {provider}|]. Compruebe el nombre o la dirección: puede que se haya movido o eliminado.",
        ),
        (Code::Cancelled, "La solicitud se ha cancelado. Puede volver a enviarla cuando quiera."),
        (
            Code::IoError,
            "No se ha podido leer o guardar un archivo. Compruebe que existe, que tiene permiso para usarlo y que hay suficiente espacio libre.",
        ),
        (
            Code::ConfigError,
            "Falta algo en los ajustes o hay algo incorrecto. Revíselos y vuelva a intentarlo.",
        ),
        (
            Code::LlmAssistRequired,
            "[tool|La herramienta «{tool}»|Una herramienta] necesita más indicaciones para continuar. Describa con \
                más detalle lo que desea y vuelva a intentarlo.",
        ),
        (
            Code::MaxIterationsExceeded,
            "La tarea necesitaba más pasos de los permitidos y se ha detenido. Divídala en tareas más pequeñas o descríbala con más precisión.",
        ),
        (
            Code::ToolExecutionError,
            "[tool|La herramienta «{tool}»|Una herramienta] no ha podido terminar su trabajo. Inténtelo de nuevo o describa la tarea de otra manera.",
        ),
        (
            Code::InitializationError,
            "El asistente no ha podido iniciarse. Revise los ajustes y vuelva a iniciarlo. Si eso no lo resuelve, \
                póngase en contacto con el servicio de asistencia.",
        ),
        (
            Code::CircuitOpen,
            "[provider|{provider}|El servicio] ha fallado varias veces seguidas, así que no se le envían solicitudes por ahora. {again}",
        ),
        (Code::CapacityExceeded, "Ya hay demasiadas solicitudes en curso. {again}"),
        (
            Code::Conflict,
            "Otra persona ha cambiado esto al mismo tiempo[provider| en {provider}|], así que su cambio no se ha realizado. {again}",
        ),
        (
            Code::AlreadyExists,
            "Esto ya existe[provider| en {provider}|]. Elija otro nombre o modifique lo que ya hay.",
        ),
    ],
    visitor: &[
        (
            Code::ProviderNotConfigured,
            "El asistente aún no está configurado del todo. Volver a intentarlo no servirá hasta que terminen de configurarlo las personas que lo gestionan.",
        ),
        (Code::ProviderNotSupported, LOOK_AT_IT),
        (Code::AuthenticationError, LOOK_AT_IT),
        (Code::ModelNotFound, LOOK_AT_IT),
        (
            Code::NetworkError,
            "El asistente no ha podido conectar con [provider|{provider}|un servicio que necesita]. {again} Si sigue \
                ocurriendo, tienen que revisarlo las personas que lo gestionan.",
        ),
        (
            Code::InvalidResponse,
            "[provider|{provider}|El servicio] ha enviado una respuesta que el asistente no ha podido entender. \
                {again} Si sigue ocurriendo, tienen que revisarlo las personas que lo gestionan.",
        ),
        (
            Code::Unknown,
            "Ha ocurrido algo inesperado. {again} Si sigue ocurriendo, tienen que revisarlo las personas que gestionan el asistente.",
        ),
        (
            Code::QuotaExceeded,
            "El asistente ha agotado por ahora lo que puede usar. [wait|Vuelva a intentarlo dentro de {wait}.|Volver \
                a intentarlo no servirá hasta que lo revisen las personas que lo gestionan.]",
        ),
        (
            Code::PermissionDenied,
            "El asistente no tiene permiso para hacer esto[provider| en {provider}|]. Volver a intentarlo no \
                servirá: solo pueden cambiarlo las personas que lo gestionan.",
        ),
        (
            Code::ValidationError,
            "El asistente no ha podido procesar esta solicitud. Empiece una conversación nueva o describa de otra \
                manera lo que desea. Si eso no sirve, tienen que revisarlo las personas que lo gestionan.",
        ),
        (
            Code::NotFound,
            "No se ha encontrado lo que se buscaba[provider| en {provider}|]: puede que se haya movido o eliminado. \
                Compruebe cómo está escrito o pregunte de otra manera.",
        ),
        (
            Code::IoError,
            "El asistente no ha podido leer o guardar un archivo que necesita. {again} Si sigue ocurriendo, tienen \
                que revisarlo las personas que lo gestionan.",
        ),
        (Code::ConfigError, LOOK_AT_IT),
        (Code::InitializationError, LOOK_AT_IT),
    ],
    circumstances: &[
        (
            Circumstance::BrokenOff,
            "La conexión con [provider|{provider}|el servicio] se ha interrumpido mientras llegaba la respuesta. \
                [internet|Compruebe su conexión a internet. |]{again}",
            "La respuesta se ha interrumpido antes de estar completa. {again}",
        ),
        (
            Circumstance::ShutDown,
            "La solicitud se ha cancelado porque el asistente se ha cerrado. Vuelva a iniciarlo y envíe después su solicitud.",
            "La solicitud se ha cancelado porque el asistente se ha cerrado. {again}",
        ),
        (
            Circumstance::RateLimit,
            "Ya se han enviado [provider|a {provider} |]todas las solicitudes que se permiten en este periodo. {again}",
            "El asistente recibe más solicitudes de las que puede atender. {again}",
        ),
        (
            Circumstance::Cost,
            "Se ha alcanzado el límite de gasto para las solicitudes del asistente, así que por ahora no se envían más. {again}",
            "El asistente ha alcanzado por ahora su límite de uso. {again}",
        ),
        (
            Circumstance::Adaptive,
            "[provider|{provider}|El servicio] no puede aceptar más solicitudes a la vez en este momento. {again}",
            "",
        ),
        (
            Circumstance::NoSuchTool,
            "[tool|No existe ninguna herramienta llamada «{tool}»|La herramienta que eligió el asistente no existe], \
                así que no se ha podido dar este paso. Inténtelo de nuevo o describa la tarea de otra manera.",
            "",
        ),
        (
            Circumstance::Conversation,
            "[provider|{provider}|El servicio de IA] no puede continuar esta conversación tal como está. Empiece una \
                conversación nueva o elija otro modelo.",
            "El asistente no puede continuar esta conversación tal como está. Empiece una conversación nueva. Si eso \
                no sirve, tienen que revisarlo las personas que lo gestionan.",
        ),
        (
            Circumstance::Attachment,
            "[provider|{provider}|El servicio de IA] no ha podido procesar un archivo adjunto de esta conversación. \
                Quítelo o envíelo en otro formato. Si eso no sirve, empiece una conversación nueva.",
            "",
        ),
        (
            Circumstance::Isolated,
            "Por ahora no se envían solicitudes [provider|a {provider}|al servicio]. {again}",
            "",
        ),
        (
            Circumstance::Throttled,
            "[provider|{provider}|El servicio] ha tenido problemas, así que por ahora solo se le envía una parte de las solicitudes. {again}",
            "",
        ),
    ],
    invalid: Explanation {
        what: "[provider|{provider}|El servicio] ha enviado una respuesta que no se ha podido entender.",
        causes_title: "Puede deberse a que:",
        causes: &[
            "la conexión se interrumpió antes de que la respuesta estuviera completa",
            "el servicio tuvo un breve problema interno",
            "el servicio ha cambiado su forma de responder",
        ],
        steps_title: "Qué puede hacer:",
        steps: &[
            "Vuelva a intentarlo dentro de un momento",
            "Pida una respuesta más corta o más sencilla",
            "Si sigue ocurriendo, elija otro modelo o contacte con el servicio de asistencia",
        ],
    },
    empty: Explanation {
        what: "[provider|{provider}|El servicio de IA] ha devuelto una respuesta vacía.",
        causes_title: "Puede deberse a que:",
        causes: &[
            "la solicitud no era clara o pedía demasiado a la vez",
            "las normas de seguridad del servicio retuvieron la respuesta",
            "el servicio estaba ocupado o tuvo un breve problema interno",
            "se había alcanzado un límite de solicitudes o de uso",
        ],
        steps_title: "Qué puede hacer:",
        steps: &[
            "Diga con otras palabras lo que desea",
            "Divida una tarea grande en pasos más pequeños",
            "Vuelva a intentarlo dentro de un momento",
        ],
    },
    empty_for_visitor: "[provider|{provider}|El servicio de IA] ha devuelto una respuesta vacía. Diga con otras palabras lo que desea o pida menos a la vez.",
    details: "Detalles técnicos: {detail}",
    expected_got: "Se esperaba: {expected}\nSe recibió: {got}",
    answer: Answer {
        sending: "Enviando el mensaje a la IA…",
        using: "Usando {tool}…",
        error: "Error: {detail}",
        executed: "Análisis completado. {tool} se ejecutó correctamente.",
        analysed: "Análisis completado con las herramientas disponibles.",
        completed: "Tarea completada con las herramientas disponibles.",
    },
};
