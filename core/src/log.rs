//! The event log: one line of JSON for each event, as agents send it and the dashboard reads it.
