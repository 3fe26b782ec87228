//! Random worlds above the bound of the exhaustive search, and the laws of single inputs.

use crate::world::{Bounds, Without, World};
use halfopen::once::{Input, Owner, Record, Refusal, State, Step, next, step};
use proptest::prelude::*;

fn owners() -> impl Strategy<Value = Owner> {
    (1..4u64).prop_map(Owner)
}

fn states() -> impl Strategy<Value = State> {
    let times = (0..100u64, 0..100u64);
    prop_oneof![
        (owners(), times).prop_map(|(owner, (since, lease))| State::Running {
            owner,
            since,
            until: since + lease
        }),
        (proptest::option::of(owners()), 0..100u64)
            .prop_map(|(owner, since)| State::Unknown { owner, since }),
        Just(State::Failed),
        Just(State::Done),
    ]
}

fn records() -> impl Strategy<Value = Option<Record>> {
    proptest::option::of((0..3u32, states()).prop_map(|(attempts, state)| Record { attempts, state }))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn five_processes_that_lose_much_act_once(choices in proptest::collection::vec(any::<u16>(), 300)) {
        let bounds = Bounds { processes: 5, ticks: 20, losses: 10, deaths: 4, claims: 3 };
        let mut world = World::new(bounds, Without::Nothing);
        for choice in choices {
            let all = world.choices();
            if all.is_empty() {
                break;
            }
            world = world.after(all[usize::from(choice) % all.len()]);
            prop_assert_eq!(world.breach(), None);
        }
    }

    #[test]
    fn only_what_surely_did_not_happen_is_claimed(record in records(), owner in owners(), now in 0..250u64) {
        let claimed = next(record.as_ref(), Input::Claim { owner, lease: 10 }, now);
        let is_free = matches!(record.map(|record| record.state), None | Some(State::Failed));
        prop_assert_eq!(claimed.is_ok(), is_free);
        prop_assert_eq!(step(record.as_ref(), owner, now) == Step::Claim, is_free);
        if let Ok(claimed) = claimed {
            prop_assert_eq!(claimed.attempts, record.map_or(0, |record| record.attempts) + 1);
            prop_assert_eq!(step(Some(&claimed), owner, now + 9), Step::Act);
            prop_assert_eq!(step(Some(&claimed), Owner(9), now + 4), Step::Wait { left: 6 });
            prop_assert_eq!(step(Some(&claimed), owner, now + 10), Step::Verify);
        }
    }

    #[test]
    fn what_is_done_stays_done(attempts in 0..3u32, owner in owners(), now in 0..250u64, happened in any::<bool>()) {
        let done = Record { attempts, state: State::Done };
        for input in [
            Input::Claim { owner, lease: 10 },
            Input::Renew { owner, lease: 10 },
            Input::Failed { owner },
            Input::Unknown { owner },
            Input::Verified(Some(happened)),
            Input::Settled(happened),
        ] {
            prop_assert!(next(Some(&done), input, now).is_err());
        }
    }

    #[test]
    fn a_later_claim_is_safe_from_an_earlier_one(record in records(), now in 0..250u64, lease in 0..100u64) {
        let (late, own) = (Owner(8), Owner(9));
        if let Ok(claimed) = next(record.as_ref(), Input::Claim { owner: own, lease }, now) {
            for input in [
                Input::Done { owner: late },
                Input::Failed { owner: late },
                Input::Unknown { owner: late },
                Input::Renew { owner: late, lease },
            ] {
                prop_assert_eq!(next(Some(&claimed), input, now), Err(Refusal::Lost));
            }
        }
    }
}
