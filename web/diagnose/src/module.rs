//! The names that Node calls.

#![no_main]

use halfopen_diagnose::Diagnosis;
use std::cell::RefCell;

/// A text on its way in, and the answer on its way out.
#[derive(Default)]
struct Exchange {
    diagnosis: Diagnosis,
    text: Vec<u8>,
    answer: String,
}

thread_local! {
    static EXCHANGE: RefCell<Option<Exchange>> = const { RefCell::new(None) };
}

fn exchange<T>(act: impl FnOnce(&mut Exchange) -> T) -> T {
    EXCHANGE.with_borrow_mut(|exchange| act(exchange.get_or_insert_default()))
}

/// Sets the seed of the log's hashes, a random number. It comes before all else.
#[expect(unsafe_code, reason = "a name that Node can call")]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "any 53 bits will do")]
#[unsafe(no_mangle)]
extern "C" fn seed(random: f64) {
    halfopen_store::set_seed((random * 2f64.powi(53)) as u64);
}

/// Makes room for a text of `length` bytes and returns its address.
#[expect(unsafe_code, reason = "a name that Node can call")]
#[unsafe(no_mangle)]
extern "C" fn room(length: usize) -> *mut u8 {
    exchange(|exchange| {
        exchange.text = vec![0; length];
        exchange.text.as_mut_ptr()
    })
}

/// Takes the text that was written as whole lines of the log.
#[expect(unsafe_code, reason = "a name that Node can call")]
#[unsafe(no_mangle)]
extern "C" fn take() {
    exchange(|exchange| {
        let text = std::mem::take(&mut exchange.text);
        exchange.diagnosis.take(&String::from_utf8_lossy(&text));
    });
}

/// Answers the text that was written as a question. Returns the answer's length in bytes.
#[expect(unsafe_code, reason = "a name that Node can call")]
#[unsafe(no_mangle)]
extern "C" fn query() -> usize {
    exchange(|exchange| {
        let text = std::mem::take(&mut exchange.text);
        exchange.answer = exchange.diagnosis.query(&String::from_utf8_lossy(&text));
        exchange.answer.len()
    })
}

/// Returns the address of the last answer.
#[expect(unsafe_code, reason = "a name that Node can call")]
#[unsafe(no_mangle)]
extern "C" fn answer() -> *const u8 {
    exchange(|exchange| exchange.answer.as_ptr())
}
