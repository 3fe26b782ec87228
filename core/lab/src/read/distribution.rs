//! How long something takes.

use super::at::{At, Object, Read};
use crate::random::Distribution;

pub(super) fn distribution(at: &At<'_>) -> Read<Distribution> {
    let object = at.object(&["kind", "mean", "median", "sigma", "values"])?;
    let kinds = [("constant", 0), ("exponential", 1), ("lognormal", 2), ("empirical", 3)];
    let kind =
        object.need("kind", "'constant' or 'exponential' or 'lognormal' or 'empirical'")?.one_of(&kinds)?;
    let millis =
        |object: &Object<'_>, key| object.need(key, "a number of milliseconds above 0")?.positive_millis();
    match kind {
        0 | 1 => {
            let mean = millis(&at.object(&["kind", "mean"])?, "mean")?;
            Ok(if kind == 0 { Distribution::Constant { mean } } else { Distribution::Exponential { mean } })
        }
        2 => {
            let object = at.object(&["kind", "median", "sigma"])?;
            let median = millis(&object, "median")?;
            let sigma = object.need("sigma", "a number from 0 to 10")?;
            let sigma = sigma.number("a number from 0 to 10", 0.0..=10.0)?;
            Ok(Distribution::LogNormal { median, sigma })
        }
        _ => {
            let object = at.object(&["kind", "values"])?;
            let at = object.need("values", "a list of milliseconds")?;
            let values = at.list(At::millis)?;
            if values.iter().all(|&ms| ms == 0.0) {
                return at.misfit("a list of milliseconds, one of them above 0");
            }
            Ok(Distribution::Empirical { values })
        }
    }
}
