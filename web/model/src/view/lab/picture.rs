//! The charts as a file: SVG with its colours inside, so that it looks the same everywhere.

use super::chart::{Chart, TRACK};
use super::outcome::Outcome;
use std::fmt::Write;

/// Colours of policies, in their order, for a light ground: those of `web/style/lab.css`.
pub const COLOURS: [&str; 4] = ["#a3195b", "#1f5fc4", "#0b6b78", "#7a5c00"];
/// How the lines are dashed: colour alone says nothing to some.
pub const DASHES: [&str; 4] = ["", "7 3", "2 3", "9 3 2 3"];

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// How high the legend is.
#[expect(clippy::cast_precision_loss, reason = "a few policies")]
fn legend(outcome: &Outcome) -> f64 {
    20.0 * outcome.policies.len() as f64 + 14.0
}

/// How high the picture is.
pub fn height(outcome: &Outcome, chart: &Chart) -> f64 {
    chart.height + legend(outcome)
}

/// The charts of an outcome, with a legend.
#[expect(clippy::cast_precision_loss, reason = "a few policies")]
pub fn svg(outcome: &Outcome, chart: &Chart) -> String {
    let legend = legend(outcome);
    let (width, height) = (chart.width, height(outcome, chart));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"system-ui, sans-serif\" font-size=\"12\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    let colour = |index: usize| COLOURS.get(index).copied().unwrap_or("#4c5a70");
    let dash = |index: usize| DASHES.get(index).copied().unwrap_or_default();
    for (index, policy) in outcome.policies.iter().enumerate() {
        let y = 20.0 * index as f64 + 16.0;
        let _ = writeln!(
            out,
            "<path d=\"M10 {y}h34\" stroke=\"{}\" stroke-width=\"2\" stroke-dasharray=\"{}\"/><text x=\"52\" y=\"{}\">{}</text>",
            colour(index),
            dash(index),
            y + 4.0,
            escaped(&policy.name),
        );
    }
    let _ = writeln!(out, "<g transform=\"translate(0 {legend})\">");
    let bottom = chart.panels.last().map_or(0.0, |panel| panel.bottom);
    for (from, to, name) in &chart.faults {
        let _ = writeln!(
            out,
            "<rect x=\"{from:.1}\" y=\"18\" width=\"{:.1}\" height=\"{:.1}\" fill=\"#fde7e9\"><title>{}</title></rect>",
            (to - from).max(1.0),
            bottom - 18.0,
            escaped(name),
        );
    }
    for panel in &chart.panels {
        let _ = writeln!(
            out,
            "<text x=\"0\" y=\"{}\" font-weight=\"600\">{}</text>",
            panel.top - 8.0,
            panel.title
        );
        for (y, says) in &panel.ticks {
            let _ = writeln!(
                out,
                "<path d=\"M{} {y:.1}H{}\" stroke=\"#e6e8ed\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#565e6c\">{says}</text>",
                chart.left,
                chart.right,
                chart.left - 6.0,
                y + 4.0,
            );
        }
        if let Some(requested) = &panel.requested {
            let _ = writeln!(
                out,
                "<path d=\"{requested}\" fill=\"none\" stroke=\"#565e6c\" stroke-dasharray=\"1 3\"/>"
            );
        }
        for (index, line) in &panel.measured {
            let _ = writeln!(
                out,
                "<path d=\"{line}\" fill=\"none\" stroke=\"{}\" stroke-width=\"5\" opacity=\"0.3\"/>",
                colour(*index),
            );
        }
        for (index, line) in panel.lines.iter().enumerate() {
            let _ = writeln!(
                out,
                "<path d=\"{line}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" stroke-dasharray=\"{}\"/>",
                colour(index),
                dash(index),
            );
        }
    }
    let _ =
        writeln!(out, "<text x=\"0\" y=\"{}\" font-weight=\"600\">Breakers open</text>", chart.tracks_title);
    for (index, track) in chart.tracks.iter().enumerate() {
        let (left, y) = (chart.left, track.top + TRACK);
        let _ = writeln!(
            out,
            "<path d=\"M{left} {y}H{}\" stroke=\"#e6e8ed\"/><text x=\"{}\" y=\"{}\" fill=\"#565e6c\">{}</text>",
            chart.right,
            left + 4.0,
            y - 3.0,
            escaped(&track.says),
        );
        for (x, width, share, is_half) in &track.spans {
            let _ = writeln!(
                out,
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"{}\" opacity=\"{}\"/>",
                track.top + TRACK * (1.0 - share),
                TRACK * share,
                colour(index),
                if *is_half { 0.4 } else { 1.0 },
            );
        }
    }
    for (x, says) in &chart.ticks {
        let anchor = if *x > chart.right - 12.0 { "end" } else { "middle" };
        let _ = writeln!(
            out,
            "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"{anchor}\" fill=\"#565e6c\">{says}</text>",
            chart.height - 6.0
        );
    }
    out.push_str("</g>\n</svg>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::super::chart::chart;
    use super::super::outcome::stage::outcome;
    use super::*;

    #[test]
    fn the_picture_stands_on_its_own() {
        let mut outcome = outcome();
        outcome.policies[0].name = "<bad> & \"worse\"".into();
        let svg = svg(&outcome, &chart(&outcome, &[], 800.0));
        assert!(svg.starts_with("<svg xmlns") && svg.contains("&lt;bad&gt; &amp; &quot;worse&quot;"));
        assert!(!svg.contains("var(") && svg.matches("<path").count() > 8);
    }
}
