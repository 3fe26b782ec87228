//! One event, with the fields that all types of event have, and its line, as the package writes it.

use super::key::Key;
use super::kind::Kind;
use super::line::Line;
use super::text::Text;

/// One event of one process.
#[derive(Clone, Debug, PartialEq)]
pub struct Event<'a> {
    /// The format's version.
    pub v: u32,
    /// The process that the event comes from. `None` only for a `retry.scheduled` of an older writer, which used
    /// `source` for the origin of the delay and did not always name the process. The reader then finds the process by the call.
    pub source: Option<Text<'a>>,
    /// Counts within the source.
    pub seq: u64,
    /// Wall time, in milliseconds since 1970.
    pub time: f64,
    /// The policy's name.
    pub policy: Option<Text<'a>>,
    /// The call's id, unique within the source.
    pub call: Option<Text<'a>>,
    /// The call within which this one was made.
    pub parent_call: Option<Text<'a>>,
    /// The trace that the call belongs to.
    pub trace_id: Option<Text<'a>>,
    /// The run of an agent that the event belongs to, or that it is about.
    pub run: Option<Text<'a>>,
    /// The event itself.
    pub kind: Kind<'a>,
}

impl Event<'_> {
    /// The event as one line of JSON, without a line break: [`Event::parse`] reads the same event from it.
    ///
    /// ```
    /// use halfopen_log::Event;
    /// let line = r#"{"v":1,"source":"a1","seq":7,"time":5,"call":"c1","type":"call.dequeued"}"#;
    /// assert_eq!(Event::parse(line)?.to_line(), line);
    /// # Ok::<(), halfopen_log::Rejected>(())
    /// ```
    #[must_use]
    pub fn to_line(&self) -> String {
        let mut line = Line::with_capacity(256);
        line.member(Key::V, &self.v);
        line.member(Key::Source, &self.source);
        line.member(Key::Seq, &self.seq);
        line.member(Key::Time, &self.time);
        line.member(Key::Policy, &self.policy);
        line.member(Key::Call, &self.call);
        line.member(Key::ParentCall, &self.parent_call);
        line.member(Key::TraceId, &self.trace_id);
        line.member(Key::Run, &self.run);
        line.member(Key::Type, &Text::from(self.kind.name()));
        self.kind.write(&mut line);
        line.whole()
    }
}
