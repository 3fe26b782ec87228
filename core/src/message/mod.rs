//! What a person reads: messages in their language, without jargon and without secrets.
