//! A memo of one type inside, whatever it keeps: Leptos compiles the whole of a memo anew for each type of value.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::Arc;
use upstream::prelude::{Get, GetUntracked, Track};

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
    pub fn track(&self) {
        self.inner.track();
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
