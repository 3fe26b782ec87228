//! Vocabularies: the codes and names of databases, queues, mail, browsers and systems, and what each of them means.
//!
//! A family is one published list. Its names are hashed at compile time, those of all families into one table, so a
//! name costs one look-up, however long the lists are, and three to four bytes. Sentences have a table of their own,
//! with a fourth byte that checks each match: a text has hundreds of runs of words, and no run may match a name by
//! chance. [`listed`](super::listed) decides what is read of a thrown value, and which of several names counts;
//! [`rules`](super::rules) turns an [`Outcome`] into a verdict.

mod database;
mod document;
mod family;
mod mail;
mod queue;
mod sent;
mod sentence;
mod system;

use super::token::{SEED, hash_onto};
pub(super) use family::Family;
pub(crate) use family::Outcome;
pub(super) use family::WORDING;
pub(super) use sent::{is_sender, sent_code, sent_rows};

/// All lists.
pub(super) const FAMILIES: &[&[Family]] = &[
    database::FAMILIES,
    document::FAMILIES,
    queue::FAMILIES,
    mail::FAMILIES,
    system::FAMILIES,
    sentence::FAMILIES,
];

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry(u8);

/// The highest bit, so that what is weak comes last among entries.
const WEAK: u8 = 0x80;
/// Two bits of the hash: the outcome needs only five.
const CHECK: u8 = 0x60;

impl Entry {
    /// The number of its [`Outcome`].
    pub(super) const fn outcome(self) -> u8 {
        self.0 & !WEAK
    }

    /// Returns `true` if a sentence beside it is more specific.
    pub(super) const fn is_weak(self) -> bool {
        self.0 & WEAK != 0
    }
}

/// Returns the meaning of the name with that hash, if a list has it. 30 bits are compared.
pub(super) fn look_up(hash: u32) -> Option<Entry> {
    NAMES.find(hash).map(|(_, entry)| entry)
}

/// Returns the meaning of the sentence with that hash and these words, if the list has it. 38 bits are compared.
pub(super) fn sentence<'w>(hash: u32, words: impl Iterator<Item = &'w [u8]>) -> Option<Entry> {
    let (place, entry) = SENTENCES.find(hash)?;
    let second = words.fold(SEED, second_onto);
    CHECKS.get(place).is_some_and(|check| *check == top(second)).then_some(entry)
}

impl<const COUNT: usize> Table<COUNT> {
    /// The entry of that hash, and its place among all.
    fn find(&self, hash: u32) -> Option<(usize, Entry)> {
        let bucket = bucket(hash);
        let count = usize::from(*self.counts.get(bucket)?);
        if count == 0 {
            return None;
        }
        let group = bucket / GROUP;
        let counts = self.counts.get(group * GROUP..bucket)?;
        let before: usize = counts.iter().map(|count| usize::from(*count)).sum();
        let from = usize::from(*self.groups.get(group)?) + before;
        let [low, high, ..] = hash.to_le_bytes();
        let entries = self.entries.get(from..from + count)?;
        let is_it = |[a, b, entry]: &[u8; 3]| [*a, *b, *entry & CHECK] == [low, high, check(hash)];
        let at = entries.iter().position(is_it)?;
        entries.get(at).map(|[.., entry]| (from + at, Entry(entry & !CHECK)))
    }
}

/// Returns `true` if a sentence may begin with the word that `hash` ends with. This skips three in four random words,
/// and with them most of the sentences that a text only seems to contain.
pub(super) fn may_begin(hash: u32) -> bool {
    let (byte, bit) = beginning(hash);
    BEGINNINGS.get(byte).is_some_and(|bits| bits & bit != 0)
}

/// The place of a first word among [`BEGINNINGS`].
const fn beginning(hash: u32) -> (usize, u8) {
    ((hash >> 23) as usize, 1 << ((hash >> 20) & 7))
}

/// Returns the bits of a hash that its entry contains.
#[expect(clippy::cast_possible_truncation, reason = "the bits of the mask")]
const fn check(hash: u32) -> u8 {
    (hash >> 11) as u8 & CHECK
}

/// A second hash, unlike the first, of the letters and digits of a sentence: it multiplies what it has turned (as FxHash).
const fn second_onto(mut hash: u32, bytes: &[u8]) -> u32 {
    let mut rest = bytes;
    while let Some((byte, behind)) = rest.split_first() {
        rest = behind;
        if byte.is_ascii_alphanumeric() {
            hash = (hash.rotate_left(5) ^ byte.to_ascii_lowercase() as u32).wrapping_mul(0x9e37_79b1);
        }
    }
    hash
}

/// The highest byte.
const fn top(hash: u32) -> u8 {
    hash.to_be_bytes()[0]
}

/// The highest twelve bits.
const fn bucket(hash: u32) -> usize {
    (hash >> 20) as usize
}

// ── packing, when the core is compiled ───────────────────────────────────────────────────────────────────────

