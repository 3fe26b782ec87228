//! One sort for all lists. `slice::sort_by` is compiled anew for each kind of element, four KiB of wasm each; here places are
//! sorted, which are the same kind for all, and the elements moved to them.

use std::cmp::Ordering;

/// Sorts by `compare`; equal ones stay as they came.
pub(crate) fn sort_by<T>(items: &mut Vec<T>, compare: impl Fn(&T, &T) -> Ordering) {
    let order = places(items.len(), &|a, b| match (items.get(a), items.get(b)) {
        (Some(a), Some(b)) => compare(a, b),
        _ => Ordering::Equal,
    });
    let mut taken: Vec<_> = items.drain(..).map(Some).collect();
    items.extend(order.into_iter().filter_map(|place| taken.get_mut(place)?.take()));
}

/// The places from 0 on, in the order of what stands there; of equal ones the first is first.
pub(crate) fn places(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<_> = (0..count).collect();
    places.sort_unstable_by(|&a, &b| compare(a, b).then(a.cmp(&b)));
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_sorts_as_the_standard_library_does() {
        let mut words: Vec<String> =
            "of cabbages and kings and why the sea".split(' ').map(Into::into).collect();
        let mut known = words.clone();
        known.sort_by_key(String::len);
        sort_by(&mut words, |a, b| a.len().cmp(&b.len()));
        assert_eq!(words, known);
        sort_by(&mut Vec::<String>::new(), |_, _| Ordering::Less);
    }
}
