//! The clients of a scenario, and when they call.

use super::at::{ABOVE_ZERO, At, Read, distribution};
use super::policy::policy;
use crate::scenario::{Arrivals, Clients};

pub(super) fn clients(at: &At<'_>) -> Read<Clients> {
    let object = at.object(&["count", "processes", "arrivals", "patienceMs", "shared", "nested"])?;
    let count = object.need("count", "a whole number from 1")?.count_from(1)?;
    let shared = object.maybe("shared", |at| {
        let object = at.object(&["stalenessMs"])?;
        object.need("stalenessMs", "a number of milliseconds from 0")?.millis_or_infinity()
    })?;
    Ok(Clients {
        count,
        processes: object.maybe("processes", |at| at.count_from(1))?.unwrap_or(count).min(count),
        arrivals: arrivals(&object.need("arrivals", "an object")?)?,
        patience_ms: object.maybe("patienceMs", At::positive_millis)?,
        shared: shared.is_some(),
        staleness_ms: shared.unwrap_or(0.0),
        nested: object.maybe("nested", |at| at.list(policy))?.unwrap_or_default(),
    })
}

fn arrivals(at: &At<'_>) -> Read<Arrivals> {
    let object = at.object(&["kind", "think", "perSecond", "process"])?;
    let kind = object.need("kind", "'once' or 'closed' or 'open'")?;
    match kind.one_of(&[("once", 0), ("closed", 1), ("open", 2)])? {
        0 => at.object(&["kind"]).map(|_| Arrivals::Once),
        1 => {
            let object = at.object(&["kind", "think"])?;
            let think = distribution(&object.need("think", "an object")?)?;
            Ok(Arrivals::Closed { think })
        }
        _ => {
            let object = at.object(&["kind", "perSecond", "process"])?;
            let rate = object.need("perSecond", "a number above 0")?;
            let kinds = [("poisson", false), ("constant", true)];
            Ok(Arrivals::Open {
                per_second: rate.number("a number above 0", ABOVE_ZERO..=1e9)?,
                constant: object.maybe("process", |at| at.one_of(&kinds))?.unwrap_or(false),
            })
        }
    }
}
