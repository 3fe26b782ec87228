//! The arithmetic of moving a range by hand: a drag, or a pinch with two fingers.

use super::Viewport;

/// Fingers nearer to each other than this, in pixels, count as that far apart.
const NEAR: f64 = 20.0;

/// A finger or the mouse: its position when the viewport was saved, and its position now.
#[derive(Clone, Copy, PartialEq)]
pub struct Pointer {
    pub id: i32,
    pub was: f64,
    pub is: f64,
}

/// The pointers on the bars, and the viewport when the last of them was added or removed.
#[derive(Clone, Copy, PartialEq)]
pub struct Held {
    pub one: Pointer,
    pub other: Option<Pointer>,
    pub from: Viewport,
    pub moved: bool,
}

impl Held {
    /// The viewport that keeps the same places under the pointers; the bars begin at `left`.
    pub fn viewport(&self, left: f64) -> Viewport {
        let Self { one, other, from, .. } = self;
        let Some(other) = other else { return from.moved(one.was - one.is) };
        let (was, is) = (f64::midpoint(one.was, other.was), f64::midpoint(one.is, other.is));
        let (apart, now) = ((one.was - other.was).abs().max(NEAR), (one.is - other.is).abs().max(NEAR));
        from.zoomed(apart / now, was - left).moved(was - is)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(one: (f64, f64), other: Option<(f64, f64)>) -> Held {
        let pointer = |id, (was, is)| Pointer { id, was, is };
        let from = Viewport::of_ms(1_000.0, 2_000.0, 500.0);
        Held { one: pointer(1, one), other: other.map(|other| pointer(2, other)), from, moved: true }
    }

    #[test]
    fn what_is_under_a_finger_stays_under_it() {
        let held = held((150.0, 100.0), None);
        assert!((held.viewport(50.0).place(50.0) - held.from.place(100.0)).abs() < 1e-9);
    }

    #[test]
    fn two_fingers_that_go_apart_show_less_and_keep_what_is_under_them() {
        let held = held((150.0, 100.0), Some((250.0, 300.0)));
        let viewport = held.viewport(50.0);
        assert!((viewport.to - viewport.from - 500.0).abs() < 1e-9);
        for pointer in [held.one, held.other.unwrap()] {
            let (was, is) = (held.from.place(pointer.was - 50.0), viewport.place(pointer.is - 50.0));
            assert!((was - is).abs() < 1e-9, "{was:?} {is:?}");
        }
    }
}
