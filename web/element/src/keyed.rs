//! A list whose rows stay as they are while their keys are in it: Leptos's `For`, compiled once for all lists.

use std::hash::{DefaultHasher, Hash, Hasher};
use upstream::control_flow::{For, ForProps};
use upstream::prelude::{AnyView, IntoAny, IntoView};

/// One row, without its type.
struct Row {
    key: u64,
    view: Box<dyn FnOnce() -> AnyView + Send>,
}

type Rows = Box<dyn Fn() -> Vec<Row> + Send>;

/// The rows of `items`, each drawn by `view` when its key comes, and kept until it goes. Keys are compared by 64 bits of
/// their hash.
pub fn keyed<T, K, V>(
    items: impl Fn() -> Vec<T> + Send + 'static,
    key: impl Fn(&T) -> K + Send + 'static,
    view: impl Fn(T) -> V + Clone + Send + 'static,
) -> AnyView
where
    T: Send + 'static,
    K: Hash,
    V: IntoView + 'static,
{
    let row = move |item: T| {
        let mut hasher = DefaultHasher::new();
        key(&item).hash(&mut hasher);
        let view = view.clone();
        Row { key: hasher.finish(), view: Box::new(move || view(item).into_any()) }
    };
    erased(Box::new(move || items().into_iter().map(&row).collect()))
}

fn erased(rows: Rows) -> AnyView {
    For(ForProps::builder().each(rows).key(|row: &Row| row.key).children(|row: Row| (row.view)()).build())
        .into_any()
}
