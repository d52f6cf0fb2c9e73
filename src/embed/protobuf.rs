//! Protobuf as far as ONNX files are looked at without being loaded: a tree of numbered fields, read one after the other.
//!
//! A field says what it is and how long before it comes, so that gigabytes can be passed over. Nothing is read or set aside
//! here but that; a length is only a claim until it was held against what there is.

use std::io::{Error, ErrorKind, Read, Result};

/// What stands in a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Value {
    /// A number, which was read.
    Number(u64),
    /// So many bytes, not read yet: a message, a text, numbers.
    Part(u64),
    /// So many bytes that say nothing to us, not read yet.
    Fixed(u64),
}

/// Reads the number of the next field, and what stands in it.
///
/// # Errors
/// Where there is no field, or not the whole of its beginning.
pub(crate) fn field(from: &mut impl Read) -> Result<(u64, Value)> {
    let key = number(from)?;
    let value = match key & 7 {
        0 => Value::Number(number(from)?),
        1 => Value::Fixed(8),
        2 => Value::Part(number(from)?),
        5 => Value::Fixed(4),
        _ => return Err(broken("it is no protobuf")),
    };
    Ok((key >> 3, value))
}

/// A number of up to ten bytes of seven bits.
fn number(from: &mut impl Read) -> Result<u64> {
    let mut number = 0;
    for shift in (0..70).step_by(7) {
        let mut byte = [0];
        from.read_exact(&mut byte).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => broken("a number goes on behind its part"),
            _ => error,
        })?;
        number |= u64::from(byte[0] & 0x7f) << shift;
        if byte[0] < 0x80 {
            return Ok(number);
        }
    }
    Err(broken("a number has no end"))
}

/// The error about bytes that are not what they should be.
pub(crate) fn broken(what: &str) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use prost::encoding::{WireType, encode_key, encode_varint};

    use super::*;

    #[test]
    fn fields_are_read_as_they_are_written_and_no_further() {
        let mut written = Vec::new();
        for (number, kind, value) in [
            (1, WireType::Varint, Some(0)),
            (16, WireType::Varint, Some(u64::MAX)),
            (536_870_911, WireType::LengthDelimited, Some(300)),
            (2, WireType::SixtyFourBit, None),
            (3, WireType::ThirtyTwoBit, None),
        ] {
            encode_key(number, kind, &mut written);
            value.iter().for_each(|value| encode_varint(*value, &mut written));
        }
        let mut rest = written.as_slice();
        let mut next = || field(&mut rest).unwrap();
        assert_eq!([next(), next()], [(1, Value::Number(0)), (16, Value::Number(u64::MAX))]);
        assert_eq!([next(), next()], [(536_870_911, Value::Part(300)), (2, Value::Fixed(8))]);
        assert_eq!((next(), rest.len()), ((3, Value::Fixed(4)), 0));
    }

    #[test]
    fn what_is_no_field_is_an_error() {
        let told = |bytes: &[u8]| field(&mut &*bytes).unwrap_err().to_string();
        for cut in [&[][..], &[0x80], &[8], &[8, 0xff], &[18], &[18, 0x80]] {
            assert!(told(cut).contains("behind its part"), "{cut:?}");
        }
        assert!(told(&[0xff; 11]).contains("no end"));
        assert!([3, 4, 6, 7].into_iter().all(|kind| told(&[8 | kind, 0]).contains("no protobuf")));
    }
}
