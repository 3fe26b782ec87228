//! The state that a store keeps of one resource, and how a delta changes it.

use super::breaker::{BreakerReport, Counts, Evidence, Shared};
use super::bytes::Misfit;
use super::bytes::{Reader, Writer};
use super::delta::{Delta, Kind};
use super::limit::{Limit, Part};
use super::living::{Living, Node};
use std::collections::BTreeMap;

const FORM: u8 = b's';

/// The state that processes share about one resource.
#[derive(Clone, Debug)]
pub struct State {
    /// The time of its creation. Another one means that the store has lost its earlier state.
    pub(super) epoch: u64,
    /// The number of deltas in it.
    pub(super) version: u64,
    /// The store's time, which never goes back.
    pub(super) now: u64,
    /// The last reading of the store's clock, and the offset added to it. If a store fails over to a machine whose
    /// clock is behind, time continues from its last value, at the same rate. So no lease lasts longer because of a
    /// failover.
    pub(super) clock: u64,
    pub(super) ahead: u64,
    pub(super) cool_until: u64,
    /// The time since when an operator isolates it; 0 if none does.
    pub(super) isolated: u64,
    pub(super) breaker: Shared,
    pub(super) limits: Vec<Limit>,
    pub(super) nodes: BTreeMap<u64, Node>,
    /// When each name was listed last.
    pub(super) names: BTreeMap<String, u64>,
    /// The sums over the `nodes` whose lease has not ended by `now`. They let a delta of one process be applied without
    /// a look at all the others.
    pub(super) living: Living,
    /// No lease ends, and no process is forgotten, before this time.
    pub(super) next_end: u64,
}

/// Two states are equal if their bytes are.
impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.to_bytes() == other.to_bytes()
    }
}

impl Eq for State {}

impl State {
    /// How long a process holds its grants unless its delta says otherwise, in milliseconds.
    pub const LEASE: u64 = 10_000;
    /// The longest lease, in milliseconds.
    const MAX_LEASE: u64 = 120_000;
    /// The latest time: the largest integer that JavaScript counts exactly.
    const LATEST: u64 = 1 << 53;
    /// How long a name is listed, in milliseconds.
    const NAMED: u64 = 86_400_000;

    /// Returns an empty state.
    #[must_use]
    pub fn new(now: u64) -> Self {
        let now = now.min(Self::LATEST);
        Self {
            epoch: now,
            version: 0,
            now,
            clock: now,
            ahead: 0,
            cool_until: 0,
            isolated: 0,
            breaker: Shared::new(now),
            limits: Vec::new(),
            nodes: BTreeMap::new(),
            names: BTreeMap::new(),
            living: Living::default(),
            next_end: u64::MAX,
        }
    }

    /// Returns the listed names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    /// Applies a delta, as of the store's time.
    pub fn apply(&mut self, delta: &Delta, now: u64) {
        // A repeated or late delta: the newer one had all of its counts.
        let known = self.nodes.get(&delta.node).map_or(0, |node| node.number);
        if delta.number <= known {
            return;
        }
        let (time, ahead) = self.time(now);
        (self.clock, self.ahead) = (now.min(Self::LATEST), ahead);
        let now = time;
        self.version = self.version.saturating_add(1);
        self.pass(now);
        if delta.cool_down > 0 {
            self.cool_until = self.cool_until.max(now.saturating_add(delta.cool_down));
        }
        for name in &delta.names {
            self.names.insert(name.clone(), now);
        }
        // The node leaves the sums as it was, and `insert` adds it again as it is now.
        let mut node = self.nodes.remove(&delta.node);
        if let Some(node) = node.as_ref().filter(|node| node.lease_until > now) {
            self.living.remove(node);
        }
        match delta.kind {
            Kind::Isolate if self.isolated == 0 => self.isolated = now.max(1),
            Kind::Lift => self.isolated = 0,
            Kind::Leave => {
                if let Some(mut left) = node.take() {
                    self.lapse(&mut left, delta, now);
                    node = Some(left);
                }
            }
            // A delta with nothing but a hint or a name does not register a process.
            Kind::Report if delta.breaker.is_none() && delta.limits.is_empty() => {}
            Kind::Report => {
                let mut present = node.take().unwrap_or_default();
                self.report(&mut present, delta, now);
                node = Some(present);
            }
            Kind::Isolate => {}
        }
        // An operator is no process: its number is kept, but it counts for nothing.
        let mut node = node.unwrap_or_else(|| Node { lease_until: now, ..Node::default() });
        node.number = delta.number;
        self.insert(delta.node, node);
    }

