/** The templates of messages in one language. */
// Written from core/src/message/locale/en.rs: `UPDATE=1 cargo test -p halfopen --test generated_errors`.

export const en = () =>
  'en\u001e' +
  'one\u001e' +
  '{n} second|{n} seconds\u001e' +
  '{n} minute|{n} minutes\u001e' +
  '{n} hour|{n} hours\u001e' +
  '{n} day|{n} days\u001e' +
  'Please try again in about {wait}.\u001e' +
  'Please try again in a moment.\u001e' +
  'Technical details: {detail}\u001e' +
  'Expected: {expected}\nReceived: {got}\u001e' +
  '[provider|{provider}|The AI service] sent back an empty answer. This can happen if:\n• the request was unclear or asked for too much at once\n• the safety rules of the service held the answer back\n• the service was busy or had a brief internal problem\n• a limit on requests or usage was reached\n\nWhat you can do:\n• Say in other words what you would like\n• Split a big task into smaller steps\n• Try again in a moment\u001e' +
  '[provider|{provider}|The AI service] sent back an empty answer. Say in other words what you would like, or ask for less at once.\u001e' +
  'The connection to [provider|{provider}|the service] broke while the answer was arriving. [internet|Check your internet connection. |]{again}\u001e' +
  'The answer broke off before it was complete. {again}\u001e' +
  'The request was cancelled, because the assistant was shut down. Start it again, then send your request.\u001e' +
  'The request was cancelled, because the assistant was shut down. {again}\u001e' +
  'The number of requests that may be sent[provider| to {provider}|] in this period is used up. {again}\u001e' +
  'The assistant is receiving more requests than it can answer. {again}\u001e' +
  'The spending limit for the assistant’s requests is reached, so no more are sent for now. {again}\u001e' +
  'The assistant has reached its usage limit for now. {again}\u001e' +
  '[provider|{provider}|The service] cannot take more requests at the same time right now. {again}\u001e' +
  '\u001e' +
  '[tool|There is no tool named “{tool}”|The tool that the assistant chose does not exist], so this step could not be done. Try again, or describe the task in another way.\u001e' +
  '\u001e' +
  '[provider|{provider}|The AI service] cannot continue this conversation in its present form. Start a new conversation, or choose another model.\u001e' +
  'The assistant cannot continue this conversation in its present form. Start a new conversation. If that does not help, the people who run it have to look at it.\u001e' +
  '[provider|{provider}|The AI service] could not work with an attachment in this conversation. Leave it out, or send it in another format. If that does not help, start a new conversation.\u001e' +
  '\u001e' +
  'Requests to [provider|{provider}|the service] are paused for now. {again}\u001e' +
  '\u001e' +
  '[provider|{provider}|The service] has had problems, so only some requests are sent to it for now. {again}\u001e' +
  '\u001e' +
  '[provider|{provider}|The AI service] is not set up yet. Add its API key in the settings, then try again.\u001e' +
  '[provider|{provider}|This AI service] cannot be used for this. Choose another AI service in the settings.\u001e' +
  '[provider|{provider}|The service] did not accept the API key. Check the key in the settings: it may be mistyped, expired or switched off.\u001e' +
  'Too many requests were sent to [provider|{provider}|the service] in a short time. {again}\u001e' +
  '[model|The model “{model}”|The chosen model] is not available[provider| from {provider}|]. Check its name in the settings, or choose another model.\u001e' +
  'This conversation is too long for [model|the model “{model}”|the model]. Shorten your request, leave out attachments, or start a new conversation.\u001e' +
  'Could not connect to [provider|{provider}|the service]. [internet|Check your internet connection.|Check that it is running and can be reached.] {again}\u001e' +
  '[provider|{provider}|The service] took too long to answer. {again} If it keeps happening, try a shorter request.\u001e' +
  '[provider|{provider}|The service] sent an answer that could not be understood. This can happen if:\n• the connection broke off before the answer was complete\n• the service had a brief internal problem\n• the service has changed the way it answers\n\nWhat you can do:\n• Try again in a moment\n• Ask for a shorter or simpler answer\n• If it keeps happening, choose another model or contact support\u001e' +
  'An unexpected error occurred[provider| while working with {provider}|]. {again} If it keeps happening, contact support.\u001e' +
  '[provider|{provider}|The service] is having technical problems; your request is not the cause. {again}\u001e' +
  '[provider|{provider}|The service] is very busy right now. {again}\u001e' +
  'The credit or usage limit of your [provider|{provider} account|account with the service] is used up. [wait|It should renew in about {wait}. |]Check the account’s plan and billing, or use another service.\u001e' +
  'The safety rules of [provider|{provider}|the AI service] stopped this request or its answer. Rephrase your request, and leave out sensitive content.\u001e' +
  'Your account is not allowed to do this[provider| at {provider}|]. Ask an administrator for access, or use another account.\u001e' +
  '[provider|{provider} could not work with the assistant’s request|This request could not be processed]: something in it is missing or not valid. Start a new conversation, describe in another way what you would like, or check the settings.\u001e' +
  'What was asked for could not be found[provider| at {provider}|]. Check the name or address: it may have been moved or deleted.\u001e' +
  'The request was cancelled. You can send it again whenever you like.\u001e' +
  'A file could not be read or saved. Check that it exists, that you are allowed to use it, and that there is enough free space.\u001e' +
  'Something in the settings is missing or wrong. Check the settings, then try again.\u001e' +
  '[tool|The tool “{tool}”|A tool] needs more guidance to go on. Describe in more detail what you would like, then try again.\u001e' +
  'The task needed more steps than allowed, so it was stopped. Split it into smaller tasks, or describe it more precisely.\u001e' +
  '[tool|The tool “{tool}”|A tool] could not finish its work. Try again, or describe the task in another way.\u001e' +
  'The assistant could not start. Check the settings, then start it again. If that does not help, contact support.\u001e' +
  '[provider|{provider}|The service] has failed several times in a row, so requests to it are paused for now. {again}\u001e' +
  'Too many requests are already under way. {again}\u001e' +
  'Somebody else changed this at the same time[provider| at {provider}|], so your change was not made. {again}\u001e' +
  'This already exists[provider| at {provider}|]. Choose another name, or change what is there.\u001e' +
  'The assistant is not set up completely yet. Trying again does not help until the people who run it have finished setting it up.\u001e' +
  'The assistant cannot answer right now. Trying again does not help until the people who run it have looked at this.\u001e' +
  'The assistant cannot answer right now. Trying again does not help until the people who run it have looked at this.\u001e' +
  '\u001e' +
  'The assistant cannot answer right now. Trying again does not help until the people who run it have looked at this.\u001e' +
  '\u001e' +
  'The assistant could not reach [provider|{provider}|a service that it needs]. {again} If it keeps happening, the people who run it have to look at it.\u001e' +
  '\u001e' +
  '[provider|{provider}|The service] sent an answer that the assistant could not understand. {again} If it keeps happening, the people who run the assistant have to look at it.\u001e' +
  'Something unexpected went wrong. {again} If it keeps happening, the people who run the assistant have to look at it.\u001e' +
  '\u001e' +
  '\u001e' +
  'The assistant has used up what it may use for now. [wait|Please try again in about {wait}.|Trying again does not help until the people who run it have looked at this.]\u001e' +
  '\u001e' +
  'The assistant is not allowed to do this[provider| at {provider}|]. Trying again does not help: only the people who run it can change that.\u001e' +
  'The assistant could not process this request. Start a new conversation, or describe in another way what you would like. If that does not help, the people who run it have to look at it.\u001e' +
  'What was asked for could not be found[provider| at {provider}|]: it may have been moved or deleted. Check how it is written, or ask in another way.\u001e' +
  '\u001e' +
  'The assistant could not read or save a file that it needs. {again} If it keeps happening, the people who run it have to look at it.\u001e' +
  'The assistant cannot answer right now. Trying again does not help until the people who run it have looked at this.\u001e' +
  '\u001e' +
  '\u001e' +
  '\u001e' +
  'The assistant cannot answer right now. Trying again does not help until the people who run it have looked at this.\u001e' +
  '\u001e' +
  '\u001e' +
  '\u001e';
