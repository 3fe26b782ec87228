//! A policy that is made anew for each request: its breaker, budget and limits begin again each time, and never have an
//! effect.

use super::setting::Advice;
use super::{Found, Look, called, newest, row};
use crate::format::{count, number_of};
use halfopen_log::quoted;
use halfopen_store::call::Call;
use halfopen_store::numbers::CallNumber;
use halfopen_store::policy::PolicyId;
use halfopen_store::store::Log;

/// From this number of policies of one name and the same options within one process on, it is no accident.
const LEAST: u32 = 10;
/// With more calls for each of them, a policy is shared by requests.
const CALLS: usize = 3;

/// The calls of each policy that was made often.
#[derive(Default)]
struct Made(Vec<(PolicyId, Vec<CallNumber>)>);

pub(super) fn begin(_: &Log) -> Box<dyn Look> {
    Box::new(Made::default())
}

impl Look for Made {
    fn call(&mut self, log: &Log, number: CallNumber, call: &Call) {
        if log.made(call.policy_id()) >= LEAST {
            row(&mut self.0, call.policy_id()).push(number);
        }
    }

    fn found(&mut self, log: &Log) -> Vec<Found> {
        let all = std::mem::take(&mut self.0).into_iter();
        let few = all.filter(|(policy, calls)| calls.len() <= CALLS * log.made(*policy) as usize);
        few.map(|(policy, calls)| {
            let name = called(log, policy.name);
            let made = log.made(policy);
            Found {
                policy,
                title: format!(
                    "One process made the policy '{name}' {} times, for {}",
                    count(made.into()),
                    number_of(calls.len() as u64, "call")
                ),
                what: "Each new policy begins with a closed breaker, a full budget and empty limits: none of them ever has an effect.".into(),
                fix: "Create the policy once, at the top of a module, and use it for every request. What differs \
                    from request to request belongs to the call.".into(),
                advice: Advice {
                    settings: Vec::new(),
                    code: format!(
                        "// at the top of a module, not in a request\nexport const policy = createPolicy({{ name: \
                            {}, … }});\n\n// in a request\nawait policy.execute(operation, {{ signal, task }});",
                        quoted(&name)
                    ),
                },
                hurt: calls.len() as u64,
                evidence: newest(calls),
                grade: None,
            }
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::Stage;

    /// Adds policies of one name, each with a number of calls and the given options.
    fn requests(policies: usize, calls: usize, options: &dyn Fn(usize) -> String) -> Stage {
        let mut stage = Stage::new();
        for number in 0..policies {
            stage.policy("chat", &options(number));
            for _ in 0..calls {
                let call = stage.call("chat");
                stage.succeed(call);
            }
        }
        stage
    }

    #[test]
    fn a_policy_for_each_request_is_found() {
        let found =
            requests(25, 1, &|_| r#"{"timeout":{"attemptMs":5000}}"#.into()).found("policy-per-request");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].title, "One process made the policy 'chat' 25 times, for 25 calls");
        assert!(found[0].code.contains("createPolicy({ name: \"chat\""), "{}", found[0].code);
    }

    #[test]
    fn a_policy_for_many_requests_or_policies_that_share_a_name_are_none() {
        let same = |_: usize| "{}".to_owned();
        assert_eq!(requests(3, 30, &same).found("policy-per-request"), []);
        assert_eq!(requests(12, 30, &same).found("policy-per-request"), [], "made anew now and then");
        let differ = |number: usize| format!(r#"{{"timeout":{{"attemptMs":{}}}}}"#, number + 1);
        assert_eq!(requests(25, 1, &differ).found("policy-per-request"), [], "each is another policy");
    }
}
