//! English.

use super::super::Circumstance;
use super::shape::{Answer, Explanation, Locale, Plural};
use crate::Code;

/// For a visitor, of what only the people who run the assistant can mend.
const LOOK_AT_IT: &str = "The assistant cannot answer right now. Trying again does not help until the people who run it have looked at this.";

pub(super) const LOCALE: Locale = Locale {
    tag: "en",
    plural: Plural::One,
    seconds: &["{n} second", "{n} seconds"],
    minutes: &["{n} minute", "{n} minutes"],
    hours: &["{n} hour", "{n} hours"],
    days: &["{n} day", "{n} days"],
    again_in: "Please try again in about {wait}.",
    again_soon: "Please try again in a moment.",
    messages: &[
        (
            Code::ProviderNotConfigured,
            "[provider|{provider}|The AI service] is not set up yet. Add its API key in the settings, then try again.",
        ),
        (
            Code::ProviderNotSupported,
            "[provider|{provider}|This AI service] cannot be used for this. Choose another AI service in the settings.",
        ),
        (
            Code::AuthenticationError,
            "[provider|{provider}|The service] did not accept the API key. Check the key in the settings: it may be mistyped, expired or switched off.",
        ),
        (
            Code::RateLimited,
            "Too many requests were sent to [provider|{provider}|the service] in a short time. {again}",
        ),
        (
            Code::ModelNotFound,
            "[model|The model “{model}”|The chosen model] is not available[provider| from {provider}|]. Check its \
                name in the settings, or choose another model.",
        ),
        (
            Code::ContextLengthExceeded,
            "This conversation is too long for [model|the model “{model}”|the model]. Shorten your request, leave \
                out attachments, or start a new conversation.",
        ),
        (
            Code::NetworkError,
            "Could not connect to [provider|{provider}|the service]. [internet|Check your internet connection.|Check \
                that it is running and can be reached.] {again}",
        ),
        (
            Code::Timeout,
            "[provider|{provider}|The service] took too long to answer. {again} If it keeps happening, try a shorter request.",
        ),
        (
            Code::Unknown,
            "An unexpected error occurred[provider| while working with {provider}|]. {again} If it keeps happening, contact support.",
        ),
        (
            Code::ServerError,
            "[provider|{provider}|The service] is having technical problems; your request is not the cause. {again}",
        ),
        (Code::ProviderOverloaded, "[provider|{provider}|The service] is very busy right now. {again}"),
        (
            Code::QuotaExceeded,
            "The credit or usage limit of your [provider|{provider} account|account with the service] is used up. \
                [wait|It should renew in about {wait}. |]Check the account’s plan and billing, or use another \
                service.",
        ),
        (
            Code::ContentFiltered,
            "The safety rules of [provider|{provider}|the AI service] stopped this request or its answer. Rephrase \
                your request, and leave out sensitive content.",
        ),
        (
            Code::PermissionDenied,
            "Your account is not allowed to do this[provider| at {provider}|]. Ask an administrator for access, or use another account.",
        ),
        (
            Code::ValidationError,
            "[provider|{provider} could not work with the assistant’s request|This request could not be processed]: \
                something in it is missing or not valid. Start a new conversation, describe in another way what you \
                would like, or check the settings.",
        ),
        (
            Code::NotFound,
            "What was asked for could not be found[provider| at {provider}|]. Check the name or address: it may have been moved or deleted.",
        ),
        (Code::Cancelled, "The request was cancelled. You can send it again whenever you like."),
        (
            Code::IoError,
            "A file could not be read or saved. Check that it exists, that you are allowed to use it, and that there is enough free space.",
        ),
        (
            Code::ConfigError,
            "Something in the settings is missing or wrong. Check the settings, then try again.",
        ),
        (
            Code::LlmAssistRequired,
            "[tool|The tool “{tool}”|A tool] needs more guidance to go on. Describe in more detail what you would like, then try again.",
        ),
        (
            Code::MaxIterationsExceeded,
            "The task needed more steps than allowed, so it was stopped. Split it into smaller tasks, or describe it more precisely.",
        ),
        (
            Code::ToolExecutionError,
            "[tool|The tool “{tool}”|A tool] could not finish its work. Try again, or describe the task in another way.",
        ),
        (
            Code::InitializationError,
            "The assistant could not start. Check the settings, then start it again. If that does not help, contact support.",
        ),
        (
            Code::CircuitOpen,
            "[provider|{provider}|The service] has failed several times in a row, so requests to it are paused for now. {again}",
        ),
        (Code::CapacityExceeded, "Too many requests are already under way. {again}"),
        (
            Code::Conflict,
            "Somebody else changed this at the same time[provider| at {provider}|], so your change was not made. {again}",
        ),
        (
            Code::AlreadyExists,
            "This already exists[provider| at {provider}|]. Choose another name, or change what is there.",
        ),
    ],
    visitor: &[
        (
            Code::ProviderNotConfigured,
            "The assistant is not set up completely yet. Trying again does not help until the people who run it have finished setting it up.",
        ),
        (Code::ProviderNotSupported, LOOK_AT_IT),
        (Code::AuthenticationError, LOOK_AT_IT),
        (Code::ModelNotFound, LOOK_AT_IT),
        (
            Code::NetworkError,
            "The assistant could not reach [provider|{provider}|a service that it needs]. {again} If it keeps \
                happening, the people who run it have to look at it.",
        ),
        (
            Code::InvalidResponse,
            "[provider|{provider}|The service] sent an answer that the assistant could not understand. {again} If it \
                keeps happening, the people who run the assistant have to look at it.",
        ),
        (
            Code::Unknown,
            "Something unexpected went wrong. {again} If it keeps happening, the people who run the assistant have to look at it.",
        ),
        (
            Code::QuotaExceeded,
            "The assistant has used up what it may use for now. [wait|Please try again in about {wait}.|Trying again \
                does not help until the people who run it have looked at this.]",
        ),
        (
            Code::PermissionDenied,
            "The assistant is not allowed to do this[provider| at {provider}|]. Trying again does not help: only the people who run it can change that.",
        ),
        (
            Code::ValidationError,
            "The assistant could not process this request. Start a new conversation, or describe in another way what \
                you would like. If that does not help, the people who run it have to look at it.",
        ),
        (
            Code::NotFound,
            "What was asked for could not be found[provider| at {provider}|]: it may have been moved or deleted. \
                Check how it is written, or ask in another way.",
        ),
        (
            Code::IoError,
            "The assistant could not read or save a file that it needs. {again} If it keeps happening, the people who run it have to look at it.",
        ),
        (Code::ConfigError, LOOK_AT_IT),
        (Code::InitializationError, LOOK_AT_IT),
    ],
    circumstances: &[
        (
            Circumstance::BrokenOff,
            "The connection to [provider|{provider}|the service] broke while the answer was arriving. [internet|Check your internet connection. |]{again}",
            "The answer broke off before it was complete. {again}",
        ),
        (
            Circumstance::ShutDown,
            "The request was cancelled, because the assistant was shut down. Start it again, then send your request.",
            "The request was cancelled, because the assistant was shut down. {again}",
        ),
        (
            Circumstance::RateLimit,
            "The number of requests that may be sent[provider| to {provider}|] in this period is used up. {again}",
            "The assistant is receiving more requests than it can answer. {again}",
        ),
        (
            Circumstance::Cost,
            "The spending limit for the assistant’s requests is reached, so no more are sent for now. {again}",
            "The assistant has reached its usage limit for now. {again}",
        ),
        (
            Circumstance::Adaptive,
            "[provider|{provider}|The service] cannot take more requests at the same time right now. {again}",
            "",
        ),
        (
            Circumstance::NoSuchTool,
            "[tool|There is no tool named “{tool}”|The tool that the assistant chose does not exist], so this step \
                could not be done. Try again, or describe the task in another way.",
            "",
        ),
        (
            Circumstance::Conversation,
            "[provider|{provider}|The AI service] cannot continue this conversation in its present form. Start a new \
                conversation, or choose another model.",
            "The assistant cannot continue this conversation in its present form. Start a new conversation. If that \
                does not help, the people who run it have to look at it.",
        ),
        (
            Circumstance::Attachment,
            "[provider|{provider}|The AI service] could not work with an attachment in this conversation. Leave it \
                out, or send it in another format. If that does not help, start a new conversation.",
            "",
        ),
        (
            Circumstance::Isolated,
            "Requests to [provider|{provider}|the service] are paused for now. {again}",
            "",
        ),
        (
            Circumstance::Throttled,
            "[provider|{provider}|The service] has had problems, so only some requests are sent to it for now. {again}",
            "",
        ),
    ],
    invalid: Explanation {
        what: "[provider|{provider}|The service] sent an answer that could not be understood.",
        causes_title: "This can happen if:",
        causes: &[
            "the connection broke off before the answer was complete",
            "the service had a brief internal problem",
            "the service has changed the way it answers",
        ],
        steps_title: "What you can do:",
        steps: &[
            "Try again in a moment",
            "Ask for a shorter or simpler answer",
            "If it keeps happening, choose another model or contact support",
        ],
    },
    empty: Explanation {
        what: "[provider|{provider}|The AI service] sent back an empty answer.",
        causes_title: "This can happen if:",
        causes: &[
            "the request was unclear or asked for too much at once",
            "the safety rules of the service held the answer back",
            "the service was busy or had a brief internal problem",
            "a limit on requests or usage was reached",
        ],
        steps_title: "What you can do:",
        steps: &[
            "Say in other words what you would like",
            "Split a big task into smaller steps",
            "Try again in a moment",
        ],
    },
    empty_for_visitor: "[provider|{provider}|The AI service] sent back an empty answer. Say in other words what you would like, or ask for less at once.",
    details: "Technical details: {detail}",
    expected_got: "Expected: {expected}\nReceived: {got}",
    answer: Answer {
        sending: "Sending message to AI...",
        using: "Using {tool}...",
        error: "Error: {detail}",
        executed: "Analysis complete. Executed {tool} successfully.",
        analysed: "Analysis complete using available tools.",
        completed: "Task completed using available tools.",
    },
};
