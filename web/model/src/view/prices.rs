//! The user's prices: a line for each model, in any currency, for a million tokens; and what tokens cost by them.

/// One line: which models it is about, and what a million tokens cost.
#[derive(Clone, Debug, PartialEq)]
struct Price {
    /// A model's name, or its beginning and a `*`.
    model: String,
    input: f64,
    output: f64,
}

/// The price table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prices {
    rows: Vec<Price>,
    /// The faults of lines that cannot be read, with the expected form.
    pub misread: Vec<String>,
}

impl Prices {
    /// Reads lines such as `gpt-5* 1.25 10`. Text after a `#` is a note.
    pub fn parse(text: &str) -> Self {
        let mut prices = Self::default();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default();
            let words: Vec<_> = line.split_whitespace().collect();
            match words[..] {
                [] => {}
                [model, input, output] if price(input).is_some() && price(output).is_some() => {
                    let [input, output] = [input, output].map(|text| price(text).unwrap_or_default());
                    prices.rows.push(Price { model: model.to_lowercase(), input, output });
                }
                _ => prices.misread.push(format!(
                    "Line {number}: expected a model and two prices for a million tokens, in and out: gpt-5* 1.25 10"
                )),
            }
        }
        prices
    }

    /// Returns `true` if no model has a price.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The cost of a model's tokens; `None` for a model without a price. The first line that fits counts.
    #[expect(clippy::cast_precision_loss, reason = "counts of tokens")]
    pub fn cost(&self, model: &str, input: u64, output: u64) -> Option<f64> {
        let model = model.to_lowercase();
        let fits = |row: &&Price| {
            row.model.strip_suffix('*').map_or(row.model == model, |start| model.starts_with(start))
        };
        let row = self.rows.iter().find(fits)?;
        Some((input as f64 * row.input + output as f64 * row.output) / 1e6)
    }
}

/// Tokens in and out.
pub type Tokens = (u64, u64);

/// The tokens of attempts, and their cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spent {
    pub tokens: Tokens,
    /// Of these, the tokens of failed attempts.
    pub lost: Tokens,
    /// The cost of all tokens and of those of failed attempts, by the prices that are known.
    pub cost: Option<(f64, f64)>,
    /// Models that took tokens and have no price.
    pub unpriced: Vec<String>,
}

impl Spent {
    /// Adds the tokens of a model, and those of its failed attempts.
    pub fn add(&mut self, model: &str, tokens: Tokens, lost: Tokens, prices: &Prices) {
        self.tokens = (self.tokens.0 + tokens.0, self.tokens.1 + tokens.1);
        self.lost = (self.lost.0 + lost.0, self.lost.1 + lost.1);
        let of = |(input, output)| prices.cost(model, input, output);
        if let (Some(all), Some(failed)) = (of(tokens), of(lost)) {
            let sum = self.cost.get_or_insert((0.0, 0.0));
            *sum = (sum.0 + all, sum.1 + failed);
        } else {
            let name = if model.is_empty() { "a model without a name" } else { model };
            self.unpriced.push(name.to_owned());
        }
    }
}

fn price(text: &str) -> Option<f64> {
    halfopen_log::number(text).filter(|price| price.is_finite() && *price >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_fits_a_model_has_its_price() {
        let prices = Prices::parse("gpt-5-mini 0.25 2 # small\n\nGPT-5* 1.25 10\nclaude* 3 15\n");
        assert_eq!(prices.misread, Vec::<String>::new());
        for (model, expected) in [
            ("gpt-5-mini", Some(2.25)),
            ("gpt-5-pro", Some(11.25)),
            ("Claude-Sonnet", Some(18.0)),
            ("other", None),
            ("", None),
        ] {
            assert_eq!(prices.cost(model, 1_000_000, 1_000_000), expected, "{model}");
        }
    }

    #[test]
    fn a_line_that_cannot_be_read_is_named_and_the_others_count() {
        let prices = Prices::parse("gpt-5 one 2\nclaude 3 15\ngpt -1 2\na 1");
        let lines: Vec<_> = prices.misread.iter().map(|why| why.split(':').next().unwrap()).collect();
        assert_eq!(lines, ["Line 1", "Line 3", "Line 4"]);
        assert_eq!(prices.cost("claude", 1_000_000, 0), Some(3.0));
    }
}
