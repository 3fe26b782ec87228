//! The server's stream of events, opened again when it breaks.

use super::server::key;
use super::{Connection, ServerStats, Sink};
use crate::ui::wall_clock;
use gloo_timers::callback::Timeout;
use halfopen_log::Json;
use leptos::prelude::*;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{EventSource, MessageEvent, UrlSearchParams};

/// Its path at the server.
const STREAM: &str = "/events";
/// The parameters of the page's address that are passed to the server, which then sends only that part of the log
/// (`pkg/src/devtools/server/filter.ts`).
const WANTED: [&str; 5] = ["from", "to", "policy", "process", "text"];
/// The longest wait between two tries, in milliseconds.
const LONGEST_WAIT: u32 = 15_000;
/// The time from the end of the replay to its report, in milliseconds, so that the last lines are in the log first.
const REPLAYED: u32 = 100;

/// A stream that connects again by itself. Dropping it closes the connection and cancels the next try.
pub(super) struct Stream(#[expect(dead_code, reason = "held for its `Drop`")] Rc<Link>);

struct Link {
    sink: Rc<dyn Sink>,
    /// The id of the newest event, after which a new connection continues.
    last: RefCell<String>,
    state: RefCell<State>,
    /// Whether the server has sent all events from before the page was opened.
    is_replayed: Cell<bool>,
    /// Reports the end of the replay.
    replayed: Cell<Option<Timeout>>,
}

#[expect(dead_code, reason = "what the states hold is held for its `Drop`")]
enum State {
    Idle,
    Connected(Source),
    Waiting(Timeout),
}

/// An `EventSource` and its listeners, which end with it.
struct Source {
    events: EventSource,
    _plain: [Closure<dyn Fn()>; 2],
    _messages: Vec<Closure<dyn Fn(MessageEvent)>>,
}

impl Drop for Source {
    fn drop(&mut self) {
        self.events.set_onopen(None);
        self.events.set_onerror(None);
        self.events.set_onmessage(None);
        self.events.close();
    }
}

impl Stream {
    pub(super) fn open(sink: &Rc<dyn Sink>) -> Self {
        let link = Rc::new(Link {
            sink: Rc::clone(sink),
            last: RefCell::default(),
            state: RefCell::new(State::Idle),
            is_replayed: Cell::new(false),
            replayed: Cell::default(),
        });
        link.connect(0);
        Self(link)
    }
}

impl Link {
    /// Connects; `tries` is how many connections have failed in a row.
    fn connect(self: &Rc<Self>, tries: u32) {
        match self.source(tries) {
            Some(source) => drop(self.state.replace(State::Connected(source))),
            None => self.retry(tries),
        }
    }

    /// Waits, then connects again.
    fn retry(self: &Rc<Self>, tries: u32) {
        let wait = 1_000_u32.saturating_mul(1 << tries.min(8)).min(LONGEST_WAIT);
        self.sink.connection(Connection::Lost(wall_clock::now() + f64::from(wait)));
        let link = Rc::downgrade(self);
        let again = Timeout::new(wait, move || {
            if let Some(link) = link.upgrade() {
                link.connect(tries + 1);
            }
        });
        // This drops the old source with its listeners. One of them may be the caller, which wasm-bindgen keeps until it returns.
        drop(self.state.replace(State::Waiting(again)));
    }

    fn source(self: &Rc<Self>, tries: u32) -> Option<Source> {
        // The browser resumes its own connections by itself. A new one has to name the last event.
        let last = self.last.borrow().clone();
        let address = address(&last);
        let events = EventSource::new(&address).ok()?;
        let opened = Rc::new(Cell::new(false));
        let on_open = {
            let (opened, sink) = (Rc::clone(&opened), Rc::clone(&self.sink));
            Closure::<dyn Fn()>::new(move || {
                opened.set(true);
                sink.connection(Connection::Open);
            })
        };
        let on_error = {
            let (link, events): (Weak<Self>, _) = (Rc::downgrade(self), events.clone());
            Closure::<dyn Fn()>::new(move || {
                // The browser connects again by itself, and names the last event that it has seen.
                let Some(link) = link.upgrade() else { return };
                if events.ready_state() == EventSource::CONNECTING && opened.get() {
                    link.sink.connection(Connection::Connecting);
                } else {
                    link.retry(if opened.get() { 0 } else { tries });
                }
            })
        };
        events.set_onopen(Some(on_open.as_ref().unchecked_ref()));
        events.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        let link = Rc::downgrade(self);
        let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            let id = event.last_event_id();
            let Some(link) = link.upgrade() else { return };
            if !id.is_empty() {
                *link.last.borrow_mut() = id;
            }
            if let Some(line) = event.data().as_string() {
                link.sink.take(line);
            }
        });
        events.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        let mut messages = vec![on_message];
        let mut listen = |name: &str, heard: fn(&Rc<Self>, &str)| {
            let link = Rc::downgrade(self);
            let listener = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
                if let Some(link) = link.upgrade() {
                    heard(&link, &event.data().as_string().unwrap_or_default());
                }
            });
            let _ = events.add_event_listener_with_callback(name, listener.as_ref().unchecked_ref());
            messages.push(listener);
        };
        listen("hello", Self::hello);
        listen("gap", |link, data| {
            link.sink.report(format!(
                "The server no longer has all that came before: {data}. The log shown has a gap there."
            ));
        });
        listen("stats", |link, data| link.sink.server(stats(data)));
        listen("live", Self::live);
        Some(Source { events, _plain: [on_open, on_error], _messages: messages })
    }

    /// The stream begins, and names its log. Ids are `<log>:<offset>`.
    fn hello(self: &Rc<Self>, data: &str) {
        let hello = Json::from(data);
        let log = hello.at(&["log"]);
        let log = log.as_ref().and_then(|log| log.as_str()).unwrap_or_default();
        let other = {
            let last = self.last.borrow();
            !last.is_empty() && !last.starts_with(&format!("{log}:"))
        };
        // The address has another log now, so the shown one is gone.
        if other {
            self.is_replayed.set(false);
            self.last.borrow_mut().clear();
            self.sink.restart();
        }
    }

    /// The replay is over: that of the first connection, or of a later one if the first broke off.
    fn live(self: &Rc<Self>, _: &str) {
        if self.is_replayed.replace(true) {
            return;
        }
        let sink = Rc::clone(&self.sink);
        self.replayed.set(Some(Timeout::new(REPLAYED, move || sink.replayed())));
    }
}

