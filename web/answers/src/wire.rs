//! How questions and answers cross from one module's memory to the other's: as text, every part with its length before it.
//!
//! These are netstrings (D. J. Bernstein, 1997, <https://cr.yp.to/proto/netstrings.txt>) without their commas: whatever
//! stands in a part, it cannot be taken for the end of one.

/// A value that can cross.
pub trait Wire: Sized {
    /// Writes it behind what is there.
    fn write(&self, to: &mut String);
    /// Reads it and moves on; `None` for what was not written so.
    fn read(from: &mut &str) -> Option<Self>;
}

/// As text.
pub fn to_text(value: &impl Wire) -> String {
    let mut out = String::new();
    value.write(&mut out);
    out
}

/// From the whole of a text.
pub fn from_text<T: Wire>(mut text: &str) -> Option<T> {
    let value = T::read(&mut text)?;
    text.is_empty().then_some(value)
}

fn put(part: &str, to: &mut String) {
    to.push_str(&part.len().to_string());
    to.push(':');
    to.push_str(part);
}

fn take<'a>(from: &mut &'a str) -> Option<&'a str> {
    let (length, rest) = from.split_once(':')?;
    let (part, rest) = rest.split_at_checked(length.parse().ok()?)?;
    *from = rest;
    Some(part)
}

impl Wire for String {
    fn write(&self, to: &mut String) {
        put(self, to);
    }

    fn read(from: &mut &str) -> Option<Self> {
        take(from).map(str::to_owned)
    }
}

impl Wire for bool {
    fn write(&self, to: &mut String) {
        put(if *self { "1" } else { "" }, to);
    }

    fn read(from: &mut &str) -> Option<Self> {
        take(from).map(|part| !part.is_empty())
    }
}

impl Wire for u64 {
    fn write(&self, to: &mut String) {
        put(&self.to_string(), to);
    }

    fn read(from: &mut &str) -> Option<Self> {
        take(from)?.parse().ok()
    }
}

/// Crosses as its bits, because decimals cannot express every double and would have to be parsed.
impl Wire for f64 {
    fn write(&self, to: &mut String) {
        self.to_bits().write(to);
    }

    fn read(from: &mut &str) -> Option<Self> {
        u64::read(from).map(Self::from_bits)
    }
}

impl<T: Wire> Wire for Option<T> {
    fn write(&self, to: &mut String) {
        self.is_some().write(to);
        if let Some(value) = self {
            value.write(to);
        }
    }

    fn read(from: &mut &str) -> Option<Self> {
        if bool::read(from)? { T::read(from).map(Some) } else { Some(None) }
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn write(&self, to: &mut String) {
        for item in self {
            true.write(to);
            item.write(to);
        }
        false.write(to);
    }

    fn read(from: &mut &str) -> Option<Self> {
        let mut items = Self::new();
        while bool::read(from)? {
            items.push(T::read(from)?);
        }
        Some(items)
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn write(&self, to: &mut String) {
        self.0.write(to);
        self.1.write(to);
    }

    fn read(from: &mut &str) -> Option<Self> {
        Some((A::read(from)?, B::read(from)?))
    }
}

/// Structs that cross, field by field.
macro_rules! crossing {
    ($($(#[$of:meta])* pub struct $name:ident { $($(#[$field_of:meta])* pub $field:ident: $type:ty,)* })*) => {$(
        $(#[$of])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name {
            $($(#[$field_of])* pub $field: $type,)*
        }

        impl $crate::wire::Wire for $name {
            fn write(&self, _to: &mut String) {
                $($crate::wire::Wire::write(&self.$field, _to);)*
            }

            fn read(_from: &mut &str) -> Option<Self> {
                $(let $field = $crate::wire::Wire::read(_from)?;)*
                Some(Self { $($field),* })
            }
        }
    )*};
}
pub(crate) use crossing;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_crosses_arrives_as_it_was() {
        let value = vec![
            (String::from("3:x1:"), Some(f64::INFINITY)),
            (String::from("é\u{0}\n"), None),
            (String::new(), Some(-0.1)),
        ];
        assert_eq!(from_text(&to_text(&value)), Some(value));
        assert_eq!(from_text::<(bool, bool)>(&to_text(&(true, false))), Some((true, false)));
        let nan: f64 = from_text(&to_text(&f64::NAN)).unwrap();
        assert!(nan.is_nan());
    }

    #[test]
    fn what_was_not_written_so_is_refused() {
        for text in ["", "3:ab", "1:é", "x:a", "-1:a", "1a", "99999999999999999999:a"] {
            assert_eq!(from_text::<String>(text), None, "{text}");
        }
        assert_eq!(from_text::<String>("1:ab"), None, "what follows is no part of it");
        assert_eq!(from_text::<Vec<String>>("1:1"), None);
    }
}
