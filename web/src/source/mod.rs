//! Where events come from: the server and pages of this origin, files; and what is saved of them.

pub(crate) mod demonstration;
pub(crate) mod embedded;
mod stream;

use crate::session::live::{Notice, Origin, Session};
use crate::session::store::Log;
use gloo_timers::callback::Timeout;
use gloo_timers::future::TimeoutFuture;
use halfopen::log::LineSplitter;
use js_sys::Uint8Array;
use leptos::prelude::*;
use std::any::Any;
use std::cell::Cell;
use std::rc::Rc;
use stream::Stream;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{BroadcastChannel, File, MessageChannel, MessageEvent};

/// The channel that pages of this origin speak on, as `connectDevtools` names it.
const CHANNEL: &str = "halfopen";
/// Bytes of a file that the browser is asked for at once: each time costs it as much as to read some 100 KiB.
const PIECE: f64 = 2_097_152.0;
/// Bytes of it that are taken in at once: what the processor's cache holds until they are lines of the log.
const BITE: u32 = 64 << 10;
/// Milliseconds of reading after which everybody else has a turn.
const TURN: f64 = 10.0;

/// What brings events, until it is dropped.
pub(crate) struct Feed {
    /// Connections, listeners and timers, which end when they are dropped.
    _parts: Box<dyn Any>,
    paused: Rc<Cell<bool>>,
    now: Rc<Cell<f64>>,
}

impl Feed {
    pub(super) fn new(parts: impl Any) -> Self {
        Self { _parts: Box::new(parts), paused: Rc::default(), now: Rc::default() }
    }

    /// Of a source that can hold still, and has a time of its own: it reads the one and sets the other.
    pub(super) fn with_clock(parts: impl Any, paused: Rc<Cell<bool>>, now: Rc<Cell<f64>>) -> Self {
        Self { _parts: Box::new(parts), paused, now }
    }

    pub(crate) fn set_paused(&self, paused: bool) {
        self.paused.set(paused);
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
    Feed::new((Stream::open(session), Channel::open(session)))
}

/// What pages of this origin say; closed when it is dropped.
struct Channel {
    channel: BroadcastChannel,
    _listener: Closure<dyn Fn(MessageEvent)>,
}

impl Channel {
    fn open(session: Session) -> Option<Self> {
        let channel = BroadcastChannel::new(CHANNEL).ok()?;
        let listener = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            take_message(session, &event.data())
        });
        channel.set_onmessage(Some(listener.as_ref().unchecked_ref()));
        Some(Self { channel, _listener: listener })
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        self.channel.set_onmessage(None);
        self.channel.close();
    }
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

/// Reads a file of lines, a little at a time, so that the page stays alive.
pub(crate) fn open_file(session: Session, file: File) {
    session.switch(Origin::File(file.name()));
    session.loading.set(Some(0.0));
    let of = session.generation();
    leptos::task::spawn_local(async move {
        let read = read_lines(session, of, &file).await;
        if session.generation() != of {
            return;
        }
        if read.is_err() {
            let text = format!("{} could not be read to its end", file.name());
            session.notice.set(Some(Notice::Feed(text)));
        }
        session.loading.set(None);
        session.settle();
        session.fit();
    });
}

/// Takes in the lines of a file into the log of that number; ends early when there is another log.
async fn read_lines(session: Session, of: u32, file: &File) -> Result<(), JsValue> {
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
            if session.generation() != of {
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

/// Bytes of the log that are copied in one go: some milliseconds, for a page that is to stay alive.
const COPIED: usize = 4 << 20;

/// Offers all kept lines as a file to save. Of a log that is gone meanwhile there is none.
pub(crate) fn export(session: Session) {
    session.notice.set(None);
    let of = session.generation();
    leptos::task::spawn_local(async move {
        let parts = js_sys::Array::new();
        let mut lines = session.peek(Log::kept_numbers);
        // Options of policies that are older than what is kept else.
        let mut older =
            session.peek(|log| log.older_lines().map(|line| format!("{line}\n")).collect::<String>());
        while !lines.is_empty() {
            let bytes = session.peek(|log| {
                let mut bytes = Vec::with_capacity(COPIED + COPIED / 4);
                bytes.extend_from_slice(std::mem::take(&mut older).as_bytes());
                for line in lines.by_ref().map(|number| log.line(number)).filter(|line| !line.is_empty()) {
                    bytes.extend_from_slice(line.as_bytes());
                    bytes.push(b'\n');
                    if bytes.len() > COPIED {
                        break;
                    }
                }
                Uint8Array::from(bytes.as_slice())
            });
            parts.push(&bytes);
            TimeoutFuture::new(0).await;
            if session.generation() != of {
                return;
            }
        }
        save(&parts, "application/x-ndjson", "halfopen-events.jsonl");
    });
}

/// Until a saved file's address is given back, in milliseconds: the browser reads it after the click.
const SAVED: u32 = 10_000;

/// Offers texts and bytes as a file to save.
pub(crate) fn save(parts: &js_sys::Array, kind: &str, name: &str) {
    let options = web_sys::BlobPropertyBag::new();
    options.set_type(kind);
    let blob = web_sys::Blob::new_with_blob_sequence_and_options(parts, &options);
    let Ok(url) = blob.and_then(|blob| web_sys::Url::create_object_url_with_blob(&blob)) else { return };
    if let Ok(link) = document().create_element("a").map(JsCast::unchecked_into::<web_sys::HtmlAnchorElement>)
    {
        link.set_href(&url);
        link.set_download(name);
        link.click();
    }
    Timeout::new(SAVED, move || drop(web_sys::Url::revoke_object_url(&url))).forget();
}
