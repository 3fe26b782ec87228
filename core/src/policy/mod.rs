//! What to do now: retry, wait, break, queue, refuse or give up.
