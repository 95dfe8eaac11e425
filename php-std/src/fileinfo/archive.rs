//! Archives of tar, whose header is checked by its sum.

/// The length of a header.
const LENGTH: usize = 512;

/// What kind of archive of tar begins here, if one does, and how names of its files end.
pub(super) fn tar(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    let header = bytes.get(..LENGTH)?;
    let field = &header[148..156];
    let digits: Vec<u8> = field
        .iter()
        .copied()
        .skip_while(u8::is_ascii_whitespace)
        .take_while(|byte| (b'0'..=b'7').contains(byte))
        .collect();
    let told = u32::from_str_radix(std::str::from_utf8(&digits).ok()?, 8).ok()?;
    // The sum is made with blanks in its own place.
    let sum = |bytes: &[u8]| bytes.iter().map(|&byte| u32::from(byte)).sum::<u32>();
    let found = sum(&header[..148]) + 8 * u32::from(b' ') + sum(&header[156..]);
    if told != found {
        return None;
    }
    Some(match &header[257..265] {
        b"ustar  \0" => ("POSIX tar archive (GNU)", "tar/gtar"),
        [b'u', b's', b't', b'a', b'r', ..] => ("POSIX tar archive", "tar/ustar"),
        _ => ("tar archive", "tar"),
    })
}
