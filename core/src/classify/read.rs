//! The properties that are read of each kind of object in a thrown value.
//!
//! `pkg/src/classify/keys.ts` has the same lists, generated from these. [`Thrown::from_json`](super::Thrown::from_json)
//! uses them too, so an error as JSON is read like the error itself.

use super::key::Key;

/// How an object is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// An error, a thrown object, a cause. Short fields come before bodies and responses.
    Error,
    /// The contents of a body, and any object that is not named here.
    Body,
    /// A response.
    Response,
    /// A request, of which only the model is read.
    Model,
    /// An AWS client's statement on retrying.
    Retryable,
    /// A request's settings, of which only the signal is read: its reason explains an abort.
    Config,
    /// An abort signal.
    Signal,
    /// Headers, by their names.
    Headers,
    /// A list of errors.
    Causes,
    /// Only that there is something.
    Presence,
}

impl Read {
    /// The kinds that have a list of names.
    pub const LISTED: &'static [Self] =
        &[Self::Error, Self::Body, Self::Response, Self::Model, Self::Retryable, Self::Config, Self::Signal];

    /// Returns the properties that are read of an object of this kind, in this order.
    #[must_use]
    pub const fn keys(self) -> &'static [Key] {
        use Key::*;
        match self {
            Self::Error => &[
                Status,
                StatusCode,
                StatusCodeSnake,
                HttpStatus,
                HttpCode,
                Name,
                Message,
                Code,
                CodeUpper,
                Type,
                Param,
                Errno,
                Syscall,
                Reason,
                ErrorCode,
                ErrorCodeSnake,
                LcErrorCode,
                FinishReason,
                FinishReasonCamel,
                RequestIdUpper,
                RequestIdSnake,
                RequestId,
                StatusText,
                StatusMessage,
                Model,
                ModelId,
                ModelType,
                Provider,
                ProviderId,
                Url,
                RetryAfterMsProperty,
                RetryAfterProperty,
                RetryAfterSnake,
                RetryAfterSeconds,
                Retryable,
                Retriable,
                IsRetryable,
                AwsRetryable,
                Cmd,
                Killed,
                Signal,
                ExitCode,
                TimedOut,
                Msg,
                Title,
                Description,
                Detail,
                SqlState,
                SqlStateLower,
                Errcode,
                CodeName,
                ErrorLabels,
                Number,
                ResponseCode,
                ClassId,
                WasClean,
                ServerResponseCode,
                TextCode,
                OriginalCode,
                Headers,
                ResponseHeaders,
                Error,
                ErrorDetails,
                Issues,
                Details,
                Extensions,
                Metadata,
                AwsMetadata,
                AwsResponse,
                Response,
                HttpResponse,
                Res,
                Context,
                RawResponse,
                Data,
                Body,
                ResponseBody,
                ParsedBody,
                Result,
                Info,
                Meta,
                Parameters,
                RequestBodyValues,
                Config,
                ApiError,
                LastError,
                OriginalError,
                InnerErrorCamel,
                Inner,
                Original,
                Parent,
                DriverError,
                NativeError,
                SourceError,
                NetworkErrorProperty,
                GraphqlErrors,
                Exception,
                Cause,
                Errors,
                Value,
            ],
            Self::Body => &[
                Status,
                StatusCode,
                Code,
                Type,
                Param,
                Loc,
                Message,
                Reason,
                Msg,
                Detail,
                Description,
                Title,
                ErrorDescription,
                ErrorCode,
                ErrorCodeSnake,
                CodeUpper,
                AwsType,
                RequestIdSnake,
                RequestId,
                FinishReason,
                BlockReason,
                Model,
                RetryDelay,
                RetryAfterMsProperty,
                RetryAfterProperty,
                RetryAfterSnake,
                RetryAfterMsSnake,
                RetryAfterSeconds,
                Retryable,
                IsRetryable,
                QuotaId,
                QuotaValue,
                Raw,
                Payload,
                Res,
                ErrCode,
                SqlState,
                SqlStateLower,
                Headers,
                Error,
                InnerError,
                Extensions,
                Http,
                Metadata,
                Parameters,
                Details,
                Errors,
                Violations,
                QuotaDimensions,
                ErrorSummary,
                Exception,
                PromptFeedback,
            ],
            Self::Response => {
                &[Status, StatusCode, HttpStatusCode, StatusText, RequestId, Headers, Data, Body, Errors]
            }
            Self::Model => &[Model],
            Self::Retryable => &[Retryable],
            Self::Config => &[Signal],
            Self::Signal => &[Reason],
            Self::Headers | Self::Causes | Self::Presence => &[],
        }
    }

    /// Returns how the value of a key is read.
    #[must_use]
    pub const fn under(key: Key) -> Self {
        match key {
            Key::Cause | Key::LastError | Key::Reason => Self::Error,
            Key::Errors | Key::GraphqlErrors => Self::Causes,
            Key::Headers | Key::ResponseHeaders => Self::Headers,
            Key::Response
            | Key::RawResponse
            | Key::HttpResponse
            | Key::Res
            | Key::Context
            | Key::AwsResponse
            | Key::AwsMetadata => Self::Response,
            Key::Config => Self::Config,
            Key::Signal => Self::Signal,
            Key::AwsRetryable => Self::Retryable,
            Key::RequestBodyValues | Key::QuotaDimensions => Self::Model,
            Key::Issues => Self::Presence,
            _ => Self::Body,
        }
    }
}
