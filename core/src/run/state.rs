//! A run as a text: LEB128 numbers in base64url (RFC 4648 §5, without padding). The numbers of a run are hashes and counts.

use super::advice::{LoopKind, Reason};
use super::climb::{Climb, Found};
use super::config::{Limit, RunConfig, Rung};
use super::machine::Run;
use super::rows::{Made, Past, Rows, Step, ToolRow};
use super::seen::{Entry, Seen};
use crate::code::Code;
use crate::invariant::Always;

impl Run {
    /// All that the run knows but its options, as a text for [`restore`](Self::restore).
    #[must_use]
    pub fn state(&self) -> String {
        write(&mut self.clone()).always()
    }

    /// The run that `state` was taken of, under these options.
    ///
    /// # Errors
    ///
    /// The text does not come from [`state`](Self::state).
    pub fn restore(state: &str, config: RunConfig) -> Result<Self, StateError> {
        let mut run = Self::new(config);
        read(state, &mut run)?;
        Ok(run)
    }
}

/// A text that is no state of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("snapshot.state: expected the state of a run, as snapshot() gives it")]
pub struct StateError;

/// The first number: rises when the layout changes.
const LAYOUT: u64 = 2;

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Writes numbers, or reads them into the same places: one function says the layout for both.
enum Io {
    Write(Vec<u8>),
    Read(std::vec::IntoIter<u8>),
}

type Done = Result<(), StateError>;

impl Io {
    fn number(&mut self, number: &mut u64) -> Done {
        match self {
            Self::Write(bytes) => {
                let mut rest = *number;
                while rest >= 0x80 {
                    bytes.push(rest as u8 | 0x80);
                    rest >>= 7;
                }
                bytes.push(rest as u8);
            }
            Self::Read(bytes) => {
                *number = 0;
                for shift in (0..64).step_by(7) {
                    let byte = bytes.next().ok_or(StateError)?;
                    *number |= u64::from(byte & 0x7f) << shift;
                    if byte & 0x80 == 0 {
                        return Ok(());
                    }
                }
                return Err(StateError);
            }
        }
        Ok(())
    }

    fn small(&mut self, number: &mut u32) -> Done {
        let mut wide = u64::from(*number);
        self.number(&mut wide)?;
        *number = u32::try_from(wide).map_err(|_| StateError)?;
        Ok(())
    }

    fn flag(&mut self, flag: &mut bool) -> Done {
        let mut number = u32::from(*flag);
        self.small(&mut number)?;
        *flag = number == 1;
        Ok(())
    }

    fn float(&mut self, float: &mut f64) -> Done {
        // Whole numbers end in zeros: turned around, they are short.
        let mut bits = float.to_bits().swap_bytes();
        self.number(&mut bits)?;
        *float = f64::from_bits(bits.swap_bytes());
        if float.is_nan() { Err(StateError) } else { Ok(()) }
    }

    fn list<T: Default + Clone>(
        &mut self,
        items: &mut Vec<T>,
        each: impl Fn(&mut Self, &mut T) -> Done,
    ) -> Done {
        let mut length = items.len() as u32;
        self.small(&mut length)?;
        if let Self::Read(bytes) = self {
            // Each item takes a byte at least.
            if length as usize > bytes.len() {
                return Err(StateError);
            }
            items.resize(length as usize, T::default());
        }
        items.iter_mut().try_for_each(|item| each(self, item))
    }

    /// A value that may be missing, by its number from 0.
    fn maybe<T: Copy>(
        &mut self,
        value: &mut Option<T>,
        number_of: impl Fn(T) -> u64,
        of: impl Fn(u64) -> Option<T>,
    ) -> Done {
        let mut number = value.map_or(0, |value| number_of(value).saturating_add(1));
        self.number(&mut number)?;
        *value = match number.checked_sub(1) {
            None => None,
            Some(number) => Some(of(number).ok_or(StateError)?),
        };
        Ok(())
    }

    fn code(&mut self, code: &mut Option<Code>) -> Done {
        self.maybe(code, |code| code.index().into(), |number| Code::from_index(u8::try_from(number).ok()?))
    }

    fn tool(&mut self, tool: &mut Option<u32>) -> Done {
        self.maybe(tool, u64::from, |number| u32::try_from(number).ok())
    }

    fn reason(&mut self, reason: &mut Option<Reason>) -> Done {
        let mut form = match reason {
            None => 0,
            Some(Reason::Loop { .. }) => 1,
            Some(Reason::Limit { .. }) => 2,
        };
        self.small(&mut form)?;
        let (mut kind, mut tool, mut count, mut code) = (None, None, 0, None);
        let (mut limit, mut max, mut spent) = (None, 0.0, 0.0);
        match *reason {
            Some(Reason::Loop { kind: a, tool: b, count: c, code: d }) => {
                (kind, tool, count, code) = (Some(a), b, c, d)
            }
            Some(Reason::Limit { limit: a, max: b, spent: c }) => (limit, max, spent) = (Some(a), b, c),
            None => {}
        }
        *reason = match form {
            0 => None,
            1 => {
                self.maybe(&mut kind, |kind| kind as u64, |number| nth(&LoopKind::ALL, number))?;
                self.tool(&mut tool)?;
                self.small(&mut count)?;
                self.code(&mut code)?;
                Some(Reason::Loop { kind: kind.ok_or(StateError)?, tool, count, code })
            }
            _ => {
                self.maybe(&mut limit, |limit| limit as u64, |number| nth(&Limit::ALL, number))?;
                self.float(&mut max)?;
                self.float(&mut spent)?;
                Some(Reason::Limit { limit: limit.ok_or(StateError)?, max, spent })
            }
        };
        Ok(())
    }
}

