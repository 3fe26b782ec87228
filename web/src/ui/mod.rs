//! Small shared parts of the views.

pub(crate) mod badge;
pub(crate) mod canvas;
pub(crate) mod copy;
pub(crate) mod dialog;
pub(crate) mod download;
pub(crate) mod narrow;
pub(crate) mod storage;
pub(crate) mod theme;
pub(crate) mod waiting;
pub(crate) mod wall_clock;
