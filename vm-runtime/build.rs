//! Generates the interpreter from the opcode definitions.

fn main() {
    vm_gen::build_script::run();
}