fn nth<T: Copy>(all: &[T], number: u64) -> Option<T> {
    all.get(usize::try_from(number).ok()?).copied()
}

fn pair(io: &mut Io, (wide, small): &mut (u64, u32)) -> Done {
    io.number(wide)?;
    io.small(small)
}

fn run(io: &mut Io, run: &mut Run) -> Done {
    let mut layout = LAYOUT;
    io.number(&mut layout)?;
    if layout != LAYOUT {
        return Err(StateError);
    }
    let spent = &mut run.spent;
    for number in [
        &mut spent.steps,
        &mut spent.tool_calls,
        &mut spent.input_tokens,
        &mut spent.cached_input_tokens,
        &mut spent.output_tokens,
        &mut spent.cost,
    ] {
        io.float(number)?;
    }
    seen(io, &mut run.seen)?;
    rows(io, &mut run.rows)?;
    step(io, &mut run.step)?;
    climb(io, &mut run.before)?;
    climb(io, &mut run.climb)?;
    io.number(&mut run.text)?;
    for number in [&mut run.texts, &mut run.warned, &mut run.said, &mut run.said_of_limits, &mut run.repeated]
    {
        io.small(number)?;
    }
    io.flag(&mut run.has_steps)?;
    io.flag(&mut run.is_over_calls)?;
    io.reason(&mut run.stopped)
}

fn seen(io: &mut Io, seen: &mut Seen) -> Done {
    let mut entries: Vec<Entry> = seen.latest().collect();
    io.list(&mut entries, |io, entry| {
        io.number(&mut entry.outcome)?;
        io.small(&mut entry.key)?;
        io.small(&mut entry.failure)
    })?;
    *seen = Seen::default();
    entries.iter().rev().for_each(|entry| seen.push(*entry));
    Ok(())
}

fn rows(io: &mut Io, rows: &mut Rows) -> Done {
    for Past { hash, entries } in &mut rows.past {
        io.number(hash)?;
        io.small(entries)?;
    }
    for number in rows.periods.iter_mut().chain([
        &mut rows.repeats,
        &mut rows.stale,
        &mut rows.stale_entries,
        &mut rows.news,
    ]) {
        io.small(number)?;
    }
    io.list(&mut rows.tools, |io, ToolRow { tool, code, failures, nothing, news }| {
        io.small(tool)?;
        io.code(code)?;
        io.small(failures)?;
        io.small(nothing)?;
        io.small(news)
    })?;
    io.list(&mut rows.outcomes, pair)
}

fn step(io: &mut Io, step: &mut Step) -> Done {
    io.list(&mut step.made, |io, made| {
        let Made { outcome, tool, key, code, is_nothing, counts, is_new, is_progress } = made;
        io.number(outcome)?;
        io.small(tool)?;
        io.small(key)?;
        io.code(code)?;
        [is_nothing, counts, is_new, is_progress].into_iter().try_for_each(|flag| io.flag(flag))
    })?;
    io.number(&mut step.hash)?;
    io.small(&mut step.entries)?;
    io.list(&mut step.refusals, Io::number)?;
    io.flag(&mut step.is_refused)?;
    let mut has_text = step.text.is_some();
    io.flag(&mut has_text)?;
    let mut text = step.text.unwrap_or_default();
    io.number(&mut text)?;
    step.text = has_text.then_some(text);
    Ok(())
}

fn climb(io: &mut Io, climb: &mut Climb) -> Done {
    let mut found: Vec<Found> = climb.found.take().into_iter().collect();
    io.list(&mut found, |io, Found { kind, tool, count, code, period, members }| {
        let mut number = Some(*kind);
        io.maybe(&mut number, |kind| kind as u64, |number| nth(&LoopKind::ALL, number))?;
        *kind = number.ok_or(StateError)?;
        io.tool(tool)?;
        io.small(count)?;
        io.code(code)?;
        io.small(period)?;
        io.list(members, pair)
    })?;
    climb.found = found.pop();
    io.small(&mut climb.next)?;
    io.maybe(&mut climb.due, |rung| rung as u64, |number| nth(&Rung::ALL, number))?;
    io.flag(&mut climb.refuses)?;
    io.flag(&mut climb.took)?;
    io.reason(&mut climb.concluded)
}

/// Writes a run, which stays as it is.
fn write(of: &mut Run) -> Result<String, StateError> {
    let mut io = Io::Write(Vec::new());
    run(&mut io, of)?;
    let Io::Write(bytes) = io else { return Err(StateError) };
    let mut text = String::with_capacity(bytes.len() * 4 / 3 + 3);
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..=chunk.len() {
            let digit = (bits >> (18 - 6 * place)) & 63;
            text.push(DIGITS.get(digit as usize).copied().unwrap_or_default().into());
        }
    }
    Ok(text)
}

/// Reads what [`write`] has written into a run that is new.
fn read(text: &str, into: &mut Run) -> Done {
    let mut bytes = Vec::with_capacity(text.len());
    let (mut bits, mut held) = (0_u32, 0);
    for digit in text.bytes() {
        let value = DIGITS.iter().position(|one| *one == digit).ok_or(StateError)?;
        bits = bits << 6 | value as u32;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    let mut io = Io::Read(bytes.into_iter());
    run(&mut io, into)?;
    match io {
        Io::Read(rest) if rest.len() == 0 => Ok(()),
        _ => Err(StateError),
    }
}
