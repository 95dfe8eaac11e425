//! Writing UTF-7 as ICU does, which has no more in base64 than it must.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Writes characters in UTF-7.
#[derive(Debug, Default)]
pub(super) struct Utf7 {
    /// In the middle of base64.
    is_shifted: bool,
    /// Bits that are not written yet, and how many.
    bits: u32,
    count: u32,
}

impl Utf7 {
    pub(super) fn put(&mut self, letter: char, output: &mut Vec<u8>) {
        match u8::try_from(letter) {
            Ok(byte) if is_direct(byte) => {
                self.end_digits(output);
                // It is told from what stands before it.
                if std::mem::take(&mut self.is_shifted) && (byte == b'-' || DIGITS.contains(&byte))
                {
                    output.push(b'-');
                }
                output.push(byte);
            }
            Ok(b'+') if !self.is_shifted => output.extend_from_slice(b"+-"),
            _ => {
                if !std::mem::replace(&mut self.is_shifted, true) {
                    output.push(b'+');
                }
                for unit in letter.encode_utf16(&mut [0; 2]) {
                    self.put_unit(*unit, output);
                }
            }
        }
    }

    fn put_unit(&mut self, unit: u16, output: &mut Vec<u8>) {
        self.bits = self.bits << 16 | u32::from(unit);
        self.count += 16;
        while self.count >= 6 {
            self.count -= 6;
            output.push(DIGITS[(self.bits >> self.count & 63) as usize]);
        }
    }

    /// Writes the bits that are left.
    fn end_digits(&mut self, output: &mut Vec<u8>) {
        if self.count > 0 {
            output.push(DIGITS[(self.bits << (6 - self.count) & 63) as usize]);
            self.count = 0;
        }
    }

    pub(super) fn finish(&mut self, output: &mut Vec<u8>) {
        self.end_digits(output);
        if std::mem::take(&mut self.is_shifted) {
            output.push(b'-');
        }
    }
}

/// Characters that stand for themselves.
fn is_direct(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'}') && !matches!(byte, b'+' | b'\\')
}
