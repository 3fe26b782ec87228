//! The sources of events: the server, pages of this origin, the page around this one, a file, the demonstration. A source
//! knows only the [`Sink`] that takes its events.

mod demonstration;
mod embedded;
mod feed;
mod file;
mod pages;
mod server;
mod sink;
mod stream;

use std::rc::Rc;

pub(crate) use demonstration::demonstrate;
pub(crate) use embedded::is_embedded;
pub(crate) use feed::Feed;
pub(crate) use file::read;
pub(crate) use server::post;
pub(crate) use sink::{Connection, ServerStats, Sink};
pub(crate) use stream::{address_of_all, wanted};

/// Listens to the page around this one, or else to the server and this origin's pages.
pub(crate) fn connect(sink: &Rc<dyn Sink>) -> Feed {
    if is_embedded()
        && let Some(listener) = embedded::Listener::start(sink)
    {
        return Feed::new(listener);
    }
    Feed::new((stream::Stream::open(sink), pages::Channel::open(sink)))
}
