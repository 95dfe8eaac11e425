//! IPTC records: texts about a picture, in its file.

use vm_runtime::function::Call;
use vm_runtime::limits;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use crate::support::{functions, text};

functions! {
    "iptcparse(string $iptc_block): array|false" => iptcparse,
    "iptcembed(string $iptc_data, path $filename, int $spool = 0): string|bool" => iptcembed,
}

/// The records of a block: data set, number and contents.
fn records(block: &[u8]) -> Vec<(u8, u8, &[u8])> {
    let mut records = Vec::new();
    let is_start = |pair: &[u8]| pair[0] == 0x1c && matches!(pair[1], 1 | 2);
    let Some(start) = block.windows(2).position(is_start) else {
        return records;
    };
    let mut rest = &block[start..];
    while let [0x1c, set, number, high, low, after @ ..] = rest {
        let (length, after) = match high & 0x80 != 0 {
            // The length stands in the next four bytes.
            true => match after.split_first_chunk::<4>() {
                Some((length, after)) => (u32::from_be_bytes(*length) as usize, after),
                None => break,
            },
            false => (u16::from_be_bytes([*high, *low]) as usize, after),
        };
        let Some(contents) = after.get(..length) else {
            break;
        };
        records.push((*set, *number, contents));
        rest = &after[length..];
    }
    records
}

fn iptcparse(call: &mut Call<'_>) -> PhpResult<Value> {
    let found = records(call.bytes(0));
    if found.is_empty() {
        return Ok(false.into());
    }
    let mut table = call.vm.new_array();
    for (set, number, contents) in found {
        let key = call.vm.string(format!("{set}#{number:03}"));
        let mut list = match table.get_string(&key) {
            Some(list) => Value::share(list)
                .array()
                .unwrap_or_else(|| call.vm.new_array()),
            None => call.vm.new_array(),
        };
        let contents: Value = call.vm.string(contents).into();
        // A list of texts is never full.
        let _ = list.make_mut(call.vm).push(contents);
        table.make_mut(call.vm).set_string(&key, list.into());
    }
    Ok(table.into())
}

/// The segment APP13 that holds a block.
fn segment(block: &[u8]) -> Option<Vec<u8>> {
    let padding = block.len() & 1;
    // Length, name of the program, its kind of block and the block's own length.
    let length = u16::try_from(block.len() + padding + 28).ok()?;
    let mut segment = vec![0xff, 0xed];
    segment.extend_from_slice(&length.to_be_bytes());
    segment.extend_from_slice(b"Photoshop 3.0\08BIM\x04\x04\0\0\0\0");
    segment.extend_from_slice(&(block.len() as u16).to_be_bytes());
    segment.extend_from_slice(block);
    segment.extend(std::iter::repeat_n(0, padding));
    Some(segment)
}

/// The file with the block instead of those it had.
fn embed(file: &[u8], block: &[u8]) -> Option<Vec<u8>> {
    if !file.starts_with(b"\xff\xd8") {
        return None;
    }
    let segment = segment(block)?;
    let mut result = file[..2].to_vec();
    let mut rest = &file[2..];
    let mut done = false;
    while let [0xff, marker, high, low, ..] = *rest {
        let length = 2 + u16::from_be_bytes([high, low]) as usize;
        let is_segment = marker != 0xda && marker != 0xd9;
        if !is_segment || length < 4 || rest.len() < length {
            break;
        }
        // It stands behind the segments APP0 and APP1.
        if !done && !matches!(marker, 0xe0 | 0xe1) {
            result.extend_from_slice(&segment);
            done = true;
        }
        if marker != 0xed {
            result.extend_from_slice(&rest[..length]);
        }
        rest = &rest[length..];
    }
    if !done {
        result.extend_from_slice(&segment);
    }
    result.extend_from_slice(rest);
    Some(result)
}

fn iptcembed(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = call.bytes(1);
    if memchr::memchr(0, name).is_some() {
        return Err(call.value_error(1, "must not contain any null bytes"));
    }
    let contents = match limits::read_file(&crate::standard::files::path(name)) {
        Ok(contents) => contents,
        Err(_) => {
            let shown = vm_runtime::message::text(name).into_owned();
            call.vm.function_warning(format!("Unable to open {shown}"));
            return Ok(false.into());
        }
    };
    let Some(result) = embed(&contents, call.bytes(0)) else {
        return Ok(false.into());
    };
    let spool = call.long(2);
    if spool > 0 {
        call.vm.write(&result);
    }
    match spool < 2 {
        true => text(call.vm, result),
        false => Ok(true.into()),
    }
}
