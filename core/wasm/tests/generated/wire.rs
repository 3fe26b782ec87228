//! `pkg/src/core/wire.ts`: the numbers that cross, by the names that both sides have for them.

use crate::{bracketed, check, documented, strings};
use halfopen::policy::{Because, BreakerScope, BreakerState, DelaySource, JitterKind, Layer, Why};
use halfopen::{ErrorType, Severity};
use halfopen_lab::{ROW, call_ended, failed, row, row_control, run_row};
use halfopen_wasm::wire::{
    Number, RETRY_ON_TYPES, breaker_option, control, end, flag, fleet_delta, fleet_limit, fleet_view, needs,
    outcome, packed, policy_option, rate_limit_option, record, retry_option, slot, snapshot, step,
};

/// Sets of numbers, in the order of the file.
const SETS: [(&str, &[Number]); 8] = [
    (
        "A packed step, which every input of a call returns: the call's handle, what else there is to do, and the step.",
        packed::ALL,
    ),
    ("Steps.", step::ALL),
    ("Slots of the shared buffer, which has what a step says beside its number.", slot::ALL),
    ("Flags of a failed attempt.", flag::ALL),
    ("How the call of a permit ended.", outcome::ALL),
    ("How a response ended that had begun well.", end::ALL),
    ("The actions of `breakerControl`.", control::ALL),
    ("The bits of `policyNeeds`: measurements that every call needs.", needs::ALL),
];

/// The same of the rows of a recorded log: a file of its own, which has names that the other has too.
const ROWS: [(&str, &[Number]); 5] = [
    ("Kinds of rows.", row::ALL),
    ("Flags of an attempt that failed.", failed::ALL),
    ("The values of a row of the kind `CONTROL`.", row_control::ALL),
    ("How a call ended.", call_ended::ALL),
    ("Kinds of rows of runs.", run_row::ALL),
];

fn numbers(title: &str, numbers: &[Number]) -> String {
    let rows = numbers
        .iter()
        .map(|Number { name, number, about }| documented(about, &format!("export const {name} = {number};")));
    format!("// {title}\n\n{}\n", rows.collect::<String>())
}

fn records() -> String {
    let rows = record::ALL.iter().map(|record| {
        let fields = record.fields.iter().enumerate().map(|(place, field)| format!("{field}: {place}"));
        let items: Vec<String> = [format!("kind: {}", record.kind)].into_iter().chain(fields).collect();
        let head = format!("export const {} = ", record.name);
        documented(record.about, &bracketed(&head, ["{", "}"], &items, " as const;"))
    });
    let title = "// Kinds of records: the number of each, and the places of its numbers in a row.";
    format!("{title}\n\n{}", rows.collect::<String>())
}

fn options() -> String {
    let list = |about: &str, name: &str, names: &[&'static str]| {
        documented(about, &strings(name, names.iter().copied()))
    };
    [
        "// Options, in the order in which they cross as numbers; NaN stands for \"not given\".\n\n".into(),
        list(
            "Of retries: `jitter` is a share, or minus its number in `JITTERS`; `retryOn` is a sum of 2 ** n, where \
                n is the number of a code, or `RETRY_ON_TYPES` and that of a type.",
            "RETRY_OPTIONS",
            retry_option::NAMES,
        ),
        documented(
            "Where the types begin in `retryOn`.",
            &format!("export const RETRY_ON_TYPES = {RETRY_ON_TYPES};"),
        ),
        list(
            "Of a policy, after those of its retries; `breakerScope` is a number of `BREAKER_SCOPES`; `adaptive` is a flag, before its options.",
            "POLICY_OPTIONS",
            policy_option::NAMES,
        ),
        list(
            "Of each rate limit of a policy, one after the other behind those; `ofTokens` is 1 where it counts tokens.",
            "RATE_LIMIT_OPTIONS",
            rate_limit_option::NAMES,
        ),
        list(
            "Of a breaker. A window has `windowSize` or `windowMs`; with `throttle`, a flag, it throttles.",
            "BREAKER_OPTIONS",
            breaker_option::NAMES,
        ),
        list(
            "A breaker's snapshot, before the numbers of its window; `state` is a number of `STATES`, `windowLength` \
                is NaN without a window, the last two without a throttle.",
            "SNAPSHOT",
            snapshot::NAMES,
        ),
        list(
            "A delta of a fleet, before those of its limits; `kind` is 0 for a report, 1 it leaves, 2 isolate, 3 lift.",
            "FLEET_DELTA",
            fleet_delta::NAMES,
        ),
        list("Of each limit of a delta.", "FLEET_LIMIT", fleet_limit::NAMES),
        list(
            "A view of a fleet, before granted, limit, window, of tokens, used and reset of each limit; `state` is a number of `STATES`.",
            "FLEET_VIEW",
            fleet_view::NAMES,
        ),
    ]
    .concat()
}

