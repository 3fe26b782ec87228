//! Samples of a kind of text from a pattern: `ghp_{b36}` is `ghp_` and 36 letters or digits.

/// SplitMix64: the same samples on every machine and in every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }

    pub(crate) fn one_of<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";

/// The letters that a class of a pattern draws from.
fn alphabet(class: char) -> String {
    match class {
        'h' => "0123456789abcdef".into(),
        'H' => "0123456789ABCDEFabcdef".into(),
        'd' => DIGITS.into(),
        'l' => LOWER.into(),
        'L' => UPPER.into(),
        'a' => format!("{LOWER}{DIGITS}"),
        'A' => format!("{UPPER}{DIGITS}"),
        'b' => format!("{LOWER}{UPPER}{DIGITS}"),
        'w' => format!("{LOWER}{UPPER}{DIGITS}-_"),
        'x' => format!("{LOWER}{DIGITS}-_"),
        's' => format!("{LOWER}{UPPER}{DIGITS}+/"),
        'q' => format!("{LOWER}{UPPER}{DIGITS}-_.~"),
        '2' => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".into(),
        'g' => "abcdefgh0123456789".into(),
        'p' => format!("{LOWER}{UPPER}{DIGITS}!$%^*-_+"),
        _ => panic!("no class {class}"),
    }
}

/// Returns a sample of the pattern: `{h32}` is 32 characters of the class `h`, `{a10-40}` is 10 to 40 of class `a`,
/// `{U}` a UUID, `{one|two}` one of them.
pub(crate) fn sample(pattern: &str, random: &mut Random) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let (hole, behind) = after.split_once('}').expect("a hole ends");
        rest = behind;
        fill(hole, random, &mut out);
    }
    out.push_str(rest);
    out
}

fn fill(hole: &str, random: &mut Random, out: &mut String) {
    if hole.contains('|') {
        let choices: Vec<_> = hole.split('|').collect();
        let choice = random.one_of(&choices);
        // A hole within a choice is written `<h32>`.
        out.push_str(&sample(&choice.replace('<', "{").replace('>', "}"), random));
    } else if hole == "U" {
        out.push_str(&sample("{h8}-{h4}-4{h3}-a{h3}-{h12}", random));
    } else {
        let class = hole.chars().next().unwrap();
        let letters: Vec<char> = alphabet(class).chars().collect();
        let (least, most) = hole[1..].split_once('-').unwrap_or((&hole[1..], &hole[1..]));
        let (least, most): (usize, usize) = (least.parse().unwrap(), most.parse().unwrap());
        let length = least + random.below(most - least + 1);
        let begin = out.len();
        out.extend((0..length).map(|_| letters[random.below(letters.len())]));
        // Dots at the end of a sentence are not the token's.
        if class == 'q' && out.len() > begin {
            out.pop();
            out.push('k');
        }
    }
}
