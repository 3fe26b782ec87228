//! Elements in a real document: listeners, and updates in place. `wasm-pack test --headless --chrome web/element` runs it.
#![cfg(target_arch = "wasm32")]

use halfopen_element::Element;
use halfopen_element::ev;
use halfopen_element::tachys::view::{Mountable, Render};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// Mounts an element in the page's body.
fn mounted(element: Element) -> <Element as Render>::State {
    let body = halfopen_element::prelude::document().body().unwrap();
    let mut state = element.build();
    state.mount(&body, None);
    state
}

fn button(state: &<Element as Render>::State) -> web_sys::HtmlElement {
    let root = state.elements().remove(0);
    let within = root.query_selector("button").unwrap();
    within.unwrap_or(root).unchecked_into()
}

/// Keeps an expected exception from the test runner, which takes an uncaught one for a failure.
fn expect_uncaught() {
    let handled = Closure::<dyn Fn(web_sys::Event)>::new(|event: web_sys::Event| {
        event.prevent_default();
        event.stop_immediate_propagation();
    });
    let window = halfopen_element::prelude::window();
    let listener = handled.into_js_value();
    window.add_event_listener_with_callback_and_bool("error", listener.unchecked_ref(), true).unwrap();
}

#[wasm_bindgen_test]
fn a_handler_that_throws_runs_again() {
    expect_uncaught();
    let calls = Rc::new(Cell::new(0));
    let counted = Rc::clone(&calls);
    let state = mounted(Element::new("button", None).on(ev::click, move |_| {
        counted.set(counted.get() + 1);
        wasm_bindgen::throw_str("a browser's function failed");
    }));
    button(&state).click();
    button(&state).click();
    assert_eq!(calls.get(), 2);
}

#[wasm_bindgen_test]
fn a_handler_may_cause_its_own_event() {
    let calls = Rc::new(Cell::new(0));
    let counted = Rc::clone(&calls);
    let change = || web_sys::Event::new("change").unwrap();
    let state = mounted(Element::new("button", None).on(ev::change, move |event: web_sys::Event| {
        counted.set(counted.get() + 1);
        if counted.get() < 3 {
            event.target().unwrap().dispatch_event(&change()).unwrap();
        }
    }));
    button(&state).dispatch_event(&change()).unwrap();
    assert_eq!(calls.get(), 3);
}

#[wasm_bindgen_test]
fn a_capturing_listener_runs_first_and_can_stop_the_event() {
    let order: Rc<RefCell<Vec<&str>>> = Rc::default();
    let (outer, inner, bubbling) = (Rc::clone(&order), Rc::clone(&order), Rc::clone(&order));
    let stop = Rc::new(Cell::new(false));
    let stops = Rc::clone(&stop);
    let state = mounted(
        Element::new("div", None)
            .on(ev::capture(ev::click), move |event: web_sys::MouseEvent| {
                outer.borrow_mut().push("capture");
                if stops.get() {
                    event.stop_propagation();
                }
            })
            .on(ev::click, move |_| bubbling.borrow_mut().push("bubble"))
            .child(Element::new("button", None).on(ev::click, move |_| inner.borrow_mut().push("target"))),
    );
    button(&state).click();
    assert_eq!(order.take(), ["capture", "target", "bubble"]);
    stop.set(true);
    button(&state).click();
    assert_eq!(order.take(), ["capture"]);
}

#[wasm_bindgen_test]
fn an_update_keeps_the_element_and_replaces_its_handler() {
    let heard: Rc<RefCell<Vec<u32>>> = Rc::default();
    let view = |number: u32| {
        let heard = Rc::clone(&heard);
        Element::new("button", None)
            .class(if number == 1 { "one" } else { "two" })
            .class(("marked", true))
            .on(ev::click, move |_| heard.borrow_mut().push(number))
            .child(number.to_string())
    };
    let mut state = mounted(view(1));
    let before = button(&state);
    view(2).rebuild(&mut state);
    assert!(before.is_same_node(Some(&button(&state))));
    assert_eq!(before.class_name(), "two marked");
    assert_eq!(before.text_content().as_deref(), Some("2"));
    before.click();
    assert_eq!(heard.take(), [2]);
}

#[wasm_bindgen_test]
fn an_element_that_is_gone_hears_nothing() {
    let calls = Rc::new(Cell::new(0));
    let counted = Rc::clone(&calls);
    let state = mounted(Element::new("button", None).on(ev::click, move |_| counted.set(counted.get() + 1)));
    let gone = button(&state);
    drop(state);
    gone.click();
    assert_eq!(calls.get(), 0);
}
