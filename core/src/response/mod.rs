//! Responses, whole or streamed: validation, text, tool activity.
