//! The compact form of lowerings, in which the engine carries them. Reading them as text took a third of what
//! compiling costs in a short run, and finding [`super::Traits`] there a sixth of the rest.

use super::model::Lowering;

impl Lowering {
    /// The bytes.
    ///
    /// # Panics
    /// Never: lowerings hold nothing that has no bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_allocvec(self).expect("plain data")
    }

    /// Reads what [`Lowering::to_bytes`] gave. None for anything else.
    pub fn from_bytes(bytes: &[u8]) -> Option<Lowering> {
        postcard::from_bytes(bytes).ok()
    }
}
