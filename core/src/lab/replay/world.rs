//! What a replay runs in: the log, what is known of the provider, and which policy each call has.

use super::model::Model;
use super::options::{over, read};
use super::recorded::{Call, Control, Failed, History, How, Moment, NONE, Outcome};
use crate::lab::misfit::Misfit;
use crate::lab::scenario::LabPolicy;
use crate::log::{Json, Shallow};
use crate::policy::Why;
use std::collections::BTreeMap;

/// A timer of Node or a browser is late by less than this, in microseconds.
pub(super) const LATE: u64 = 1_000_000;

/// What changes a policy from outside.
#[derive(Clone, Copy, Debug)]
pub(super) enum Outside {
    /// Its options: the index of the settings of the host.
    Settings(u32),
    Control(Control),
}

/// What all replays of a log have in common.
#[derive(Debug)]
pub(super) struct World {
    pub(super) history: History,
    pub(super) model: Model,
    /// The calls in the order in which they began.
    pub(super) arrivals: Vec<u32>,
    /// What was done to the policies, by time, with the host.
    pub(super) outside: Vec<(Moment, u32, Outside)>,
    /// The policies as they were.
    pub(super) recorded: Policies,
}

/// Which policy each call has.
#[derive(Debug, Default)]
pub(super) struct Policies {
    pub(super) list: Vec<LabPolicy>,
    /// By call.
    pub(super) of_call: Vec<u32>,
    /// By host and the index of its settings; one at least.
    pub(super) of_host: Vec<Vec<u32>>,
    /// By host: whether its policy is not the recorded one.
    pub(super) replaced: Vec<bool>,
}

impl World {
    pub(super) fn new(history: History) -> Result<Self, Misfit> {
        let model = Model::of(&history);
        let begun = |&call: &u32| history.calls.get(call as usize).and_then(|call| call.begun);
        let count = u32::try_from(history.calls.len()).unwrap_or(NONE);
        let mut arrivals: Vec<u32> = (0..count).filter(|call| begun(call).is_some()).collect();
        arrivals.sort_by_key(begun);
        let mut outside: Vec<(Moment, u32, Outside)> = history
            .controls
            .iter()
            .map(|&(host, moment, control)| (moment, host, Outside::Control(control)))
            .collect();
        for (number, host) in (0..).zip(&history.hosts) {
            let later = (0..).zip(&host.settings).skip(1);
            outside.extend(later.map(|(index, &(moment, _))| (moment, number, Outside::Settings(index))));
        }
        outside.sort_by_key(|&(moment, host, _)| (moment, host));
        let recorded = Policies::new(&history, "{}")?;
        let mut world = Self { history, model, arrivals, outside, recorded };
        world.find_cuts();
        world.model = Model::of(&world.history);
        Ok(world)
    }

    /// A timeout of the policy's own is a cut only where its timer was that long: the rest are stalls of streams.
    fn find_cuts(&mut self) {
        let (calls, recorded) = (&self.history.calls, &self.recorded);
        for attempt in &mut self.history.attempts {
            let Outcome::Failed(Failed { is_cut, code, .. }) = &mut attempt.result else { continue };
            let Some(call) = calls.get(attempt.call as usize) else { continue };
            if !*is_cut || *code == crate::code::Code::Cancelled {
                continue;
            }
            let policy = recorded.of_call.get(attempt.call as usize);
            let Some(policy) = policy.and_then(|&policy| recorded.list.get(policy as usize)) else {
                continue;
            };
            let took_ms = f64::from(u32::try_from(attempt.took).unwrap_or(u32::MAX));
            let by_attempt = policy.attempt_ms.is_some_and(|limit| took_ms + 1.0 >= limit);
            let by_call = match (policy.config.call.total, call.begun, attempt.ended) {
                (Some(total), Some(begun), Some(ended)) => {
                    ended.at + 2000 >= begun.at.saturating_add(total.0.saturating_mul(1000))
                }
                _ => false,
            };
            *is_cut = by_attempt || by_call;
        }
    }

