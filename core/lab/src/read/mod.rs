//! Reads scenarios from JSON. A value that does not fit is an error with its path, the expected form and the actual
//! value.

mod at;
mod clients;
mod policy;
mod provider;

use super::estimate;
use super::misfit::Misfit;
use super::scenario::{Clients, Cost, Expect, LabPolicy, Limit, Provider, Scenario};
use at::{At, Read, YEAR_MS};
use clients::clients;
use halfopen::policy::seed_from_f64;
use policy::policies;
use provider::{fault, provider};
use serde_json::Value;

impl Scenario {
    /// Reads a scenario.
    ///
    /// # Errors
    /// The first fault: a value out of range, an unknown key, or a scenario that is too large.
    ///
    /// ```
    /// use halfopen_lab::Scenario;
    /// let misfit = Scenario::from_json(r#"{ "version": 1, "durationMs": -1 }"#).unwrap_err();
    /// assert_eq!(misfit.to_string(), "durationMs: expected a number of milliseconds above 0, got -1");
    /// ```
    pub fn from_json(text: &str) -> Result<Self, Misfit> {
        let value: Value = serde_json::from_str(text).map_err(|error| Misfit {
            path: "scenario".to_owned(),
            expected: "JSON".to_owned(),
            got: error.to_string(),
        })?;
        let read = scenario(&At { path: String::new(), value: &value })?;
        estimate::check(&read)?;
        Ok(read)
    }
}

fn scenario(at: &At<'_>) -> Read<Scenario> {
    let keys = [
        // Where editors look for what a scenario can have.
        "$schema",
        "version",
        "name",
        "seed",
        "durationMs",
        "intervalMs",
        "clients",
        "policies",
        "provider",
        "faults",
        "cost",
        "expect",
    ];
    let object = at.object(&keys)?;
    object.need("version", "1")?.number("1", 1.0..=1.0)?;
    let name = object.maybe("name", |at| {
        at.value.as_str().map_or_else(|| at.misfit("a text"), |name| Ok(name.to_owned()))
    })?;
    let seed = object.maybe("seed", |at| at.number("a number", f64::MIN..=f64::MAX))?.unwrap_or(0.0);
    let duration_ms = object.need("durationMs", "a number of milliseconds above 0")?.positive_millis()?;
    let grain = duration_ms / 100_000.0;
    let interval_ms = object.get("intervalMs").map_or(Ok(grain.max(1000.0)), |at| {
        let least = grain.max(1.0);
        at.number(&format!("a number of milliseconds from {least}"), least..=YEAR_MS)
    })?;
    let cost = object.maybe("cost", cost)?.unwrap_or_default();
    let mut clients = clients(&object.need("clients", "an object")?)?;
    let mut policies = policies(&object.need("policies", "an object with a policy for each name")?)?;
    for policy in clients.nested.iter_mut().chain(policies.iter_mut().map(|(_, policy)| policy)) {
        policy.set_tokens(cost.tokens_per_attempt);
    }
    check_sharing(&clients, &policies)?;
    let provider = provider(&object.need("provider", "an object")?)?;
    check_tokens(&provider, &cost)?;
    Ok(Scenario {
        name,
        seed: seed_from_f64(seed),
        duration_ms,
        interval_ms,
        clients,
        policies,
        provider,
        faults: object.maybe("faults", |at| at.list(fault))?.unwrap_or_default(),
        cost,
        expect: object.maybe("expect", expect)?.unwrap_or_default(),
    })
}

/// A slot that another process is seen to hold late would be handed over twice.
fn check_sharing(clients: &Clients, policies: &[(String, LabPolicy)]) -> Read<()> {
    let is_late = clients.shared && clients.staleness_ms > 0.0 && clients.staleness_ms.is_finite();
    let mut all = clients.nested.iter().chain(policies.iter().map(|(_, policy)| policy));
    if is_late && all.any(|policy| policy.config.bulkhead.is_some() || policy.config.adaptive.is_some()) {
        return Err(Misfit {
            path: "clients.shared.stalenessMs".to_owned(),
            expected: "0 or Infinity, for a policy has a bulkhead or an adaptive limit".to_owned(),
            got: clients.staleness_ms.to_string(),
        });
    }
    Ok(())
}

/// Without tokens a limit on them limits nothing, and a request of more than the limit is never served.
fn check_tokens(provider: &Provider, cost: &Cost) -> Read<()> {
    let Some(Limit { limit, .. }) = provider.token_limit else { return Ok(()) };
    let tokens = cost.tokens_per_attempt;
    if tokens > 0.0 && tokens <= f64::from(limit) {
        return Ok(());
    }
    Err(Misfit {
        path: "cost.tokensPerAttempt".to_owned(),
        expected: format!("a number above 0, and at most provider.tokenLimit.limit ({limit})"),
        got: tokens.to_string(),
    })
}

fn cost(at: &At<'_>) -> Read<Cost> {
    let object = at.object(&["perAttempt", "perToken", "tokensPerAttempt"])?;
    Ok(Cost {
        per_attempt: object.maybe("perAttempt", At::at_least_zero)?.unwrap_or(0.0),
        per_token: object.maybe("perToken", At::at_least_zero)?.unwrap_or(0.0),
        tokens_per_attempt: object.maybe("tokensPerAttempt", At::at_least_zero)?.unwrap_or(0.0),
    })
}

fn expect(at: &At<'_>) -> Read<Expect> {
    let keys = ["minSuccessRate", "maxAmplification", "maxUserP95Ms", "maxCost", "minRecoveredGoodput"];
    let object = at.object(&keys)?;
    Ok(Expect {
        min_success_rate: object.maybe("minSuccessRate", At::share)?,
        max_amplification: object.maybe("maxAmplification", At::at_least_zero)?,
        max_user_p95_ms: object.maybe("maxUserP95Ms", At::at_least_zero)?,
        max_cost: object.maybe("maxCost", At::at_least_zero)?,
        min_recovered_goodput: object.maybe("minRecoveredGoodput", At::at_least_zero)?,
    })
}
