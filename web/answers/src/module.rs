//! The names that a page calls.

#![no_main]

use std::cell::RefCell;

/// A question on its way in, or an answer on its way out.
struct Desk {
    question: Vec<u8>,
    answer: String,
}

thread_local! {
    static DESK: RefCell<Desk> = const { RefCell::new(Desk { question: Vec::new(), answer: String::new() }) };
}

/// Makes room for a question of `length` bytes and returns its address.
#[expect(unsafe_code, reason = "a name that the page can call")]
#[unsafe(no_mangle)]
extern "C" fn room(length: usize) -> *mut u8 {
    DESK.with_borrow_mut(|desk| {
        desk.question = vec![0; length];
        desk.question.as_mut_ptr()
    })
}

/// Answers the question that was written. Returns the answer's length, or −1 without an answer.
#[expect(unsafe_code, reason = "a name that the page can call")]
#[unsafe(no_mangle)]
extern "C" fn query(number: u32) -> i32 {
    DESK.with_borrow_mut(|desk| {
        let question = String::from_utf8(std::mem::take(&mut desk.question)).unwrap_or_default();
        desk.answer = halfopen_answers::answer(number, &question).unwrap_or_default();
        // No answer is empty: its parts have their lengths before them.
        if desk.answer.is_empty() { -1 } else { i32::try_from(desk.answer.len()).unwrap_or(-1) }
    })
}

/// Returns the address of the last answer.
#[expect(unsafe_code, reason = "a name that the page can call")]
#[unsafe(no_mangle)]
extern "C" fn answer() -> *const u8 {
    DESK.with_borrow(|desk| desk.answer.as_ptr())
}
