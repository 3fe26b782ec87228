//! A memo of one type inside, whatever it keeps: Leptos compiles the whole of a memo anew for each type of value.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::Arc;
use upstream::prelude::{Get, GetUntracked};

/// What a memo keeps, without its type, and how two of them are compared.
#[derive(Clone)]
struct Kept {
    value: Arc<dyn Any + Send + Sync>,
    same: fn(&dyn Any, &dyn Any) -> bool,
}

impl PartialEq for Kept {
    fn eq(&self, other: &Self) -> bool {
        (self.same)(&*self.value, &*other.value)
    }
}

type Make = Box<dyn Fn(Option<&Kept>) -> Kept + Send + Sync>;

/// A value that is made again when a signal changes that it was made from; who reads it is told when it differs.
pub struct Memo<T> {
    inner: upstream::prelude::Memo<Kept>,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for Memo<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Memo<T> {}

impl<T: PartialEq + Send + Sync + 'static> Memo<T> {
    /// A memo of what `make` says; it is given what it said before.
    pub fn new(make: impl Fn(Option<&T>) -> T + Send + Sync + 'static) -> Self {
        let make = move |before: Option<&Kept>| {
            let before = before.and_then(|kept| kept.value.downcast_ref());
            Kept { value: Arc::new(make(before)), same: same::<T> }
        };
        Self { inner: erased(Box::new(make)), of: PhantomData }
    }

    /// Reads it, and is told of changes.
    pub fn with<R>(&self, read: impl FnOnce(&T) -> R) -> R {
        read(typed(&self.inner.get()))
    }

    /// Reads it, and is not told of changes.
    pub fn with_untracked<R>(&self, read: impl FnOnce(&T) -> R) -> R {
        read(typed(&self.inner.get_untracked()))
    }

    /// Is told of changes, without reading it.
    ///
    /// It is made, though: a memo that nobody has ever read knows nothing of the signals that it depends on, and would
    /// never tell of a change.
    pub fn track(&self) {
        drop(self.inner.get());
    }

    /// A copy of it; is told of changes.
    pub fn get(&self) -> T
    where
        T: Clone,
    {
        self.with(T::clone)
    }

    /// A copy of it; is not told of changes.
    pub fn get_untracked(&self) -> T
    where
        T: Clone,
    {
        self.with_untracked(T::clone)
    }
}

fn erased(make: Make) -> upstream::prelude::Memo<Kept> {
    upstream::prelude::Memo::new(make)
}

fn typed<T: 'static>(kept: &Kept) -> &T {
    let Some(value) = kept.value.downcast_ref() else {
        unreachable!("a memo keeps values of one type: `Memo::new` is the only one to make them")
    };
    value
}

fn same<T: PartialEq + 'static>(one: &dyn Any, other: &dyn Any) -> bool {
    one.downcast_ref::<T>() == other.downcast_ref::<T>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use upstream::prelude::{Owner, RwSignal, Set};

    #[test]
    fn a_memo_that_is_only_tracked_tells_of_changes() {
        let owner = Owner::new();
        owner.set();
        let signal = RwSignal::new(1);
        let tracked = Memo::new(move |_| signal.get());
        let follows = Memo::new(move |before: Option<&u32>| {
            tracked.track();
            before.map_or(0, |before| before + 1)
        });
        assert_eq!(follows.get_untracked(), 0);
        signal.set(2);
        assert_eq!(follows.get_untracked(), 1);
        signal.set(2);
        assert_eq!(follows.get_untracked(), 1);
    }
}
