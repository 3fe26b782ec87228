//! From an event to its line, as the package writes it.

use super::event::Event;
use super::key::Key;
use super::line::Line;
use super::text::Text;

impl Event<'_> {
    /// The event as one line of JSON, without a line break: [`Event::parse`] reads the same event of it.
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
        line.member(Key::Type, &Text::from(self.kind.name()));
        self.kind.write(&mut line);
        line.whole()
    }
}
