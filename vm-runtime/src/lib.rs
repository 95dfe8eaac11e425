//! Values, heap, frames and the generated interpreter of Opline.
