//! English.

use super::shape::{Answer, Explanation, Locale, Plural};
use crate::Code;

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
            "[model|The model “{model}”|The chosen model] is not available[provider| from {provider}|]. Check its name in the settings, or choose another model.",
        ),
        (
            Code::ContextLengthExceeded,
            "This conversation is too long for [model|the model “{model}”|the model]. Shorten your request, leave out attachments, or start a new conversation.",
        ),
        (
            Code::NetworkError,
            "Could not connect to [provider|{provider}|the service]. Check your internet connection. {again}",
        ),
        (
            Code::Timeout,
            "[provider|{provider}|The service] took too long to answer. {again} If it keeps happening, try a shorter request.",
        ),
        (
            Code::ServerError,
            "[provider|{provider}|The service] is having technical problems; your request is not the cause. {again}",
        ),
        (Code::ProviderOverloaded, "[provider|{provider}|The service] is very busy right now. {again}"),
        (
            Code::QuotaExceeded,
            "The credit or usage limit of your [provider|{provider} account|account with the service] is used up. [wait|It should renew in about {wait}. |]Check the account’s plan and billing, or use another service.",
        ),
        (
            Code::ContentFiltered,
            "The safety rules of [provider|{provider}|the AI service] stopped this request or its answer. Rephrase your request, and leave out sensitive content.",
        ),
        (
            Code::PermissionDenied,
            "Your account is not allowed to do this[provider| at {provider}|]. Ask an administrator for access, or use another account.",
        ),
        (
            Code::ValidationError,
            "[provider|{provider} could not work with this request|This request could not be processed]: something in it is missing or not valid. Check what you entered and the settings, then try again.",
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
    broken_off: "The connection to [provider|{provider}|the service] broke while the answer was arriving. Check your internet connection. {again}",
    shut_down: "The request was cancelled, because the assistant was shut down. Start it again, then send your request.",
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
    unknown: Explanation {
        what: "An unexpected error occurred[provider| while working with {provider}|].",
        causes_title: "This can happen if:",
        causes: &[
            "the application has a fault",
            "a service had a brief internal problem",
            "a setting is missing or wrong",
        ],
        steps_title: "What you can do:",
        steps: &["Try again in a moment", "If it keeps happening, contact support"],
    },
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
