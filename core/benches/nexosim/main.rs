//! The queue of `scripts/bench-lab.mjs` on NeXosim: exponential arrivals and services, a row of servers. Prints millions of events
//! a second of CPU time: of a model that does nothing else, on one thread.
use nexosim::model::{Context, Model, schedulable};
use nexosim::ports::EventSource;
use nexosim::simulation::{Mailbox, SimInit, SimulationError};
use nexosim::time::MonotonicTime;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const SERVERS: u32 = 1500;
const ARRIVALS: u64 = 1_000_000;
static EVENTS: AtomicU64 = AtomicU64::new(0);

#[derive(Serialize, Deserialize)]
struct Queue {
    busy: u32,
    waiting: u32,
    arrived: u64,
    random: u64,
}

impl Queue {
    /// Exponential, by xorshift64*: (Vigna, <https://doi.org/10.1145/2845077>).
    fn exponential(&mut self, mean_ms: f64) -> Duration {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        let bits = self.random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11;
        let unit = bits as f64 / 9_007_199_254_740_992.0;
        Duration::from_nanos((-(1.0 - unit).ln() * mean_ms * 1e6) as u64 + 1)
    }
}

#[Model]
impl Queue {
    fn begin(&mut self, _: (), cx: &Context<Self>) {
        let gap = self.exponential(0.1);
        cx.schedule_event(gap, schedulable!(Self::arrive), ()).unwrap();
    }

    #[nexosim(schedulable)]
    fn arrive(&mut self, _: (), cx: &Context<Self>) {
        EVENTS.fetch_add(1, Ordering::Relaxed);
        self.arrived += 1;
        if self.arrived < ARRIVALS {
            self.begin((), cx);
        }
        if self.busy < SERVERS {
            self.busy += 1;
            self.serve(cx);
        } else {
            self.waiting += 1;
        }
    }

    #[nexosim(schedulable)]
    fn served(&mut self, _: (), cx: &Context<Self>) {
        EVENTS.fetch_add(1, Ordering::Relaxed);
        if self.waiting > 0 {
            self.waiting -= 1;
            self.serve(cx);
        } else {
            self.busy -= 1;
        }
    }

    fn serve(&mut self, cx: &Context<Self>) {
        let takes = self.exponential(100.0);
        cx.schedule_event(takes, schedulable!(Self::served), ()).unwrap();
    }
}

fn main() -> Result<(), SimulationError> {
    let (queue, mailbox) = (Queue { busy: 0, waiting: 0, arrived: 0, random: 1 }, Mailbox::new());
    let mut bench = SimInit::with_num_threads(1);
    let begin = EventSource::new().connect(Queue::begin, &mailbox).register(&mut bench);
    let mut simulation = bench.add_model(queue, mailbox, "queue").init(MonotonicTime::EPOCH)?;
    simulation.process_event(&begin, ())?;
    let began = cpu_seconds();
    simulation.step_until(Duration::from_secs(1_000_000))?;
    let events = EVENTS.load(Ordering::Relaxed);
    assert_eq!(events, 2 * ARRIVALS);
    println!("{}", events as f64 / 1e6 / (cpu_seconds() - began));
    Ok(())
}

/// CPU time of this process, of all its threads; elapsed time where the system does not say (Linux does).
fn cpu_seconds() -> f64 {
    let ticks = || -> Option<f64> {
        let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
        let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
        Some((fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?) / 100.0)
    };
    ticks().unwrap_or_else(|| std::time::UNIX_EPOCH.elapsed().map_or(0.0, |since| since.as_secs_f64()))
}
