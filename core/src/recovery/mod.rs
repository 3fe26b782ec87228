//! Recovery after the retries: the next node of an agent's graph, the report, and the explanation.

pub mod context;
mod decimal;
pub mod explain;
mod labels;
mod markdown;
pub mod report;
pub mod route;

pub use context::{Cause, ErrorContext, State, Step};
pub use explain::{EXPLANATION_TOKENS, explanation_prompt};
pub use labels::{Labels, labels};
pub use markdown::leads_somewhere;
pub use report::report;
pub use route::{Next, RetryPolicy, route};
