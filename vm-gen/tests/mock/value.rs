//! Values: scalars, and "strings" and "arrays" that are only a number.

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zval {
    pub payload: u64,
    pub type_info: u32,
    pub extra: u32,
}

impl Zval {
    pub const UNDEF: Zval = Zval { payload: 0, type_info: 0, extra: 0 };

    pub const fn of_long(value: i64) -> Zval {
        Zval { payload: value as u64, type_info: 4, extra: 0 }
    }

    pub const fn of_double(value: f64) -> Zval {
        Zval { payload: value.to_bits(), type_info: 5, extra: 0 }
    }

    /// A counted string or array whose length is its payload.
    pub const fn counted(kind: u32, length: u64) -> Zval {
        Zval { payload: length, type_info: kind | 1 << 8, extra: 0 }
    }

    /// A string: the length in the first byte of the payload, the text in the others.
    pub fn of_text(text: &[u8]) -> Zval {
        let mut payload = [0; 8];
        payload[0] = text.len() as u8;
        payload[1..=text.len()].copy_from_slice(text);
        Zval::counted(6, u64::from_le_bytes(payload))
    }

    /// The text of a string of at most seven bytes.
    pub fn text(&self) -> Vec<u8> {
        let payload = self.payload.to_le_bytes();
        payload[1..=payload[0] as usize].to_vec()
    }

    pub fn type_info(&self) -> u32 {
        self.type_info
    }

    pub fn kind(&self) -> u8 {
        self.type_info as u8
    }

    pub fn long(&self) -> i64 {
        self.payload as i64
    }

    pub fn double(&self) -> f64 {
        f64::from_bits(self.payload)
    }

    pub fn is_refcounted(&self) -> bool {
        self.type_info & 1 << 8 != 0
    }

    pub fn set_long(&mut self, value: i64) {
        *self = Zval::of_long(value);
    }

    pub fn set_double(&mut self, value: f64) {
        *self = Zval::of_double(value);
    }

    pub fn set_bool(&mut self, value: bool) {
        *self = Zval { payload: 0, type_info: 2 + u32::from(value), extra: 0 };
    }

    pub fn set_null(&mut self) {
        *self = Zval { payload: 0, type_info: 1, extra: 0 };
    }
}
