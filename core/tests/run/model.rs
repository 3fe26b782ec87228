//! A model of the rules that remembers the whole history and reads every row from it. The machine, which remembers little, says the
//! same under every ladder and every subset of the kinds of loops.

use super::*;
use halfopen::run::Loops;
use proptest::prelude::*;

/// An agent's action in one step: calls (a tool, an argument, a result) or a text.
#[derive(Clone, Debug)]
enum Act {
    Calls(Vec<(u32, u32, Result)>),
    Text(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Result {
    Value(u64),
    Nothing,
    Fails(Code),
}

type Made = (u32, u32, Result);

#[derive(Clone, Debug, PartialEq)]
struct Found {
    kind: LoopKind,
    count: u32,
    /// Outcomes of repeats and cycles; calls of stale steps; the tool of failures and nothing; the text.
    members: Vec<Made>,
    tool: u32,
    code: Option<Code>,
    text: u64,
}

struct Model {
    loops: Loops,
    ladder: Vec<Rung>,
    /// The outcomes of steps that are over, each once.
    steps: Vec<Vec<Made>>,
    /// The model's texts in steps without calls, and `None` for calls.
    texts: Vec<Option<u64>>,
    found: Option<Found>,
    tried: usize,
    due: Option<Rung>,
    refuses: bool,
    concluded: bool,
}

impl Model {
    fn step(&mut self) -> &'static str {
        if self.concluded && self.ladder.contains(&Rung::Stop) {
            return "stop";
        }
        match self.due {
            None | Some(Rung::Refuse) => "go",
            Some(rung) => {
                self.due = None;
                self.concluded |= rung == Rung::Conclude;
                match rung {
                    Rung::Steer => "steer",
                    Rung::Escalate => "escalate",
                    Rung::Conclude => "conclude",
                    _ => "stop",
                }
            }
        }
    }

    /// Plays the step: which of its calls are refused, and what that and the results lead to.
    fn play(&mut self, act: &Act) -> Vec<bool> {
        match act {
            Act::Text(text) => {
                self.texts.push(Some(*text));
                let count = self.texts.iter().rev().take_while(|one| **one == Some(*text)).count() as u32;
                let goes_on =
                    self.found.as_ref().is_some_and(|f| f.kind == LoopKind::Texts && f.text == *text);
                let noticed = (count >= self.loops.texts)
                    .then(|| found(LoopKind::Texts, count, vec![], 0, None, *text));
                self.climb(goes_on, noticed, false, &[]);
                vec![]
            }
            Act::Calls(calls) => {
                self.texts.push(None);
                let is_refused = |(tool, argument, _): &Made| {
                    self.concluded
                        || self.refuses
                            && self.found.as_ref().is_some_and(|f| match f.kind {
                                LoopKind::Failures => f.tool == *tool,
                                LoopKind::Nothing | LoopKind::Texts => false,
                                _ => f.members.iter().any(|(t, a, _)| (t, a) == (tool, argument)),
                            })
                };
                let refused: Vec<bool> = calls.iter().map(is_refused).collect();
                if refused.contains(&true) && !self.concluded && self.due == Some(Rung::Refuse) {
                    self.due = None;
                }
                let mut made: Vec<Made> = Vec::new();
                for (call, is_refused) in calls.iter().zip(&refused) {
                    if !is_refused && !made.contains(call) {
                        made.push(*call);
                    }
                }
                let any_refused = refused.contains(&true) && !self.concluded;
                self.judge(made, any_refused);
                refused
            }
        }
    }

    fn judge(&mut self, made: Vec<Made>, any_refused: bool) {
        if made.is_empty() {
            self.climb(false, None, any_refused, &[]);
            return;
        }
        let is_new = |one: &Made| !self.steps.iter().flatten().any(|old| old == one);
        let stale = !made.iter().any(is_new);
        let fresh: Vec<Made> = made
            .iter()
            .filter(|one| match one.2 {
                Result::Fails(code) => {
                    is_new(one)
                        && !self
                            .steps
                            .iter()
                            .flatten()
                            .any(|old| old.0 == one.0 && old.2 == Result::Fails(code))
                }
                _ => is_new(one),
            })
            .copied()
            .collect();
        self.steps.push(made.clone());
        let noticed = self.notice(&made, stale);
        let goes_on = self.found.as_ref().is_some_and(|f| match f.kind {
            LoopKind::Stale => stale,
            _ => made.iter().any(|one| is_part(f, one)),
        });
        self.climb_with(goes_on, noticed, any_refused, &fresh, stale, &made);
    }

    fn notice(&self, made: &[Made], stale: bool) -> Option<Found> {
        let same = |a: &[Made], b: &[Made]| a.len() == b.len() && a.iter().all(|one| b.contains(one));
        let back = |n: usize| self.steps.len().checked_sub(n + 1).map(|at| &self.steps[at]);
        let repeats = self.steps.iter().rev().take_while(|step| same(step, made)).count() as u32;
        if repeats >= self.loops.repeats {
            return Some(found(LoopKind::Repeats, repeats, made.to_vec(), 0, None, 0));
        }
        for one in made {
            let of_tool = self.steps.iter().rev().filter_map(|step| {
                let calls: Vec<_> = step.iter().filter(|old| old.0 == one.0).collect();
                (!calls.is_empty()).then_some(calls)
            });
            let count = of_tool.take_while(|calls| calls.iter().all(|old| old.2 == one.2)).count() as u32;
            if let Result::Fails(code) = one.2
                && count >= self.loops.failures
            {
                return Some(found(LoopKind::Failures, count, vec![], one.0, Some(code), 0));
            }
        }
        for period in 2..=5 {
            let mut row = 0;
            while let (Some(a), Some(b)) = (back(row), back(row + period))
                && same(a, b)
            {
                row += 1;
            }
            let rounds = (row / period) as u32 + 1;
            let members: Vec<_> = (0..period).filter_map(back).collect();
            if members.len() == period
                && rounds >= self.loops.cycles
                && members.iter().any(|step| !same(step, made))
            {
                let members = members.into_iter().flatten().copied().collect();
                return Some(found(LoopKind::Cycles, rounds, members, period as u32, None, 0));
            }
        }
        if stale {
            let mut row = 0;
            while let Some(step) = back(row)
                && let before = &self.steps[..self.steps.len() - 1 - row]
                && step.iter().all(|one| before.iter().flatten().any(|old| old == one))
            {
                row += 1;
            }
            if row as u32 >= self.loops.stale {
                let members = self.steps.iter().rev().take(row).flatten().copied().collect();
                return Some(found(LoopKind::Stale, row as u32, members, 0, None, 0));
            }
        }
        for one in made {
            let (mut count, mut has_news) = (0, false);
            for (at, step) in self.steps.iter().enumerate() {
                let before = || self.steps.iter().take(at).flatten();
                let is_new = |one: &Made| !before().any(|old| old == one);
                let is_news = |one: &&Made| match one.2 {
                    Result::Fails(_) => !before().any(|old| (old.0, old.2) == (one.0, one.2)),
                    Result::Nothing => false,
                    Result::Value(_) => is_new(one),
                };
                has_news |= step.iter().any(|one| is_news(&one));
                let calls: Vec<_> = step.iter().filter(|old| old.0 == one.0).collect();
                if calls.iter().any(|old| old.2 != Result::Nothing) {
                    count = 0;
                } else {
                    count += calls.iter().filter(|old| is_new(old) || !has_news).count() as u32;
                }
                has_news &= calls.is_empty();
            }
            if count >= self.loops.nothing {
                return Some(found(LoopKind::Nothing, count, vec![], one.0, None, 0));
            }
        }
        None
    }

    fn climb(&mut self, goes_on: bool, noticed: Option<Found>, any_refused: bool, fresh: &[Made]) {
        self.climb_with(goes_on, noticed, any_refused, fresh, false, &[]);
    }

    fn climb_with(
        &mut self,
        mut goes_on: bool,
        noticed: Option<Found>,
        mut any_refused: bool,
        fresh: &[Made],
        stale: bool,
        made: &[Made],
    ) {
        if self.concluded {
            return;
        }
        let parts: Vec<&Found> = self.found.iter().chain(&noticed).collect();
        let is_progress = fresh.iter().any(|one| !parts.iter().any(|f| is_part(f, one)));
        if is_progress {
            (self.found, self.tried, self.due, self.refuses) = (None, 0, None, false);
            (goes_on, any_refused) = (false, false);
        }
        let is_weak = |f: &Found| f.kind == LoopKind::Nothing;
        let stays = goes_on
            && self.found.as_ref().is_some_and(|f| !is_weak(f) || noticed.as_ref().is_none_or(is_weak));
        if stays {
            if let Some(f) = &mut self.found
                && f.kind == LoopKind::Stale
                && stale
            {
                f.members.extend(made);
            }
        } else if let Some(noticed) = noticed {
            if self.due == Some(Rung::Refuse) && matches!(noticed.kind, LoopKind::Nothing | LoopKind::Texts) {
                self.due = None;
            }
            self.found = Some(noticed);
        } else if !any_refused {
            return;
        }
        let Some(f) = &self.found else { return };
        if self.due.is_some() {
            return;
        }
        let fits = |rung: &Rung| match f.kind {
            LoopKind::Texts => *rung != Rung::Refuse,
            LoopKind::Nothing => *rung == Rung::Steer,
            _ => true,
        };
        if let Some(at) = (self.tried..self.ladder.len()).find(|at| fits(&self.ladder[*at])) {
            self.tried = at + 1;
            self.due = Some(self.ladder[at]);
            self.refuses |= self.ladder[at] == Rung::Refuse;
        }
    }
}

fn found(kind: LoopKind, count: u32, members: Vec<Made>, tool: u32, code: Option<Code>, text: u64) -> Found {
    Found { kind, count, members, tool, code, text }
}

fn is_part(f: &Found, one: &Made) -> bool {
    match f.kind {
        LoopKind::Repeats | LoopKind::Cycles => f.members.contains(one),
        LoopKind::Failures => f.tool == one.0 && f.code.is_some_and(|code| one.2 == Result::Fails(code)),
        LoopKind::Nothing => f.tool == one.0 && one.2 == Result::Nothing,
        LoopKind::Stale | LoopKind::Texts => false,
    }
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let result = prop_oneof![
        3 => (0_u64..2).prop_map(Result::Value),
        1 => Just(Result::Nothing),
        2 => prop_oneof![Just(Code::NotFound), Just(Code::Timeout)].prop_map(Result::Fails),
    ];
    let one = (0_u32..2, 0_u32..3, result);
    let step = prop_oneof![
        6 => prop::collection::vec(one, 1..3).prop_map(Act::Calls),
        1 => (0_u64..2).prop_map(Act::Text),
    ];
    // A short sequence that comes again and again makes loops.
    let part = (prop::collection::vec(step, 1..6), 1_usize..7);
    prop::collection::vec(part, 1..6)
        .prop_map(|parts| parts.into_iter().flat_map(|(steps, times)| vec![steps; times].concat()).collect())
}

/// Every ladder: the rungs of one order, in every subset and turned around.
fn ladders() -> impl Strategy<Value = Vec<Rung>> {
    (prop::sample::subsequence(Rung::ALL.to_vec(), 1..=5), any::<bool>(), 0_usize..5).prop_map(
        |(mut rungs, is_turned, by)| {
            let by = by % rungs.len();
            if is_turned {
                rungs.rotate_left(by);
            }
            rungs
        },
    )
}

fn loops() -> impl Strategy<Value = Loops> {
    let one = || prop_oneof![3 => 2_u32..6, 1 => Just(Loops::OFF)];
    (one(), one(), one(), one(), one(), one()).prop_map(
        |(repeats, failures, cycles, nothing, stale, texts)| Loops {
            repeats,
            failures,
            cycles,
            nothing,
            stale,
            texts,
        },
    )
}

/// The calls of a step are let through or refused first, and return then.
fn compare(
    acts: &[Act],
    ladder: &[Rung],
    loops: Loops,
    restores: bool,
) -> std::result::Result<(), TestCaseError> {
    let config = RunConfig { loops, ..config(ladder) };
    let mut run = Run::new(config.clone());
    let mut model = Model {
        loops,
        ladder: ladder.to_vec(),
        steps: vec![],
        texts: vec![],
        found: None,
        tried: 0,
        due: None,
        refuses: false,
        concluded: false,
    };
    for (at, act) in acts.iter().enumerate() {
        if restores {
            run = Run::restore(&run.state(), config.clone()).unwrap();
        }
        let advice = name(run.step(0.0));
        prop_assert_eq!(advice, model.step(), "step {} of {:?}", at, acts);
        if advice == "stop" {
            prop_assert_eq!(name(run.tool_call(&call(1, 1), 0.0)), "stop");
            break;
        }
        let refused = model.play(act);
        match act {
            Act::Text(text) => run.text(*text),
            Act::Calls(calls) => {
                for ((tool, argument, _), is_refused) in calls.iter().zip(&refused) {
                    let advice = name(run.tool_call(&call(*tool, *argument), 0.0));
                    prop_assert_eq!(advice == "refuse", *is_refused, "call in step {}", at);
                }
                for ((tool, argument, result), _) in
                    calls.iter().zip(&refused).filter(|(_, refused)| !**refused)
                {
                    let of = call(*tool, *argument);
                    let outcome = match result {
                        Result::Value(value) => ok(&of, *value),
                        Result::Nothing => Outcome::Nothing(u64::from(of.key) << 32 | 9),
                        Result::Fails(code) => Outcome::Failed(*code),
                    };
                    run.tool_result(&of, outcome);
                }
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn the_machine_says_what_the_model_says(acts in acts(), ladder in ladders(), loops in loops()) {
        compare(&acts, &ladder, loops, false)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_run_that_is_restored_at_every_step_says_the_same(acts in acts(), ladder in ladders(), loops in loops()) {
        compare(&acts, &ladder, loops, true)?;
    }
}
