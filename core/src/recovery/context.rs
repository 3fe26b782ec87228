//! The context of an error in the error step: made from an agent's state, with defaults for missing parts.

use super::decimal::count;
use crate::{Code, Severity};
use serde::{Deserialize, Serialize};

/// The classification of an error, as far as a report needs it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cause {
    /// The code.
    pub code: Code,
    /// An orchestrator's best reaction.
    pub severity: Severity,
    /// The user's message, in plain language. Empty for none.
    #[serde(default)]
    pub user_message: String,
    /// The guidance that travels with the error, without secrets: an object as JSON, with the line breaks that the
    /// report shows. Empty for none.
    #[serde(default)]
    pub metadata: String,
}

impl Default for Cause {
    fn default() -> Self {
        Self {
            code: Code::Unknown,
            severity: Severity::Critical,
            user_message: String::new(),
            metadata: String::new(),
        }
    }
}

/// The result of one step of a plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Step {
    /// Its index in the plan, from 0.
    pub step_index: Option<f64>,
    /// The capability that ran. Default `unknown`.
    pub capability: Option<String>,
    /// The purpose. Default: the capability.
    pub task_objective: Option<String>,
    /// `true` if it succeeded. Default: `false`.
    pub success: Option<bool>,
}

/// The part of an agent's state that an error context needs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct State {
    /// The user's request.
    pub current_task: Option<String>,
    /// How many retries were made.
    pub retry_count: Option<f64>,
    /// The step that the plan is at, from 0.
    pub step_index: Option<f64>,
    /// The results of steps, in any order.
    pub steps: Vec<Step>,
    /// The capability that failed.
    pub capability_name: Option<String>,
    /// The graph's node that failed.
    pub node_name: Option<String>,
    /// The error's message.
    pub error_message: Option<String>,
    /// Seconds. Default 0.
    pub execution_time: Option<f64>,
}

/// The known facts of an error and of the run that it ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ErrorContext {
    /// The kind of error.
    #[serde(default)]
    pub classification: Cause,
    /// Its message. A report leaves an empty one out.
    pub error_message: String,
    /// The user's request.
    pub current_task: String,
    /// The operation that failed.
    pub failed_operation: String,
    /// The capability that failed; if it has no name, the graph's node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capability_name: Option<String>,
    /// How many steps were begun.
    pub total_operations: f64,
    /// Seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution_time: Option<f64>,
    /// How many retries were made.
    pub retry_count: f64,
    /// `Step 1: …`, in the plan's order.
    pub successful_steps: Vec<String>,
    /// `Step 2: … - Failed`, in the plan's order.
    pub failed_steps: Vec<String>,
}

impl ErrorContext {
    /// The context of an error in that state.
    ///
    /// ```
    /// use halfopen::recovery::{Cause, ErrorContext, State};
    /// let context = ErrorContext::new(Cause::default(), State::default());
    /// assert_eq!(context.current_task, "Unknown task");
    /// assert_eq!(context.total_operations, 1.0);
    /// ```
    #[must_use]
    pub fn new(classification: Cause, state: State) -> Self {
        let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let (successful, failed): (Vec<_>, Vec<_>) =
            in_order(state.steps).into_iter().partition(|step| step.success == Some(true));
        let capability_name = given(state.capability_name).or_else(|| given(state.node_name));
        Self {
            classification,
            error_message: given(state.error_message).unwrap_or_else(|| "Unknown error occurred".to_owned()),
            current_task: given(state.current_task).unwrap_or_else(|| "Unknown task".to_owned()),
            failed_operation: capability_name.clone().unwrap_or_else(|| "Unknown operation".to_owned()),
            capability_name,
            total_operations: state.step_index.unwrap_or(0.0) + 1.0,
            execution_time: Some(state.execution_time.unwrap_or(0.0)),
            retry_count: state.retry_count.unwrap_or(0.0),
            successful_steps: successful.into_iter().map(describe).collect(),
            failed_steps: failed.into_iter().map(|step| format!("{} - Failed", describe(step))).collect(),
        }
    }
}

/// Returns the steps by their index. A plan has few, so inserting them one by one takes a tenth of the code of the
/// library's sort.
fn in_order(steps: Vec<Step>) -> Vec<Step> {
    let index = |step: &Step| step.step_index.unwrap_or(0.0);
    let mut ordered: Vec<Step> = Vec::with_capacity(steps.len());
    for step in steps {
        let at = ordered.partition_point(|before| index(before).total_cmp(&index(&step)).is_le());
        ordered.insert(at, step);
    }
    ordered
}

fn describe(step: Step) -> String {
    let objective = step.task_objective.or(step.capability).unwrap_or_else(|| "unknown".to_owned());
    format!("Step {}: {objective}", count(step.step_index.unwrap_or(0.0) + 1.0))
}
