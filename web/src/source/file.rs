//! Reads events from a file in steps, so that the page keeps responding.

use super::{Feed, Sink};
use halfopen_log::LineSplitter;
use js_sys::{Object, Promise, Reflect, Uint8Array};
use leptos::prelude::window;
use std::cell::Cell;
use std::rc::{Rc, Weak};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, MessageChannel};

/// The size of each of the two buffers for reading a file, in bytes. A read has a fixed cost, so there are few large ones.
const READ: u32 = 2 << 20;
/// The size of a step, in bytes: small enough to stay in the processor's cache from the copy out of JavaScript until it is
/// lines of the log.
const STEP: u32 = 64 << 10;
/// Milliseconds of reading in one task.
const SLICE: f64 = 10.0;
/// The share of the file between two reports of progress. Each report costs a frame.
const PROGRESS: f64 = 0.05;

/// Reads a file of lines. Dropping the feed ends it.
pub(crate) fn read(file: File, sink: Rc<dyn Sink>) -> Feed {
    let wanted = Rc::new(());
    let still = Rc::downgrade(&wanted);
    sink.progress(0.0);
    leptos::task::spawn_local(async move {
        let read = read_lines(&file, &*sink, &still).await;
        if still.strong_count() == 0 {
            return;
        }
        if read.is_err() {
            sink.report(format!("{} could not be read to its end. If the file was moved or is still being written, open it again.", file.name()));
        }
        sink.ended();
    });
    Feed::new(wanted)
}

/// Writes the lines of a file to the log; ends early when the feed has been dropped.
async fn read_lines(file: &File, sink: &dyn Sink, still: &Weak<()>) -> Result<(), JsValue> {
    let (size, mut at, mut reported) = (file.size(), 0.0, 0.0);
    let parts = Parts::new(file)?;
    let slice = TimeSlice::new()?;
    let mut splitter = LineSplitter::default();
    let mut bytes = Vec::new();
    // The next part is read while this one is split.
    let mut next = parts.read(&Uint8Array::new_with_length(READ));
    let mut spare = Uint8Array::new_with_length(READ);
    while let Some(part) = next.await? {
        at += f64::from(part.length());
        next = parts.read(&spare);
        for from in (0..part.length()).step_by(STEP as usize) {
            slice.wait().await;
            if still.strong_count() == 0 {
                return Ok(());
            }
            let step = part.subarray(from, part.length().min(from + STEP));
            bytes.resize(step.length() as usize, 0);
            step.copy_to(&mut bytes);
            sink.write(&mut |log| {
                splitter.push(&bytes, |line| {
                    log.take(line);
                });
            });
        }
        if at / size - reported > PROGRESS {
            reported = at / size;
            sink.progress(reported);
        }
        spare = Uint8Array::new(&part.buffer());
    }
    sink.write(&mut |log| {
        std::mem::take(&mut splitter).finish(|line| {
            log.take(line);
        });
    });
    Ok(())
}

#[wasm_bindgen]
extern "C" {
    type Stream;
    #[wasm_bindgen(catch, method, js_name = getReader)]
    fn get_reader(this: &Stream, options: &Object) -> Result<Reader, JsValue>;

    type Reader;
    #[wasm_bindgen(method)]
    fn read(this: &Reader, into: &Uint8Array) -> Promise;
}

/// The bytes of a file, in parts. A reader that takes buffers ("bring your own buffer", Streams Standard, section 4.5) reads
/// them into two buffers in turn. Otherwise the browser allocates a buffer for each part and collects it late, which takes
/// some 200 MB for a million events. Safari has no such reader, so it does that.
struct Parts(Reader);

impl Parts {
    fn new(file: &File) -> Result<Self, JsValue> {
        let stream: Stream = file.stream().unchecked_into();
        let options = Object::new();
        Reflect::set(&options, &"mode".into(), &"byob".into())?;
        let reader = stream.get_reader(&options).or_else(|_| stream.get_reader(&Object::new()))?;
        Ok(Self(reader))
    }

    /// The next part, in the buffer that is given if the browser can; `None` at the end.
    fn read(&self, into: &Uint8Array) -> impl Future<Output = Result<Option<Uint8Array>, JsValue>> + use<> {
        let reading = JsFuture::from(self.0.read(into));
        async {
            let result = reading.await?;
            let is_done = Reflect::get(&result, &"done".into())?.is_truthy();
            Ok(if is_done { None } else { Some(Reflect::get(&result, &"value".into())?.unchecked_into()) })
        }
    }
}

/// Divides work into tasks of [`SLICE`] milliseconds. With a timer each would wait for 4 ms (HTML, "timers", step 11).
struct TimeSlice {
    channel: MessageChannel,
    began: Cell<f64>,
}

impl TimeSlice {
    fn new() -> Result<Self, JsValue> {
        Ok(Self { channel: MessageChannel::new()?, began: Cell::new(now()) })
    }

    /// Returns at once while the slice lasts, else in the next task.
    async fn wait(&self) {
        if now() - self.began.get() < SLICE {
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
