//! Spanish. Formal address; «quotes» as the RAE recommends. "About" agrees with its unit and stands with it.

use super::shape::{Answer, Explanation, Locale, Plural};
use crate::Code;

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
            "[model|El modelo «{model}»|El modelo elegido] no está disponible[provider| en {provider}|]. Compruebe su nombre en los ajustes o elija otro modelo.",
        ),
        (
            Code::ContextLengthExceeded,
            "Esta conversación es demasiado larga para el modelo[model| «{model}»|]. Acorte su mensaje, quite archivos adjuntos o empiece una conversación nueva.",
        ),
        (
            Code::NetworkError,
            "No se ha podido conectar con [provider|{provider}|el servicio]. Compruebe su conexión a internet. {again}",
        ),
        (
            Code::Timeout,
            "[provider|{provider}|El servicio] ha tardado demasiado en responder. {again} Si sigue ocurriendo, pruebe con una solicitud más corta.",
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
            "Se ha agotado el saldo de su cuenta [provider|de {provider}|del servicio] o se ha alcanzado su límite de uso. [wait|Debería renovarse dentro de {wait}. |]Revise el plan y la facturación de la cuenta, o use otro servicio.",
        ),
        (
            Code::ContentFiltered,
            "Las normas de seguridad [provider|de {provider}|del servicio de IA] han bloqueado esta solicitud o su respuesta. Exprese su solicitud de otra manera y evite el contenido delicado.",
        ),
        (
            Code::PermissionDenied,
            "Su cuenta no tiene permiso para hacer esto[provider| en {provider}|]. Pida a un administrador que le dé acceso o use otra cuenta.",
        ),
        (
            Code::ValidationError,
            "[provider|{provider} no ha podido procesar esta solicitud|No se ha podido procesar esta solicitud]: falta algún dato o no es válido. Revise lo que ha introducido y los ajustes, y vuelva a intentarlo.",
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
            "[tool|La herramienta «{tool}»|Una herramienta] necesita más indicaciones para continuar. Describa con más detalle lo que desea y vuelva a intentarlo.",
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
            "El asistente no ha podido iniciarse. Revise los ajustes y vuelva a iniciarlo. Si eso no lo resuelve, póngase en contacto con el servicio de asistencia.",
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
    broken_off: "La conexión con [provider|{provider}|el servicio] se ha interrumpido mientras llegaba la respuesta. Compruebe su conexión a internet. {again}",
    shut_down: "La solicitud se ha cancelado porque el asistente se ha cerrado. Vuelva a iniciarlo y envíe después su solicitud.",
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
    unknown: Explanation {
        what: "Se ha producido un error inesperado[provider| al trabajar con {provider}|].",
        causes_title: "Puede deberse a que:",
        causes: &[
            "la aplicación tiene un fallo",
            "un servicio tuvo un breve problema interno",
            "falta un ajuste o es incorrecto",
        ],
        steps_title: "Qué puede hacer:",
        steps: &[
            "Vuelva a intentarlo dentro de un momento",
            "Si sigue ocurriendo, contacte con el servicio de asistencia",
        ],
    },
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