    pub(super) fn insert(&mut self, id: u64, node: Node) {
        if node.lease_until > self.now {
            self.living.add(&node);
        }
        self.next_end = self.next_end.min(node.next_end(self.now));
        self.nodes.insert(id, node);
    }

    /// Returns the time for a reading of the store's clock, and the offset added to that clock.
    pub(super) fn time(&self, clock: u64) -> (u64, u64) {
        let clock = clock.min(Self::LATEST);
        let ahead = self.ahead.saturating_add(self.clock.saturating_sub(clock));
        (self.now.max(clock.saturating_add(ahead)), ahead)
    }

    /// Advances the time, and drops everything that has ended by then.
    pub(super) fn pass(&mut self, now: u64) {
        let before = std::mem::replace(&mut self.now, now);
        self.breaker.expire(now);
        for limit in &mut self.limits {
            limit.expire(now);
        }
        self.names.retain(|_, listed| listed.saturating_add(Self::NAMED) > now);
        if now < self.next_end {
            return;
        }
        for node in self.nodes.values_mut().filter(|node| node.lease_until <= now) {
            if node.lease_until > before {
                self.living.remove(node);
            }
            // The process may have used its whole part until then.
            for (part, limit) in node.parts.iter().zip(&mut self.limits) {
                limit.cool(part.outstanding(), node.lease_until);
            }
            node.parts.clear();
        }
        for limit in &mut self.limits {
            limit.expire(now);
        }
        self.nodes.retain(|_, node| node.lease_until.saturating_add(Node::MEMORY) > now);
        self.next_end = self.nodes.values().map(|node| node.next_end(now)).min().unwrap_or(u64::MAX);
    }

    /// A process ends, and reports its use. For a limit that it does not report, the state assumes that it has used all
    /// it had.
    fn lapse(&mut self, node: &mut Node, delta: &Delta, now: u64) {
        for (place, (part, limit)) in node.parts.iter().zip(&mut self.limits).enumerate() {
            let used = delta.limits.get(place).map_or(u32::MAX, |report| report.used);
            limit.cool(used.min(part.outstanding()), now);
        }
        node.parts.clear();
        node.lease_until = now;
        self.breaker.probes.retain(|probe| probe.node != delta.node);
    }

    fn report(&mut self, node: &mut Node, delta: &Delta, now: u64) {
        let lease = if delta.lease == 0 { Self::LEASE } else { delta.lease.min(Self::MAX_LEASE) };
        node.lease_until = now.saturating_add(lease);
        node.options = delta.options;
        if let Some(report) = &delta.breaker {
            let before = self.breaker.generation;
            self.report_results(node, report, now);
            let lease = self.version;
            self.breaker.probe(delta.node, report, lease, now);
            if self.breaker.generation != before {
                self.forget_evidence(node);
            }
        }
        self.limits.truncate(delta.limits.len());
        for (place, report) in delta.limits.iter().enumerate() {
            let same = |limit: &Limit| limit.window == report.window && limit.of_tokens == report.of_tokens;
            match self.limits.get_mut(place) {
                Some(limit) if same(limit) => limit.limit = report.limit,
                // The newest options apply.
                Some(limit) => *limit = Limit::of(report),
                None => self.limits.push(Limit::of(report)),
            }
        }
        node.parts.resize(delta.limits.len(), Part::default());
        for (place, ((limit, report), part)) in
            self.limits.iter_mut().zip(&delta.limits).zip(&mut node.parts).enumerate()
        {
            let live = self.nodes.values().filter(|other| other.lease_until > now);
            let wants = || live.filter_map(|other| other.parts.get(place)).map(|part| part.wants).collect();
            limit.grant(part, report, &self.living.parts(place), wants, now);
        }
    }

    fn report_results(&mut self, node: &mut Node, report: &BreakerReport, now: u64) {
        let terms = &report.terms;
        // For a process that is new here, counts before its last acknowledged delta were counted earlier, or are lost.
        let earlier = if node.number == 0 { report.base } else { node.totals };
        let new = report.totals.since(earlier);
        node.totals = report.totals;
        // Results of an older generation do not describe the present phase.
        let is_present = report.generation == 0 || report.generation == self.breaker.generation;
        node.streak = if is_present { report.streak } else { 0 };
        if new.total > 0 && is_present {
            node.active_at = now;
            if new.failed > 0 {
                node.failed_at = now;
            }
            self.breaker.count(terms, new, now);
        }
        if is_present {
            self.breaker.hint(terms, report.hint, now);
        }
        // The evidence of all processes counts.
        if self.breaker.may_open(terms, node.streak) {
            let evidence = self.evidence(node, report, now);
            self.breaker.judge(terms, evidence, now);
        }
    }

