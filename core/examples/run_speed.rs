//! The cost of a tool call in a run: `cargo run --release --example run_speed`.
use halfopen::run::{Call, Outcome, Run, RunConfig};
use std::time::Instant;

fn main() {
    for calls in [1_u32, 6] {
        let mut run = Run::new(RunConfig::default());
        let rounds = 200_000_u32;
        let start = Instant::now();
        for round in 0..rounds {
            let _ = run.step(0.0);
            for number in 0..calls {
                let key = (round * calls + number).wrapping_mul(0x9e37_79b9);
                let call = Call { tool: number, key, counts: true };
                let _ = run.tool_call(&call, 0.0);
                run.tool_result(&call, Outcome::Ok(u64::from(key) << 16 | u64::from(key)));
            }
        }
        let each = start.elapsed().as_nanos() / u128::from(rounds * calls);
        println!("{calls} calls a step, 2,000 outcomes remembered: {each} ns a call");
    }
}
