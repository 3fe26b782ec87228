//! From a log and a viewport to boxes: pure functions, tried natively.

pub mod axis;
pub mod pan;
pub mod range;
pub mod timeline;

/// The part of the time axis that is shown, and on how many pixels. `from` and `to` are places on the axis, which are
/// moments where idle time is not folded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    pub from: f64,
    pub to: f64,
    pub width: f64,
}

impl Viewport {
    /// The pixel of a place.
    pub fn x(&self, place: f64) -> f64 {
        (place - self.from) / (self.to - self.from).max(1e-6) * self.width
    }

    /// The place of a pixel.
    pub fn place(&self, x: f64) -> f64 {
        self.from + x / self.width.max(1.0) * (self.to - self.from)
    }

    /// Shown `factor` times as wide, with the place under pixel `x` staying there.
    pub fn zoomed(&self, factor: f64, x: f64) -> Self {
        let centre = self.place(x);
        let span = ((self.to - self.from) * factor).clamp(SHORTEST, LONGEST);
        let share = (x / self.width.max(1.0)).clamp(0.0, 1.0);
        Self { from: centre - span * share, to: centre + span * (1.0 - share), width: self.width }
    }

    /// Moved by pixels.
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
        let viewport = Viewport { from: 1000.0, to: 2000.0, width: 500.0 };
        let zoomed = viewport.zoomed(0.25, 100.0);
        assert!((zoomed.place(100.0) - viewport.place(100.0)).abs() < 1e-9);
        assert!((zoomed.to - zoomed.from - 250.0).abs() < 1e-9);
        assert!((viewport.moved(50.0).from - 1100.0).abs() < 1e-9);
    }
}
