//! After retrying: where to go, what to report, how to explain.
