//! The selected call as a runnable test: the query for the core's module, which writes the test.

use halfopen_answers::AsTest;
use halfopen_store::numbers::CallNumber;
use halfopen_store::store::Log;

/// The question; `None` for a call that the log does not have.
pub fn as_test(log: &Log, number: CallNumber) -> Option<AsTest> {
    let call = log.call(number)?;
    Some(AsTest {
        id: call.id.to_string(),
        policy: log.names.text(call.policy).to_owned(),
        started: call.started.ms(),
        configured: log.configured(call.policy_id()).map(str::to_owned),
        events: call.events.iter().map(|&event| log.line_of(event).to_owned()).collect(),
        ..AsTest::default()
    })
}
