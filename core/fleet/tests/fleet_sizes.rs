//! How soon fleets of several sizes know, and how much load they put on their store: a small version of the simulation
//! behind the table in `docs/fleet.md`.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::cast_precision_loss)]
#![allow(unreachable_pub, dead_code, reason = "the simulation is an example's too")]
#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "milliseconds and shares")]

#[path = "../examples/fleet_sizes/simulation.rs"]
mod simulation;

use simulation::{Outcomes, Setting, simulate};

fn run(size: usize, rate: f64, alone: bool) -> Outcomes {
    let mut out = Outcomes::default();
    simulate(Setting { size, rate, alone, seed: 18 }, &mut out);
    out
}

fn wasted_each(out: &Outcomes) -> f64 {
    out.wasted as f64 / out.processes as f64
}

#[test]
fn a_fleet_knows_of_an_outage_sooner_than_its_processes_alone() {
    let (fleet, alone) = (run(100, 1.0, false), run(100, 1.0, true));
    // Alone each process needs five failures, and its own probes.
    assert!(wasted_each(&alone) > 5.0, "{}", wasted_each(&alone));
    assert!(wasted_each(&fleet) < 2.0, "{}", wasted_each(&fleet));
    let known = |out: &Outcomes| Outcomes::at(&out.known, 0.99);
    assert!(known(&fleet) < 3_000, "{} ms", known(&fleet));
    assert!(known(&alone) > 2 * known(&fleet), "{} ms", known(&alone));
}

#[test]
fn after_an_outage_one_probe_at_a_time_closes_it_for_all() {
    let fleet = run(100, 1.0, false);
    // Four openings of five seconds each end in a probe, the last of which closes it; the others ask in vain.
    assert!(fleet.probes <= 20, "{} probes", fleet.probes);
    assert!(Outcomes::at(&fleet.recovered, 1.0) < 8_000, "{} ms", Outcomes::at(&fleet.recovered, 1.0));
}

/// The processes of so large a fleet hear of each other every ten seconds, and an opening lasts five: each of them would probe
/// by its own breaker, and when the shared one may be probed all would ask at once.
#[test]
fn a_large_fleet_probes_one_at_a_time_and_asks_at_its_pace() {
    let fleet = run(3_000, 1.0, false);
    assert!(fleet.probes <= 20, "{} probes", fleet.probes);
    let steady = fleet.steady_syncs / fleet.steady_seconds;
    let most = fleet.most_syncs_in_outage;
    assert!(most <= 4 * steady, "{most} syncs within a second, {steady} are steady");
}

#[test]
fn the_store_paces_its_load() {
    for (size, most) in [(10, 45), (100, 450), (1_000, 2_000)] {
        let fleet = run(size, 1.0, false);
        let each_second = fleet.steady_syncs / fleet.steady_seconds;
        assert!(each_second <= most, "{each_second} syncs a second of {size} processes");
        assert!(fleet.steady_bytes / fleet.steady_seconds <= 25_000_000, "{size} processes");
    }
}

#[test]
fn the_same_seed_is_the_same_run() {
    let (one, other) = (run(50, 2.0, false), run(50, 2.0, false));
    assert_eq!((one.wasted, one.known, one.most_syncs), (other.wasted, other.known, other.most_syncs));
}

/// The results of the package itself, stored by `pkg/bench/fleet-sizes.ts`: one fleet of each size, one call a second
/// of each process.
#[test]
fn the_package_comes_to_the_same() {
    let rows: Vec<serde_json::Value> = include_str!("../../../pkg/bench/fleet-sizes.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for size in [100, 300] {
        let fleet = run(size, 1.0, false);
        let row = rows.iter().find(|row| row["size"] == size && row["rate"] == 1).unwrap();
        let a_second = |sum: u64| sum as f64 / fleet.steady_seconds as f64;
        for (name, ours, share) in [
            ("wasted", wasted_each(&fleet), 0.25),
            ("knownP50", Outcomes::at(&fleet.known, 0.5) as f64, 0.25),
            ("knownP99", Outcomes::at(&fleet.known, 0.99) as f64, 0.25),
            ("syncsPerFleet", a_second(fleet.steady_syncs), 0.1),
            ("bytesPerFleet", a_second(fleet.steady_bytes), 0.1),
        ] {
            let theirs = row[name].as_f64().unwrap();
            let differs = (ours - theirs).abs() / theirs;
            assert!(differs <= share, "{name} of {size} processes: {ours}, the package has {theirs}");
        }
    }
}
