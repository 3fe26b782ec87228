//! Where events come from: the server's stream, pages of this origin, files.

use super::embedded;
use super::live::{Connection, Origin, ServerStats, Session};
use halfopen::log::{Json, LineSplitter};
use js_sys::Uint8Array;
use leptos::prelude::*;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{BroadcastChannel, EventSource, File, MessageChannel, MessageEvent};

/// The channel that pages of this origin speak on, as `connectDevtools` names it.
const CHANNEL: &str = "halfopen";
/// The server's stream of events.
const STREAM: &str = "/events";
/// Bytes of a file that the browser is asked for at once: each time costs it as much as to read some 100 KiB.
const PIECE: f64 = 2_097_152.0;
/// Bytes of it that are taken in at once: what the processor's cache holds until they are lines of the log.
const BITE: u32 = 64 << 10;
/// Milliseconds of reading after which everybody else has a turn.
const TURN: f64 = 10.0;
/// The longest wait between two tries to connect, in milliseconds.
const LONGEST_WAIT: f64 = 15_000.0;

/// What brings events, until it is stopped.
pub(crate) struct Feed {
    stop: Box<dyn Fn()>,
    paused: Rc<Cell<bool>>,
    now: Rc<Cell<f64>>,
}

impl Feed {
    pub(super) fn new(stop: Box<dyn Fn()>) -> Self {
        Self { stop, paused: Rc::default(), now: Rc::default() }
    }

    pub(crate) fn stop(&self) {
        (self.stop)();
    }

    pub(crate) fn set_paused(&self, paused: bool) {
        self.paused.set(paused);
    }

    /// Whether it is to hold still: its source reads this.
    pub(super) fn paused(&self) -> Rc<Cell<bool>> {
        Rc::clone(&self.paused)
    }

    /// The feed's own time: its source sets it.
    pub(super) fn clock(&self) -> Rc<Cell<f64>> {
        Rc::clone(&self.now)
    }

    /// The feed's own time, where it has one.
    pub(crate) fn now(&self) -> f64 {
        self.now.get()
    }
}

/// Connects to the server and listens to this origin's pages.
pub(crate) fn connect(session: Session) -> Feed {
    if embedded::is_embedded()
        && let Some(feed) = embedded::connect(session)
    {
        return feed;
    }
    let stopped = Rc::new(Cell::new(false));
    let source: Rc<Cell<Option<EventSource>>> = Rc::default();
    open_stream(session, &stopped, &source, &Rc::default(), 0);
    let channel = BroadcastChannel::new(CHANNEL).ok();
    if let Some(channel) = &channel {
        let listener = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            take_message(session, &event.data())
        });
        channel.set_onmessage(Some(listener.into_js_value().unchecked_ref()));
    }
    let stop = move || {
        stopped.set(true);
        if let Some(source) = source.take() {
            source.close();
        }
        if let Some(channel) = &channel {
            channel.close();
        }
    };
    Feed::new(Box::new(stop))
}

/// A page sends one event, several, or their lines.
pub(super) fn take_message(session: Session, data: &JsValue) {
    if let Some(text) = data.as_string() {
        session.take(text);
    } else if js_sys::Array::is_array(data) {
        for item in js_sys::Array::from(data).iter() {
            take_message(session, &item);
        }
    } else if let Ok(text) = js_sys::JSON::stringify(data) {
        session.take(String::from(text));
    }
}