/// More names than the lists have.
const ROOM: usize = 8000;
/// All lists but the last, which has the sentences.
const OF_NAMES: (&[&[Family]], &[&[Family]]) = FAMILIES.split_at(FAMILIES.len() - 1);
const LISTED: ([Listed; ROOM], usize) = listed(OF_NAMES.0);
const SAID: ([Listed; ROOM], usize) = listed(OF_NAMES.1);
/// Buckets whose first entry is found by one addition.
const GROUP: usize = 16;

/// A name, packed: its hash, its entry without the bits of the hash, its check.
type Listed = (u32, u8, u8);

/// Hashed names in buckets.
struct Table<const COUNT: usize> {
    /// The lower two bytes of each hash and its entry, in the order of the buckets.
    entries: [[u8; 3]; COUNT],
    /// How many entries each bucket has.
    counts: [u8; 4096],
    /// Where the entries of each group of buckets begin.
    groups: [u16; 4096 / GROUP],
}

static NAMES: Table<{ LISTED.1 }> = sorted(&LISTED.0).0;
const SORTED: (Table<{ SAID.1 }>, [u8; SAID.1]) = sorted(&SAID.0);
static SENTENCES: Table<{ SAID.1 }> = SORTED.0;
/// A byte of the second hash for each sentence.
static CHECKS: [u8; SAID.1] = SORTED.1;
/// A bit for each first word of a sentence.
static BEGINNINGS: [u8; 512] = beginnings();

#[expect(
    clippy::indexing_slicing,
    reason = "runs when the core is compiled: out of bounds is an error there"
)]
const fn listed(mut groups: &[&[Family]]) -> ([Listed; ROOM], usize) {
    let mut out = [(0, 0, 0); ROOM];
    let mut count = 0;
    while let Some((families, other_groups)) = groups.split_first() {
        groups = other_groups;
        let mut families = *families;
        while let Some((family, others)) = families.split_first() {
            families = others;
            let mut rows = family.rows;
            while let Some(((outcome, names), rest)) = rows.split_first() {
                rows = rest;
                let mut names = names.as_bytes();
                while !names.is_empty() {
                    let mut at = 0;
                    while at < names.len() && names[at] != b',' {
                        at += 1;
                    }
                    let (name, behind) = names.split_at(at);
                    names = if behind.is_empty() { behind } else { behind.split_at(1).1 };
                    let weak = if holds_tilde(name) { WEAK } else { 0 };
                    let hash = hash_onto(hash_onto(SEED, family.prefix.as_bytes()), name);
                    out[count] = (hash, *outcome as u8 | weak, top(second_onto(SEED, name)));
                    count += 1;
                }
            }
        }
    }
    (out, count)
}

#[expect(
    clippy::indexing_slicing,
    reason = "runs when the core is compiled: out of bounds is an error there"
)]
const fn beginnings() -> [u8; 512] {
    let mut out = [0; 512];
    let mut families = sentence::FAMILIES;
    while let Some((family, others)) = families.split_first() {
        families = others;
        let mut rows = family.rows;
        while let Some(((_, names), rest)) = rows.split_first() {
            rows = rest;
            let mut letters = names.as_bytes();
            let (mut begin, mut hash) = (true, hash_onto(SEED, family.prefix.as_bytes()));
            while let Some((letter, behind)) = letters.split_first() {
                letters = behind;
                if *letter == b',' {
                    (begin, hash) = (true, hash_onto(SEED, family.prefix.as_bytes()));
                } else if begin && letter.is_ascii_alphanumeric() {
                    hash = hash_onto(hash, &[*letter]);
                    let ends = match behind.first() {
                        Some(next) => matches!(*next, b' ' | b','),
                        None => true,
                    };
                    if ends {
                        let (byte, bit) = beginning(hash);
                        out[byte] |= bit;
                        begin = false;
                    }
                }
            }
        }
    }
    out
}

const fn holds_tilde(mut name: &[u8]) -> bool {
    while let Some((byte, rest)) = name.split_first() {
        if *byte == b'~' {
            return true;
        }
        name = rest;
    }
    false
}

