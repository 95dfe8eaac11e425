//! How the command is linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Addresses in tables are relocated when the program starts: in the packed form, that reads some
    // kilobytes instead of most of one megabyte.
    println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    // What is marked cold, such as what registers extensions at start-up, stands together: few pages
    // are read for it, and none of it stands between what runs often.
    println!("cargo::rustc-link-arg-bins=-Wl,-z,keep-text-section-prefix");
}
