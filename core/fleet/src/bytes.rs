//! The compact form of states and deltas: unsigned LEB128 numbers, and texts with their length.
//!
//! Reading never panics, and never allocates more than the input could hold.

/// The version of the form of states and deltas. It is part of every key, so two versions of this crate never share a
/// state.
pub const SCHEMA: u8 = 1;

/// Bytes that are neither a state nor a delta.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// They begin with another mark.
    #[error("these bytes are no state of a fleet: something else has written the key")]
    Foreign,
    /// Another version of this crate wrote them.
    #[error("these bytes have schema {0}, and this version reads schema {SCHEMA}")]
    Schema(u8),
    /// They begin correctly, but are cut or damaged.
    #[error("these bytes are cut or damaged")]
    Broken,
}

/// Writes numbers and texts.
#[derive(Debug, Default)]
pub(super) struct Writer(Vec<u8>);

impl Writer {
    /// Begins with the header of every form: two letters, the form, and its schema.
    pub(super) fn new(form: u8) -> Self {
        Self(vec![b'H', b'F', form, SCHEMA])
    }

    pub(super) fn number(&mut self, mut number: u64) -> &mut Self {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
        self
    }

    pub(super) fn numbers<const N: usize>(&mut self, numbers: [u64; N]) -> &mut Self {
        for number in numbers {
            self.number(number);
        }
        self
    }

    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        self.number(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
        self
    }

    /// A list: its length, then each item.
    pub(super) fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) -> &mut Self {
        self.number(items.len() as u64);
        for item in items {
            write(self, item);
        }
        self
    }

    pub(super) fn done(self) -> Vec<u8> {
        self.0
    }
}

/// Reads the output of a [`Writer`].
#[derive(Debug)]
pub(super) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8], form: u8) -> Result<Self, Misfit> {
        match bytes.split_at_checked(4) {
            Some(([b'H', b'F', found, schema], rest)) if *found == form => {
                if *schema == SCHEMA {
                    Ok(Self(rest))
                } else {
                    Err(Misfit::Schema(*schema))
                }
            }
            _ => Err(Misfit::Foreign),
        }
    }

    pub(super) fn number(&mut self) -> Result<u64, Misfit> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first().ok_or(Misfit::Broken)?;
            self.0 = rest;
            let part = u64::from(byte & 0x7f);
            if shift == 63 && part > 1 {
                return Err(Misfit::Broken);
            }
            number |= part << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(Misfit::Broken)
    }

    pub(super) fn numbers<const N: usize>(&mut self) -> Result<[u64; N], Misfit> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = self.number()?;
        }
        Ok(numbers)
    }

    pub(super) fn count(&mut self) -> Result<u32, Misfit> {
        u32::try_from(self.number()?).map_err(|_| Misfit::Broken)
    }

    pub(super) fn flag(&mut self) -> Result<bool, Misfit> {
        match self.number()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Misfit::Broken),
        }
    }

    pub(super) fn text(&mut self) -> Result<String, Misfit> {
        let length = usize::try_from(self.number()?).map_err(|_| Misfit::Broken)?;
        let (text, rest) = self.0.split_at_checked(length).ok_or(Misfit::Broken)?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).map_err(|_| Misfit::Broken)
    }

    /// Reads a list whose items take at least one byte each.
    pub(super) fn list<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T, Misfit>,
    ) -> Result<Vec<T>, Misfit> {
        let length = self.number()?;
        if length > self.0.len() as u64 {
            return Err(Misfit::Broken);
        }
        (0..length).map(|_| read(self)).collect()
    }

    /// Fails if bytes are left over.
    pub(super) fn end(self) -> Result<(), Misfit> {
        if self.0.is_empty() { Ok(()) } else { Err(Misfit::Broken) }
    }
}
