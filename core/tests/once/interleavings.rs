//! Model checking: every order in which three processes, their messages, their deaths and time can interleave, up to a
//! number of each. Breadth first, so that the history of a breach is a shortest one.

use crate::world::{Bounds, Happens, Without, World};
use std::collections::{HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// How many worlds were reached, how many were ends, and the first breach with its history.
struct Search {
    worlds: usize,
    ends_with_an_act: usize,
    breach: Option<(&'static str, Vec<Happens>)>,
}

fn search(bounds: Bounds, without: Without) -> Search {
    let first = World::new(bounds, without);
    let mut seen = HashSet::from([hash(&first)]);
    let mut order: Vec<Option<(usize, Happens)>> = vec![None];
    let mut open = VecDeque::from([(first, 0)]);
    let mut ends_with_an_act = 0;
    while let Some((world, place)) = open.pop_front() {
        if let Some(what) = world.breach() {
            let mut history = Vec::new();
            let mut at = place;
            while let Some((before, happens)) = order[at] {
                history.insert(0, happens);
                at = before;
            }
            return Search { worlds: order.len(), ends_with_an_act, breach: Some((what, history)) };
        }
        if world.is_over() && world.happened() == 1 {
            ends_with_an_act += 1;
        }
        let choices = world.choices();
        assert!(!choices.is_empty() || world.is_over(), "stuck: {world:?}");
        for happens in choices {
            let after = world.after(happens);
            if !seen.insert(hash(&after)) {
                continue;
            }
            order.push(Some((place, happens)));
            open.push_back((after, order.len() - 1));
        }
    }
    Search { worlds: order.len(), ends_with_an_act, breach: None }
}

/// A world's name: the worlds themselves would take gigabytes.
fn hash(world: &World) -> u64 {
    let mut hasher = DefaultHasher::new();
    world.hash(&mut hasher);
    hasher.finish()
}

fn holds(bounds: Bounds) {
    let Search { worlds, ends_with_an_act, breach } = search(bounds, Without::Nothing);
    println!("{bounds:?}: {worlds} worlds, {ends_with_an_act} ends with one act");
    assert!(breach.is_none(), "{breach:?}");
    assert!(ends_with_an_act > 0 && worlds > 10_000, "{worlds} worlds: too few to show anything");
}

#[test]
fn three_processes_act_once_in_every_order() {
    holds(Bounds { processes: 3, ticks: 2, losses: 0, deaths: 0, claims: 1 });
}

#[test]
fn two_processes_act_once_whatever_is_lost_and_whoever_dies() {
    holds(Bounds { processes: 2, ticks: 3, losses: 1, deaths: 1, claims: 1 });
}

#[test]
fn the_checker_finds_each_rule_that_is_left_out() {
    let bounds = Bounds { processes: 2, ticks: 4, losses: 1, deaths: 0, claims: 2 };
    for without in
        [Without::LeaseCheck, Without::Versions, Without::Verification, Without::Patience, Without::Owners]
    {
        let Search { worlds, breach, .. } = search(bounds, without);
        let (what, history) =
            breach.unwrap_or_else(|| panic!("without {without:?}: {worlds} worlds, no breach"));
        println!("without {without:?}: {what}, after {history:?}");
    }
}
