//! PHP values: the 16-byte [`Zval`] that handlers and machine code share, the owning [`Value`]
//! for Rust code, and the release of counted values.

mod handle;
mod owned;
mod reference;
mod release;
mod zval;

pub use handle::{
    ArrayHandle, Counted, Handle, ObjectHandle, ReferenceHandle, ResourceHandle, StringHandle,
};
pub use owned::{Value, ValueKind};
pub use reference::{PhpReference, PhpResource, make_reference};
pub(crate) use release::lost_owner;
pub use release::{destroy, release, release_temporary};
pub use zval::*;
