//! Slanted lines that fill a box, each cut at the box's edges: letting the canvas clip them took longer than drawing them.

/// From the left edge of one line to that of the next, in pixels.
const GAP: f64 = 5.0;

/// A point, in pixels.
pub type Point = (f64, f64);

/// The lines of a box, from its left to its right: each from its lower to its upper end.
pub fn lines(x: f64, y: f64, width: f64, height: f64) -> impl Iterator<Item = (Point, Point)> {
    let (right, bottom) = (x + width, y + height);
    let starts = std::iter::successors(Some(x - height + GAP), |at| Some(at + GAP));
    starts.take_while(move |&at| at < right).map(move |at| {
        let (over_left, over_right) = ((x - at).max(0.0), (at + height - right).max(0.0));
        ((at + over_left, bottom - over_left), (at + height - over_right, y + over_right))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_lies_in_the_box_and_rises_as_much_as_it_goes_to_the_right() {
        for (width, height) in [(100.0, 12.0), (12.0, 14.0), (3.0, 12.0), (0.5, 12.0)] {
            let (x, y) = (20.0, 40.0);
            let all: Vec<_> = lines(x, y, width, height).collect();
            assert!(!all.is_empty());
            for ((x1, y1), (x2, y2)) in all {
                let inside = |at: f64, from: f64, size: f64| (from - 1e-9..=from + size + 1e-9).contains(&at);
                assert!(inside(x1, x, width) && inside(x2, x, width), "{x1} {x2} of {width}");
                assert!(inside(y1, y, height) && inside(y2, y, height), "{y1} {y2} of {height}");
                assert!((x2 - x1 - (y1 - y2)).abs() < 1e-9);
            }
        }
    }
}