    /// With a new generation all counts begin at zero. A failure that arrives late, from while it was open, is no
    /// evidence once a probe has closed it.
    fn forget_evidence(&mut self, node: &mut Node) {
        for node in self.nodes.values_mut().chain([node]) {
            node.streak = 0;
            node.active_at = 0;
            node.failed_at = 0;
        }
    }

    fn evidence(&self, reporting: &Node, report: &BreakerReport, now: u64) -> Evidence {
        let memory = Shared::memory(&report.terms);
        let mut evidence = Evidence::default();
        for node in self.nodes.values().filter(|node| node.lease_until > now).chain([reporting]) {
            let is_recent = |at: u64| at > 0 && at.saturating_add(memory) > now;
            evidence.nodes += 1;
            evidence.failed += usize::from(is_recent(node.failed_at));
            if is_recent(node.active_at) {
                evidence.active += 1;
                evidence.failing += usize::from(node.streak > 0);
                evidence.streak += u64::from(node.streak);
            }
        }
        evidence
    }

    /// Returns the compact form that [`State::from_bytes`] describes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new(FORM);
        out.numbers([
            self.epoch,
            self.version,
            self.now,
            self.clock,
            self.ahead,
            self.cool_until,
            self.isolated,
        ]);
        self.breaker.write(&mut out);
        out.list(&self.limits, |out, limit| limit.write(out));
        out.number(self.nodes.len() as u64);
        for (&id, node) in &self.nodes {
            out.numbers([id, node.number]);
            // Ages of past times are small numbers, which take fewer bytes.
            let age = |at: u64| if at == 0 { 0 } else { self.now.saturating_sub(at) + 1 };
            out.numbers([
                node.lease_until.saturating_add(Node::MEMORY).saturating_sub(self.now),
                u64::from(node.options),
            ]);
            node.totals.write(&mut out);
            out.numbers([u64::from(node.streak), age(node.active_at), age(node.failed_at)]);
            out.list(&node.parts, |out, part| part.write(out));
        }
        out.number(self.names.len() as u64);
        for (name, &listed) in &self.names {
            out.text(name).number(listed);
        }
        out.done()
    }

    /// Reads the form that [`State::to_bytes`] writes: `HFs`, the schema, then unsigned LEB128 numbers. In order: the
    /// epoch, the version, the time, the store's clock and its offset, the end of the cool-down, the start of the
    /// isolation; the breaker; the limits; the processes; the names.
    ///
    /// # Errors
    /// [`Misfit`] for anything else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Misfit> {
        let mut from = Reader::new(bytes, FORM)?;
        let [epoch, version, now, clock, ahead, cool_until, isolated] = from.numbers()?;
        if now.max(clock).max(ahead) > 2 * Self::LATEST {
            return Err(Misfit::Broken);
        }
        let breaker = Shared::read(&mut from)?;
        let limits = from.list(Limit::read)?;
        let nodes = from.list(|from| {
            let [id, number, lease] = from.numbers()?;
            let options = from.count()?;
            let totals = Counts::read(from)?;
            let streak = from.count()?;
            let mut time = || {
                let age = from.number()?;
                Ok(if age == 0 { 0 } else { now.saturating_add(1).saturating_sub(age) })
            };
            let (active_at, failed_at) = (time()?, time()?);
            let lease_until = now.saturating_add(lease).saturating_sub(Node::MEMORY);
            let parts = from.list(Part::read)?;
            Ok((id, Node { number, lease_until, options, totals, streak, active_at, failed_at, parts }))
        })?;
        let names = from.list(|from| Ok((from.text()?, from.number()?)))?;
        from.end()?;
        let mut state = Self {
            epoch,
            version,
            now,
            clock,
            ahead,
            cool_until,
            isolated,
            breaker,
            limits,
            nodes: nodes.into_iter().collect(),
            names: names.into_iter().collect(),
            living: Living::default(),
            next_end: u64::MAX,
        };
        for node in state.nodes.values() {
            if node.lease_until > now {
                state.living.add(node);
            }
            state.next_end = state.next_end.min(node.next_end(now));
        }
        Ok(state)
    }
}

/// Returns the state after a delta; this is a store's whole task. `now` is the store's time, in milliseconds since any
/// fixed origin. An empty delta changes nothing: observers send it.
///
/// # Errors
/// [`Misfit`] for bytes that are neither a state nor a delta. The store then keeps its present state.
pub fn merge(state: Option<&[u8]>, delta: &[u8], now: u64) -> Result<Vec<u8>, Misfit> {
    let mut state = state.map_or_else(|| Ok(State::new(now)), State::from_bytes)?;
    if !delta.is_empty() {
        state.apply(&Delta::from_bytes(delta)?, now);
    }
    Ok(state.to_bytes())
}