/// The address of the stream after the event `last`, with the key that this browser keeps for this origin.
fn address(last: &str) -> String {
    let query: Vec<String> = [("key", key().unwrap_or_default()), ("after", last.to_owned())]
        .into_iter()
        .chain(wanted())
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("{name}={}", String::from(js_sys::encode_uri_component(&value))))
        .collect();
    format!("{STREAM}?{}", query.join("&"))
}

/// The page's address without the parameters that narrow the log.
pub(crate) fn address_of_all() -> String {
    let search = window().location().search().unwrap_or_default();
    let Ok(parameters) = UrlSearchParams::new_with_str(&search) else { return "?".to_owned() };
    WANTED.into_iter().for_each(|name| parameters.delete(name));
    format!("?{}", String::from(parameters.to_string()))
}

/// The part of the log that the page's own address names.
pub(crate) fn wanted() -> Vec<(&'static str, String)> {
    let search = window().location().search().unwrap_or_default();
    let Ok(parameters) = UrlSearchParams::new_with_str(&search) else { return Vec::new() };
    let values = |name| parameters.get_all(name).to_vec().into_iter().filter_map(|value| value.as_string());
    WANTED.into_iter().flat_map(|name| values(name).map(move |value| (name, value))).collect()
}

fn stats(data: &str) -> ServerStats {
    let stats = Json::from(data);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
    let of = |name: &str| stats.at(&[name]).and_then(|count| count.as_f64()).unwrap_or(0.0) as u64;
    ServerStats { agents: of("agents"), refused: of("rejected") }
}