    /// Whether the call never came to the engine: its signal had been aborted before, or a cap of the application's
    /// was against it.
    pub(super) fn is_imposed(&self, number: u32, call: &Call) -> bool {
        let (Some(begun), Some(end)) = (call.begun, call.end) else { return false };
        if end.moment.at != begun.at || !self.history.attempts_of(call).is_empty() {
            return false;
        }
        match end.how {
            How::Failed { why: Why::Cancelled, .. } => true,
            How::Rejected { by: crate::policy::Layer::RateLimit } => {
                self.recorded.of(number).is_some_and(|policy| policy.config.rate_limits.is_empty())
            }
            _ => false,
        }
    }
}

impl Policies {
    /// The policies of a log, those of these names replaced. `replaced` is JSON.
    pub(super) fn new(history: &History, replaced: &str) -> Result<Self, Misfit> {
        let given = Json::from(replaced);
        let given: BTreeMap<String, String> = given
            .members()
            .into_iter()
            .map(|(name, policy)| (name.as_str().to_owned(), text_of(&policy)))
            .collect();
        for name in given.keys() {
            if !history.policies.contains(name) {
                return Err(Misfit {
                    path: format!("policies.{name}"),
                    expected: format!("the name of a policy in the log: {}", history.policies.join(", ")),
                    got: "one that is not there".to_owned(),
                });
            }
        }
        if !given.is_empty() || !replaced.trim_start().starts_with('{') {
            read(replaced)?;
        }
        let mut policies = Self::default();
        let mut known: BTreeMap<(u32, u32, u32), u32> = BTreeMap::new();
        for host in &history.hosts {
            let name = history.policies.get(host.policy as usize).map_or("", String::as_str);
            policies.replaced.push(given.contains_key(name));
            let settings = host.settings.iter().map(|&(_, options)| options);
            let settings = if host.settings.is_empty() { vec![NONE] } else { settings.collect() };
            let mut indexes = Vec::new();
            for options in settings {
                indexes.push(policies.find(history, &given, &mut known, (host.policy, options, NONE))?);
            }
            policies.of_host.push(indexes);
        }
        for call in &history.calls {
            let host = history.hosts.get(call.host as usize);
            let policy = host.map_or(NONE, |host| host.policy);
            let options = host.map_or(NONE, |host| {
                let before = host.settings.iter().rev().find(|(since, _)| Some(*since) <= call.begun);
                before.or(host.settings.first()).map_or(NONE, |&(_, options)| options)
            });
            let index = policies.find(history, &given, &mut known, (policy, options, call.own))?;
            policies.of_call.push(index);
        }
        Ok(policies)
    }

    fn find(
        &mut self,
        history: &History,
        given: &BTreeMap<String, String>,
        known: &mut BTreeMap<(u32, u32, u32), u32>,
        key: (u32, u32, u32),
    ) -> Result<u32, Misfit> {
        if let Some(&found) = known.get(&key) {
            return Ok(found);
        }
        let (policy, options, own) = key;
        let name = history.policies.get(policy as usize).map_or("default", String::as_str);
        let json =
            |index: u32| history.options.get(index as usize).map_or("{}", |options| options.json.as_str());
        let base = given.get(name).map_or_else(|| json(options), String::as_str);
        let own_text = json(own);
        let merged = if own == NONE { base.to_owned() } else { over(base, own_text) };
        let mut list = read(&format!("{{{}:{merged}}}", crate::log::quoted(name)))?;
        let Some((_, mut read)) = list.pop() else { return Ok(0) };
        if let Some(tokens) = Json::from(own_text).at(&["estimatedTokens"]).and_then(|value| value.as_f64()) {
            read.set_tokens(tokens);
        }
        let index = u32::try_from(self.list.len()).unwrap_or(NONE);
        self.list.push(read);
        known.insert(key, index);
        Ok(index)
    }

    /// The policy of a call.
    pub(super) fn of(&self, call: u32) -> Option<&LabPolicy> {
        self.of_call.get(call as usize).and_then(|&index| self.list.get(index as usize))
    }
}

fn text_of(value: &Shallow<'_>) -> String {
    match value {
        Shallow::Text(text) => crate::log::quoted(text.as_str()),
        other => other.to_string(),
    }
}
