//! The messages for users: in their language, without jargon and without secrets.
//!
//! A message combines a [`Code`](crate::Code), the known facts [`About`] the failure, and a locale. The words are
//! tables (`locale`), one for each language. To add a language, add a table.

mod about;
mod catalog;
mod duration;
pub mod lint;
mod locale;
mod provider;
mod redact;
#[cfg(test)]
mod review;
mod table;
mod template;
#[cfg(test)]
mod tests;

#[doc(hidden)]
pub use catalog::{empty_response_of, invalid_response_of, technical_details_of, user_message_of};
#[doc(hidden)]
pub use table::Table;

pub use about::{About, Audience, Circumstance};
pub use catalog::{
    LOCALES, Progress, empty_response, human_duration, invalid_response, progress, resolve_locale,
    technical_details, templates, user_message,
};
pub use provider::display_name;
use provider::reached_over_internet;
pub(crate) use redact::is_key;
pub use redact::{MARK, names_secret, redact};
pub use table::ROW_END;
