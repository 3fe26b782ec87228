/** The templates of messages in one language. */
// Written from core/src/message/locale/es.rs: `UPDATE=1 cargo test -p halfopen --test generated_errors`.

export const es = () =>
  'es\u001e' +
  'one\u001e' +
  'aproximadamente {n} segundo|unos {n} segundos\u001e' +
  'aproximadamente {n} minuto|unos {n} minutos\u001e' +
  'aproximadamente {n} hora|unas {n} horas\u001e' +
  'aproximadamente {n} día|unos {n} días\u001e' +
  'Vuelva a intentarlo dentro de {wait}.\u001e' +
  'Vuelva a intentarlo dentro de un momento.\u001e' +
  'Detalles técnicos: {detail}\u001e' +
  'Se esperaba: {expected}\nSe recibió: {got}\u001e' +
  '[provider|{provider}|El servicio de IA] ha devuelto una respuesta vacía. Puede deberse a que:\n• la solicitud no era clara o pedía demasiado a la vez\n• las normas de seguridad del servicio retuvieron la respuesta\n• el servicio estaba ocupado o tuvo un breve problema interno\n• se había alcanzado un límite de solicitudes o de uso\n\nQué puede hacer:\n• Diga con otras palabras lo que desea\n• Divida una tarea grande en pasos más pequeños\n• Vuelva a intentarlo dentro de un momento\u001e' +
  '[provider|{provider}|El servicio de IA] ha devuelto una respuesta vacía. Diga con otras palabras lo que desea o pida menos a la vez.\u001e' +
  'La conexión con [provider|{provider}|el servicio] se ha interrumpido mientras llegaba la respuesta. [internet|Compruebe su conexión a internet. |]{again}\u001e' +
  'La respuesta se ha interrumpido antes de estar completa. {again}\u001e' +
  'La solicitud se ha cancelado porque el asistente se ha cerrado. Vuelva a iniciarlo y envíe después su solicitud.\u001e' +
  'La solicitud se ha cancelado porque el asistente se ha cerrado. {again}\u001e' +
  'Ya se han enviado [provider|a {provider} |]todas las solicitudes que se permiten en este periodo. {again}\u001e' +
  'El asistente recibe más solicitudes de las que puede atender. {again}\u001e' +
  'Se ha alcanzado el límite de gasto para las solicitudes del asistente, así que por ahora no se envían más. {again}\u001e' +
  'El asistente ha alcanzado por ahora su límite de uso. {again}\u001e' +
  '[provider|{provider}|El servicio] no puede aceptar más solicitudes a la vez en este momento. {again}\u001e' +
  '\u001e' +
  '[tool|No existe ninguna herramienta llamada «{tool}»|La herramienta que eligió el asistente no existe], así que no se ha podido dar este paso. Inténtelo de nuevo o describa la tarea de otra manera.\u001e' +
  '\u001e' +
  '[provider|{provider}|El servicio de IA] no puede continuar esta conversación tal como está. Empiece una conversación nueva o elija otro modelo.\u001e' +
  'El asistente no puede continuar esta conversación tal como está. Empiece una conversación nueva. Si eso no sirve, tienen que revisarlo las personas que lo gestionan.\u001e' +
  '[provider|{provider}|El servicio de IA] no ha podido procesar un archivo adjunto de esta conversación. Quítelo o envíelo en otro formato. Si eso no sirve, empiece una conversación nueva.\u001e' +
  '\u001e' +
  'Por ahora no se envían solicitudes [provider|a {provider}|al servicio]. {again}\u001e' +
  '\u001e' +
  '[provider|{provider}|El servicio] ha tenido problemas, así que por ahora solo se le envía una parte de las solicitudes. {again}\u001e' +
  '\u001e' +
  '[provider|{provider}|El servicio de IA] aún no está configurado. Añada su clave de API en los ajustes y vuelva a intentarlo.\u001e' +
  '[provider|{provider}|Este servicio de IA] no se puede usar para esto. Elija otro servicio de IA en los ajustes.\u001e' +
  '[provider|{provider}|El servicio] no ha aceptado la clave de API. Compruébela en los ajustes: puede estar mal escrita, caducada o desactivada.\u001e' +
  'Se han enviado demasiadas solicitudes [provider|a {provider}|al servicio] en poco tiempo. {again}\u001e' +
  '[model|El modelo «{model}»|El modelo elegido] no está disponible[provider| en {provider}|]. Compruebe su nombre en los ajustes o elija otro modelo.\u001e' +
  'Esta conversación es demasiado larga para el modelo[model| «{model}»|]. Acorte su mensaje, quite archivos adjuntos o empiece una conversación nueva.\u001e' +
  'No se ha podido conectar con [provider|{provider}|el servicio]. [internet|Compruebe su conexión a internet.|Compruebe que el servicio esté en marcha y accesible.] {again}\u001e' +
  '[provider|{provider}|El servicio] ha tardado demasiado en responder. {again} Si sigue ocurriendo, pruebe con una solicitud más corta.\u001e' +
  '[provider|{provider}|El servicio] ha enviado una respuesta que no se ha podido entender. Puede deberse a que:\n• la conexión se interrumpió antes de que la respuesta estuviera completa\n• el servicio tuvo un breve problema interno\n• el servicio ha cambiado su forma de responder\n\nQué puede hacer:\n• Vuelva a intentarlo dentro de un momento\n• Pida una respuesta más corta o más sencilla\n• Si sigue ocurriendo, elija otro modelo o contacte con el servicio de asistencia\u001e' +
  'Se ha producido un error inesperado[provider| al trabajar con {provider}|]. {again} Si sigue ocurriendo, contacte con el servicio de asistencia.\u001e' +
  '[provider|{provider}|El servicio] tiene problemas técnicos; su solicitud no es la causa. {again}\u001e' +
  '[provider|{provider}|El servicio] está muy ocupado en este momento. {again}\u001e' +
  'Se ha agotado el saldo de su cuenta [provider|de {provider}|del servicio] o se ha alcanzado su límite de uso. [wait|Debería renovarse dentro de {wait}. |]Revise el plan y la facturación de la cuenta, o use otro servicio.\u001e' +
  'Las normas de seguridad [provider|de {provider}|del servicio de IA] han bloqueado esta solicitud o su respuesta. Exprese su solicitud de otra manera y evite el contenido delicado.\u001e' +
  'Su cuenta no tiene permiso para hacer esto[provider| en {provider}|]. Pida a un administrador que le dé acceso o use otra cuenta.\u001e' +
  '[provider|{provider} no ha podido procesar la solicitud del asistente|No se ha podido procesar esta solicitud]: falta algún dato o no es válido. Empiece una conversación nueva, describa de otra manera lo que desea o revise los ajustes.\u001e' +
  'No se ha encontrado lo que se buscaba[provider| en {provider}|]. Compruebe el nombre o la dirección: puede que se haya movido o eliminado.\u001e' +
  'La solicitud se ha cancelado. Puede volver a enviarla cuando quiera.\u001e' +
  'No se ha podido leer o guardar un archivo. Compruebe que existe, que tiene permiso para usarlo y que hay suficiente espacio libre.\u001e' +
  'Falta algo en los ajustes o hay algo incorrecto. Revíselos y vuelva a intentarlo.\u001e' +
  '[tool|La herramienta «{tool}»|Una herramienta] necesita más indicaciones para continuar. Describa con más detalle lo que desea y vuelva a intentarlo.\u001e' +
  'La tarea necesitaba más pasos de los permitidos y se ha detenido. Divídala en tareas más pequeñas o descríbala con más precisión.\u001e' +
  '[tool|La herramienta «{tool}»|Una herramienta] no ha podido terminar su trabajo. Inténtelo de nuevo o describa la tarea de otra manera.\u001e' +
  'El asistente no ha podido iniciarse. Revise los ajustes y vuelva a iniciarlo. Si eso no lo resuelve, póngase en contacto con el servicio de asistencia.\u001e' +
  '[provider|{provider}|El servicio] ha fallado varias veces seguidas, así que no se le envían solicitudes por ahora. {again}\u001e' +
  'Ya hay demasiadas solicitudes en curso. {again}\u001e' +
  'Otra persona ha cambiado esto al mismo tiempo[provider| en {provider}|], así que su cambio no se ha realizado. {again}\u001e' +
  'Esto ya existe[provider| en {provider}|]. Elija otro nombre o modifique lo que ya hay.\u001e' +
  'El asistente aún no está configurado del todo. Volver a intentarlo no servirá hasta que terminen de configurarlo las personas que lo gestionan.\u001e' +
  'El asistente no puede responder en este momento. Volver a intentarlo no servirá hasta que lo revisen las personas que lo gestionan.\u001e' +
  'El asistente no puede responder en este momento. Volver a intentarlo no servirá hasta que lo revisen las personas que lo gestionan.\u001e' +
  '\u001e' +
  'El asistente no puede responder en este momento. Volver a intentarlo no servirá hasta que lo revisen las personas que lo gestionan.\u001e' +
  '\u001e' +
  'El asistente no ha podido conectar con [provider|{provider}|un servicio que necesita]. {again} Si sigue ocurriendo, tienen que revisarlo las personas que lo gestionan.\u001e' +
  '\u001e' +
  '[provider|{provider}|El servicio] ha enviado una respuesta que el asistente no ha podido entender. {again} Si sigue ocurriendo, tienen que revisarlo las personas que lo gestionan.\u001e' +
  'Ha ocurrido algo inesperado. {again} Si sigue ocurriendo, tienen que revisarlo las personas que gestionan el asistente.\u001e' +
  '\u001e' +
  '\u001e' +
  'El asistente ha agotado por ahora lo que puede usar. [wait|Vuelva a intentarlo dentro de {wait}.|Volver a intentarlo no servirá hasta que lo revisen las personas que lo gestionan.]\u001e' +
  '\u001e' +
  'El asistente no tiene permiso para hacer esto[provider| en {provider}|]. Volver a intentarlo no servirá: solo pueden cambiarlo las personas que lo gestionan.\u001e' +
  'El asistente no ha podido procesar esta solicitud. Empiece una conversación nueva o describa de otra manera lo que desea. Si eso no sirve, tienen que revisarlo las personas que lo gestionan.\u001e' +
  'No se ha encontrado lo que se buscaba[provider| en {provider}|]: puede que se haya movido o eliminado. Compruebe cómo está escrito o pregunte de otra manera.\u001e' +
  '\u001e' +
  'El asistente no ha podido leer o guardar un archivo que necesita. {again} Si sigue ocurriendo, tienen que revisarlo las personas que lo gestionan.\u001e' +
  'El asistente no puede responder en este momento. Volver a intentarlo no servirá hasta que lo revisen las personas que lo gestionan.\u001e' +
  '\u001e' +
  '\u001e' +
  '\u001e' +
  'El asistente no puede responder en este momento. Volver a intentarlo no servirá hasta que lo revisen las personas que lo gestionan.\u001e' +
  '\u001e' +
  '\u001e' +
  '\u001e';
