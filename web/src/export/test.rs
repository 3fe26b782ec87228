//! The selected call as a runnable test: its events go to the core's module, which writes the test.

use crate::answers::ask;
use crate::session::store::Log;
use halfopen_answers::AsTest;

/// The test; nothing for a call that the log does not have, or while the core cannot be asked.
pub(crate) fn test(log: &Log, number: u32) -> Option<String> {
    let call = log.call(number)?;
    ask(&AsTest {
        id: call.id.to_string(),
        policy: log.names.text(call.policy).to_owned(),
        started: call.started,
        configured: log.configured(call.policy_id()).map(str::to_owned),
        events: call.events.iter().map(|&event| log.line_of(event).to_owned()).collect(),
    })
}