/// Two names of a list that the TypeScript names by itself.
fn named(prefix: &str, of: Why) -> String {
    let name = of.as_str().replace('-', "_").to_uppercase();
    format!("export const {prefix}_{name} = {};\n", of as u8)
}

fn lists() -> String {
    [
        documented("Reasons for giving up, by their numbers.", &strings("WHY", Why::ALL.map(Why::as_str))),
        named("WHY", Why::NotRetryable),
        named("WHY", Why::Deadline),
        documented(
            "The layers that refuse a call or make it wait, by their numbers.",
            &strings("LAYERS", Layer::ALL.map(Layer::as_str)),
        ),
        documented(
            "The reasons for a change of an adaptive limit, by their numbers.",
            &strings("LIMIT_REASONS", Because::ALL.map(Because::as_str)),
        ),
        documented(
            "States of a breaker, by their numbers.",
            &strings("STATES", BreakerState::ALL.map(BreakerState::as_str)),
        ),
        documented("The state of a breaker.", "export type BreakerState = (typeof STATES)[number];"),
        documented(
            "Kinds of jitter, by their numbers.",
            &strings("JITTERS", JitterKind::ALL.map(JitterKind::as_str)),
        ),
        documented(
            "The units that a breaker counts as one result, by their numbers.",
            &strings("BREAKER_SCOPES", BreakerScope::ALL.map(BreakerScope::as_str)),
        ),
        documented(
            "Coarse kinds of errors, by their numbers.",
            &strings("ERROR_TYPES", ErrorType::ALL.map(ErrorType::as_str)),
        ),
        documented(
            "Where the delay of a retry comes from, by their numbers.",
            &strings("DELAY_SOURCES", DelaySource::ALL.map(DelaySource::as_str)),
        ),
        documented(
            "An orchestrator's reactions to an error, by their numbers.",
            &strings("SEVERITIES", Severity::ALL.map(Severity::as_str)),
        ),
    ]
    .concat()
}

#[test]
fn the_numbers_that_cross_are_the_cores() {
    let sets: String = SETS.iter().map(|(title, set)| numbers(title, set)).collect();
    let body = format!("{sets}{}\n{}\n// Names by their numbers.\n\n{}", records(), options(), lists());
    check("pkg/src/core/wire.ts", "The numbers that cross between the driver and the core.", &body);
}

#[test]
fn the_rows_of_a_log_are_the_cores() {
    let sets: String = ROWS.iter().map(|(title, set)| numbers(title, set)).collect();
    let width = documented("How many numbers a row has.", &format!("export const WIDTH = {ROW};"));
    let about = "A recorded log as rows of numbers for the core.";
    check("pkg/src/lab/rows.ts", about, &format!("{sets}{width}"));
}

/// The numbers of enums are their places in the lists that JavaScript gets.
#[test]
fn every_list_is_in_the_order_of_its_numbers() {
    fn in_order(numbers: impl IntoIterator<Item = u8>) {
        for (place, number) in numbers.into_iter().enumerate() {
            assert_eq!(usize::from(number), place);
        }
    }
    in_order(Why::ALL.map(|why| why as u8));
    in_order(Layer::ALL.map(|layer| layer as u8));
    in_order(Because::ALL.map(|because| because as u8));
    in_order(BreakerState::ALL.map(|state| state as u8));
    in_order(JitterKind::ALL.map(|kind| kind as u8));
    in_order(DelaySource::ALL.map(|source| source as u8));
    in_order(BreakerScope::ALL.map(|scope| scope as u8));
    in_order(ErrorType::ALL.map(|kind| kind as u8));
    in_order(Severity::ALL.map(|severity| severity as u8));
    in_order(record::ALL.iter().map(|record| record.kind));
}