fn open_stream(
    session: Session,
    stopped: &Rc<Cell<bool>>,
    slot: &Rc<Cell<Option<EventSource>>>,
    last: &Rc<RefCell<String>>,
    tries: u32,
) {
    if stopped.get() {
        return;
    }
    // The browser resumes by itself while it keeps the connection; a new one is told where to go on.
    let address = match last.borrow().as_str() {
        "" => STREAM.to_owned(),
        last => format!("{STREAM}?after={}", String::from(js_sys::encode_uri_component(last))),
    };
    let first = last.borrow().is_empty();
    let Ok(source) = EventSource::new(&address) else { return };
    let opened = Rc::new(Cell::new(false));
    let on_open = Closure::<dyn Fn()>::new({
        let opened = Rc::clone(&opened);
        move || {
            opened.set(true);
            session.connection.set(Connection::Open);
        }
    });
    let seen = Rc::clone(last);
    let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        let id = event.last_event_id();
        if !id.is_empty() {
            *seen.borrow_mut() = id;
        }
        if let Some(line) = event.data().as_string() {
            session.take(line);
        }
    });
    listen(&source, "gap", move |data| {
        session.notice.set(Some(format!("The server no longer has all that came before: {data}")));
    });
    listen(&source, "stats", move |data| {
        let stats = Json::from(data.as_str());
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
        let of = |name: &str| stats.at(&[name]).and_then(|count| count.as_f64()).unwrap_or(0.0) as u64;
        session.server.set(ServerStats { agents: of("agents"), refused: of("rejected") });
    });
    // The replay is over: what is kept is shown, as far as it reads well.
    listen(&source, "live", move |_| {
        if first {
            set_timeout(move || session.follow_all(), Duration::from_millis(100));
        }
    });
    let known = Rc::clone(last);
    listen(&source, "hello", move |data| {
        let hello = Json::from(data.as_str());
        let log = hello.at(&["log"]);
        let log = log.as_ref().and_then(|log| log.as_str()).unwrap_or_default();
        // Places are `<log>:<offset>`. Another log at the same address: what is shown is of one that is gone.
        let other = !known.borrow().is_empty() && !known.borrow().starts_with(&format!("{log}:"));
        if other {
            known.borrow_mut().clear();
            session.clear();
        }
    });
    let on_error = Closure::<dyn Fn()>::new({
        let (stopped, slot, source) = (Rc::clone(stopped), Rc::clone(slot), source.clone());
        let last = Rc::clone(last);
        move || {
            // While the browser tries by itself it keeps the last event's id and asks for what came after it.
            if source.ready_state() == EventSource::CONNECTING && opened.get() {
                session.connection.set(Connection::Connecting);
                return;
            }
            source.close();
            let tries = if opened.get() { 0 } else { tries };
            let wait = (1000.0 * 2f64.powi(i32::try_from(tries.min(8)).unwrap_or(8))).min(LONGEST_WAIT);
            session.connection.set(Connection::Lost(js_sys::Date::now() + wait));
            let (stopped, slot, last) = (Rc::clone(&stopped), Rc::clone(&slot), Rc::clone(&last));
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "at most LONGEST_WAIT"
            )]
            let delay = Duration::from_millis(wait as u64);
            set_timeout(move || open_stream(session, &stopped, &slot, &last, tries + 1), delay);
        }
    });
    source.set_onopen(Some(on_open.into_js_value().unchecked_ref()));
    source.set_onmessage(Some(on_message.into_js_value().unchecked_ref()));
    source.set_onerror(Some(on_error.into_js_value().unchecked_ref()));
    slot.set(Some(source));
}

/// Listens to the stream's events of one name.
fn listen(source: &EventSource, name: &str, told: impl Fn(String) + 'static) {
    let listener = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        told(event.data().as_string().unwrap_or_default())
    });
    let _ = source.add_event_listener_with_callback(name, listener.into_js_value().unchecked_ref());
}

/// Reads a file of lines, a little at a time, so that the page stays alive.
pub(crate) fn open_file(session: Session, file: File) {
    session.switch(Origin::File(file.name()));
    session.loading.set(Some(0.0));
    leptos::task::spawn_local(async move {
        let read = read_lines(session, &file).await;
        if session.origin.get_untracked() != Origin::File(file.name()) {
            return;
        }
        if read.is_err() {
            session.notice.set(Some(format!("{} could not be read to its end", file.name())));
        }
        session.loading.set(None);
        session.settle();
        session.fit();
    });
}