#[expect(
    clippy::indexing_slicing,
    reason = "runs when the core is compiled: out of bounds is an error there"
)]
#[expect(clippy::cast_possible_truncation, reason = "the table has fewer than 65536 names")]
const fn sorted<const COUNT: usize>(listed: &[Listed]) -> (Table<COUNT>, [u8; COUNT]) {
    let mut counts = [0u8; 4096];
    let mut at = 0;
    while at < COUNT {
        counts[bucket(listed[at].0)] += 1;
        at += 1;
    }
    let (mut next, mut groups) = ([0usize; 4096], [0u16; 4096 / GROUP]);
    let (mut number, mut sum) = (0, 0);
    while number < 4096 {
        if number % GROUP == 0 {
            groups[number / GROUP] = sum as u16;
        }
        next[number] = sum;
        sum += counts[number] as usize;
        number += 1;
    }
    let (mut entries, mut checks) = ([[0; 3]; COUNT], [0; COUNT]);
    at = 0;
    while at < COUNT {
        let (hash, entry, second) = listed[at];
        let [low, high, ..] = hash.to_le_bytes();
        let place = next[bucket(hash)];
        entries[place] = [low, high, entry | check(hash)];
        checks[place] = second;
        next[bucket(hash)] += 1;
        at += 1;
    }
    (Table { entries, counts, groups }, checks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn names() -> impl Iterator<Item = (&'static Family, Outcome, &'static str)> {
        FAMILIES.iter().flat_map(|families| families.iter()).flat_map(|family| {
            family.rows.iter().flat_map(move |(outcome, names)| {
                names.split(',').map(move |name| (family, *outcome, name.trim()))
            })
        })
    }

    #[test]
    fn every_name_is_found_and_means_what_its_list_says() {
        for (family, outcome, name) in names() {
            let hash = hash_onto(hash_onto(SEED, family.prefix.as_bytes()), name.as_bytes());
            let entry = if family.prefix == "said" {
                sentence(hash, name.as_bytes().split(|byte| *byte == b' '))
            } else {
                look_up(hash)
            };
            assert_eq!(
                entry.map(|entry| (entry.outcome(), entry.is_weak())),
                Some((outcome as u8, name.contains('~'))),
                "{} {name}",
                family.about
            );
        }
    }

    #[test]
    fn a_packing_at_run_time_is_that_of_the_compiler() {
        let (names, sentences) = (listed(OF_NAMES.0), listed(OF_NAMES.1));
        assert!(names == LISTED && sentences == SAID);
        let (packed, _) = sorted::<{ LISTED.1 }>(&names.0);
        assert_eq!(
            (packed.entries, packed.counts, packed.groups),
            (NAMES.entries, NAMES.counts, NAMES.groups)
        );
        let (packed, checks) = sorted::<{ SAID.1 }>(&sentences.0);
        assert_eq!(
            (packed.entries, packed.counts, packed.groups, checks, beginnings()),
            (SENTENCES.entries, SENTENCES.counts, SENTENCES.groups, CHECKS, BEGINNINGS)
        );
    }

    #[test]
    fn no_name_stands_twice_and_none_is_empty() {
        let mut seen = HashMap::new();
        for (family, _, name) in names() {
            assert!(name.bytes().any(|byte| byte.is_ascii_alphanumeric()), "{}", family.about);
            let hash = hash_onto(hash_onto(SEED, family.prefix.as_bytes()), name.as_bytes());
            let other = seen.insert(hash, (family.about, name));
            assert_eq!(other, None, "{} {name}", family.about);
        }
    }

    #[test]
    fn every_list_has_a_source() {
        for family in FAMILIES.iter().flat_map(|families| families.iter()) {
            let followed = super::super::source_url(family.source).is_some();
            assert!(followed || family.source == WORDING, "{}", family.about);
        }
    }

    /// Numbers at random (splitmix64).
    fn random(mut state: u64) -> impl FnMut() -> u64 {
        move || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^ (mixed >> 31)
        }
    }

    #[test]
    fn of_half_a_million_sentences_of_english_words_none_says_what_no_list_has() {
        // The words come from the lists' sentences and from this crate's comments, in random order. A match must
        // therefore be a listed sentence.
        let listed: std::collections::HashSet<String> = names()
            .filter(|(family, ..)| family.prefix == "said")
            .map(|(.., name)| name.replace(['~', ' '], ""))
            .collect();
        let text =
            [include_str!("mod.rs"), include_str!("sentence.rs"), include_str!("../rules.rs")].concat();
        let mut words: Vec<&str> = text.split(|c: char| !c.is_ascii_lowercase()).collect();
        words.sort_unstable();
        words.dedup();
        words.retain(|word| word.len() > 1);
        assert!(words.len() > 1_500, "{}", words.len());
        let mut next = random(7);
        for _ in 0..500_000 {
            let run: Vec<&str> = (0..4).map(|_| words[next() as usize % words.len()]).collect();
            for count in 1..=4 {
                let run = &run[..count];
                let hash =
                    run.iter().fold(hash_onto(SEED, b"said"), |hash, word| hash_onto(hash, word.as_bytes()));
                if sentence(hash, run.iter().map(|word| word.as_bytes())).is_some() {
                    assert!(listed.contains(&run.concat()), "{run:?}");
                }
            }
        }
    }

    #[test]
    fn of_texts_that_no_list_has_none_seems_to_say_something() {
        // Words of consonants at random, as long as a sentence is read: whatever they are found to say is false.
        let mut next = random(7);
        let mut word = || -> Vec<u8> {
            let letters = next();
            (0..7).map(|at| b"bcdfghjklmnpqrstvwxz"[(letters >> (8 * at)) as usize % 20]).collect()
        };
        let found = (0..50_000).filter(|_| {
            let words: Vec<Vec<u8>> = (0..28).map(|_| word()).collect();
            super::super::listed::said(words.iter().map(Vec::as_slice), false).is_some()
        });
        assert_eq!(found.count(), 0);
    }

    #[test]
    fn names_outside_the_lists_are_not_found() {
        for name in ["", "Error", "frob", "E", "UNKNOWN", "already"] {
            assert_eq!(look_up(hash_onto(SEED, name.as_bytes())), None, "{name}");
        }
    }
}
