//! Interfaces.

use vm_runtime::class::{NativeClass, declare};

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("interface OuterIterator extends Iterator").methods(&[declare(
        "tentative public function getInnerIterator(): ?Iterator",
    )]),
    &NativeClass::new("interface RecursiveIterator extends Iterator").methods(&[
        declare("tentative public function hasChildren(): bool"),
        declare("tentative public function getChildren(): ?RecursiveIterator"),
    ]),
    &NativeClass::new("interface SeekableIterator extends Iterator")
        .methods(&[declare("tentative public function seek(int $offset): void")]),
    &NativeClass::new("interface SplObserver").methods(&[declare(
        "tentative public function update(SplSubject $subject): void",
    )]),
    &NativeClass::new("interface SplSubject").methods(&[
        declare("tentative public function attach(SplObserver $observer): void"),
        declare("tentative public function detach(SplObserver $observer): void"),
        declare("tentative public function notify(): void"),
    ]),
];