/// Takes in the lines of a file; ends early when something else is shown.
async fn read_lines(session: Session, file: &File) -> Result<(), JsValue> {
    let (size, mut at) = (file.size(), 0.0);
    let read = |at: f64| {
        let piece = file.slice_with_f64_and_f64(at, (at + PIECE).min(size))?;
        Ok::<_, JsValue>(JsFuture::from(piece.array_buffer()))
    };
    let turn = Turn::new()?;
    let mut splitter = LineSplitter::default();
    let mut bite = Vec::new();
    // The next piece is under way while one is taken in.
    let mut next = read(at)?;
    while at < size {
        let piece = Uint8Array::new(&next.await?);
        at += f64::from(piece.length().max(1));
        next = read(at.min(size))?;
        for from in (0..piece.length()).step_by(BITE as usize) {
            turn.mine().await;
            if session.origin.get_untracked() != Origin::File(file.name()) {
                return Ok(());
            }
            let part = piece.subarray(from, piece.length().min(from + BITE));
            bite.resize(part.length() as usize, 0);
            part.copy_to(&mut bite);
            session.fill(|log| {
                splitter.push(&bite, |line| {
                    log.take(line);
                })
            });
        }
        // As often as a bar of that length needs it: each time costs a frame.
        if at / size - session.loading.get_untracked().unwrap_or(0.0) > 0.05 {
            session.loading.set(Some(at / size));
        }
    }
    session.fill(|log| {
        splitter.finish(|line| {
            log.take(line);
        })
    });
    Ok(())
}

/// Turns of work, each a task of its own. A timer would make every turn wait for 4 ms (HTML, "timers", step 11).
struct Turn {
    channel: MessageChannel,
    began: Cell<f64>,
}

impl Turn {
    fn new() -> Result<Self, JsValue> {
        Ok(Self { channel: MessageChannel::new()?, began: Cell::new(now()) })
    }

    /// Goes on at once while the turn lasts, else in the next one.
    async fn mine(&self) {
        if now() - self.began.get() < TURN {
            return;
        }
        let next = js_sys::Promise::new(&mut |resolve, _| self.channel.port1().set_onmessage(Some(&resolve)));
        if self.channel.port2().post_message(&JsValue::NULL).is_ok() {
            let _ = JsFuture::from(next).await;
        }
        self.began.set(now());
    }
}

/// The page's own clock, in milliseconds.
fn now() -> f64 {
    window().performance().map_or(0.0, |performance| performance.now())
}

/// Offers all kept lines as a file to save.
pub(crate) fn export(session: Session) {
    let parts = js_sys::Array::new();
    session.peek(|log| {
        let mut text = String::new();
        for line in log.all_lines() {
            text.push_str(line);
            text.push('\n');
            if text.len() > 1 << 20 {
                parts.push(&JsValue::from_str(&text));
                text.clear();
            }
        }
        parts.push(&JsValue::from_str(&text));
    });
    save(&parts, "application/x-ndjson", "halfopen-events.jsonl");
}

/// Offers parts as a file to save.
pub(crate) fn save(parts: &js_sys::Array, kind: &str, name: &str) {
    let options = web_sys::BlobPropertyBag::new();
    options.set_type(kind);
    let blob = web_sys::Blob::new_with_str_sequence_and_options(parts, &options);
    let Ok(url) = blob.and_then(|blob| web_sys::Url::create_object_url_with_blob(&blob)) else { return };
    if let Ok(link) = document().create_element("a").map(JsCast::unchecked_into::<web_sys::HtmlAnchorElement>)
    {
        link.set_href(&url);
        link.set_download(name);
        link.click();
    }
    set_timeout(move || drop(web_sys::Url::revoke_object_url(&url)), Duration::from_secs(10));
}
