//! Lays out a log in a viewport: pure functions with native tests.

use halfopen_store::time::Place;
pub mod axis;
pub mod hatch;
pub mod pan;
pub mod range;
pub mod sight;
pub mod timeline;

/// The visible part of the time axis, and its width in pixels. `from` and `to` are places on the axis, which are moments
/// unless idle time is folded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    pub from: Place,
    pub to: Place,
    pub width: f64,
}

impl Viewport {
    /// From one number of milliseconds to another.
    #[cfg(test)]
    pub(crate) const fn of_ms(from: f64, to: f64, width: f64) -> Self {
        Self { from: Place::from_ms(from), to: Place::from_ms(to), width }
    }

    /// The pixel of a place.
    pub fn x(&self, place: Place) -> f64 {
        (place - self.from) / (self.to - self.from).max(1e-6) * self.width
    }

    /// The place of a pixel.
    pub fn place(&self, x: f64) -> Place {
        self.from + x / self.width.max(1.0) * (self.to - self.from)
    }

    /// Zooms to `factor` times the width, with the place under pixel `x` fixed.
    pub fn zoomed(&self, factor: f64, x: f64) -> Self {
        let centre = self.place(x);
        let span = ((self.to - self.from) * factor).clamp(SHORTEST, LONGEST);
        let share = (x / self.width.max(1.0)).clamp(0.0, 1.0);
        Self { from: centre - span * share, to: centre + span * (1.0 - share), width: self.width }
    }

    /// Moves by pixels.
    pub fn moved(&self, pixels: f64) -> Self {
        let by = pixels / self.width.max(1.0) * (self.to - self.from);
        Self { from: self.from + by, to: self.to + by, width: self.width }
    }
}

/// The least and the most that a viewport shows, in milliseconds.
const SHORTEST: f64 = 5.0;
const LONGEST: f64 = 30.0 * 86_400_000.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zooming_keeps_the_place_under_the_pointer() {
        let viewport = Viewport::of_ms(1000.0, 2000.0, 500.0);
        let zoomed = viewport.zoomed(0.25, 100.0);
        assert!((zoomed.place(100.0) - viewport.place(100.0)).abs() < 1e-9);
        assert!((zoomed.to - zoomed.from - 250.0).abs() < 1e-9);
        assert!((viewport.moved(50.0).from - Place::from_ms(1100.0)).abs() < 1e-9);
    }
}
