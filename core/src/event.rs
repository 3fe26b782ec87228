//! The ring of events: `Copy` records with numeric ids; text is made at the edge.
