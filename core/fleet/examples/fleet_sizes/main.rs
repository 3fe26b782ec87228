//! Simulates many processes as fleets of several sizes, and prints a line of JSON for each size: what `scripts/fleet-sizes.mjs`
//! draws and `docs/fleet.md` says.
//!
//! `cargo run --release -p halfopen-fleet --example fleet_sizes <processes> <calls a second of each> <sizes>`, as in
//! `100000 1 10,100`. For each size it simulates fleets one after the other until they have that number of processes
//! together. A size of 1 is a single process.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::cast_precision_loss, clippy::print_stdout)]
#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "milliseconds and shares")]
#![allow(unreachable_pub, reason = "the simulation is a test's too")]

mod simulation;

use simulation::{Outcomes, Setting, simulate};
use std::time::Instant;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let processes: usize = arguments.next().map_or(100_000, |text| text.parse().unwrap());
    let rate: f64 = arguments.next().map_or(1.0, |text| text.parse().unwrap());
    let sizes = arguments.next().unwrap_or_else(|| "1,10,30,100,300,1000,3000".to_owned());
    for size in sizes.split(',').map(|text| text.parse::<usize>().unwrap()) {
        let began = Instant::now();
        let mut out = Outcomes::default();
        let fleets = processes.div_ceil(size);
        for seed in 0..fleets as u64 {
            simulate(Setting { size, rate, alone: size == 1, seed }, &mut out);
        }
        let a_second = |sum: u64| (sum as f64 / (out.steady_seconds * fleets as u64) as f64).round();
        let numbers = [
            ("size", size as f64),
            ("rate", rate),
            ("processes", out.processes as f64),
            ("knownP50", Outcomes::at(&out.known, 0.5) as f64),
            ("knownP99", Outcomes::at(&out.known, 0.99) as f64),
            ("wasted", (out.wasted as f64 / out.processes as f64 * 100.0).round() / 100.0),
            ("probes", (out.probes as f64 / fleets as f64 * 10.0).round() / 10.0),
            ("recoveredP99", Outcomes::at(&out.recovered, 0.99) as f64),
            ("syncMs", Outcomes::at(&out.waits, 0.5) as f64),
            ("syncsPerFleet", a_second(out.steady_syncs)),
            ("mostSyncs", out.most_syncs as f64),
            ("mostSyncsInOutage", out.most_syncs_in_outage as f64),
            ("bytesPerFleet", a_second(out.steady_bytes)),
            ("stateBytes", out.state_bytes as f64),
            ("seconds", began.elapsed().as_secs_f64().round()),
        ];
        let fields: Vec<String> =
            numbers.iter().map(|(name, number)| format!("\"{name}\":{number}")).collect();
        println!("{{{}}}", fields.join(","));
    }
}
