//! How alike strings are, and how they sound: `similar_text`, `levenshtein`, `soundex`, `metaphone`.

use smallvec::{SmallVec, smallvec};
use vm_runtime::function::Call;
use vm_runtime::limits;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use crate::support::{direct, functions, text};

functions! {
    "similar_text(string $string1, string $string2, &$percent = null): int" => similar_text | similar_text_directly,
    "levenshtein(string $string1, string $string2, int $insertion_cost = 1, int $replacement_cost = 1, int $deletion_cost = 1): int" => levenshtein | levenshtein_directly,
    "soundex(string $string): string" => soundex | soundex_directly,
    "metaphone(string $string, int $max_phonemes = 0): string" => metaphone | metaphone_directly,
}

direct! {
    fn similar_text_directly(_; a: &[u8], b: &[u8]) { similarity(a, b) as i64 }

    fn levenshtein_directly(_; a: &[u8], b: &[u8]) { distance(a, b, 1, 1, 1) }

    fn soundex_directly(vm; word: &[u8]) { vm.string(sound_of(word)) }

    fn metaphone_directly(vm; word: &[u8]) { vm.string(phonemes(word, usize::MAX)) }
}

fn similar_text(call: &mut Call<'_>) -> PhpResult<Value> {
    let (a, b) = (call.bytes(0), call.bytes(1));
    let common = similarity(a, b);
    if call.count() > 2 {
        let total = a.len() + b.len();
        let percent = if total == 0 {
            0.0
        } else {
            common as f64 * 2.0 * 100.0 / total as f64
        };
        call.assign(2, percent.into());
    }
    Ok(common.into())
}

/// How many bytes both begin with.
#[inline]
fn length_of_common_start(a: &[u8], b: &[u8]) -> usize {
    let most = a.len().min(b.len());
    let (a, b) = (&a[..most], &b[..most]);
    (1..most).find(|&at| a[at] != b[at]).unwrap_or(most)
}

/// Length of the longest common part, plus the same of what is left and right of it.
fn similarity(a: &[u8], b: &[u8]) -> usize {
    let mut sum = 0;
    let mut work: SmallVec<[(&[u8], &[u8]); 8]> = smallvec![(a, b)];
    while let Some((a, b)) = work.pop() {
        let (mut longest, mut at_a, mut at_b, mut improved) = (0, 0, 0, 0);
        for i in 0..a.len() {
            if a.len() - i <= longest {
                break;
            }
            limits::poll();
            let rest = &a[i..];
            let mut from = 0;
            // Only where the first byte stands, and as long as something longer fits behind it.
            while let Some(starts) = b.get(from..b.len() - longest)
                && let Some(found) = memchr::memchr(rest[0], starts)
            {
                let j = from + found;
                from = j + 1;
                let length = length_of_common_start(rest, &b[j..]);
                if length > longest {
                    (longest, at_a, at_b) = (length, i, j);
                    improved += 1;
                }
            }
        }
        if longest == 0 {
            continue;
        }
        sum += longest;
        if at_a > 0 && at_b > 0 && improved > 1 {
            work.push((&a[..at_a], &b[..at_b]));
        }
        let (end_a, end_b) = (at_a + longest, at_b + longest);
        if end_a < a.len() && end_b < b.len() {
            work.push((&a[end_a..], &b[end_b..]));
        }
    }
    sum
}

fn levenshtein(call: &mut Call<'_>) -> PhpResult<Value> {
    let (a, b) = (call.bytes(0), call.bytes(1));
    let (insertion, replacement, deletion) = (call.long(2), call.long(3), call.long(4));
    Ok(distance(a, b, insertion, replacement, deletion).into())
}

/// What it costs to make one text of another.
#[inline]
fn distance(a: &[u8], b: &[u8], insertion: i64, replacement: i64, deletion: i64) -> i64 {
    if a.is_empty() {
        return insertion.wrapping_mul(b.len() as i64);
    }
    if b.is_empty() {
        return deletion.wrapping_mul(a.len() as i64);
    }
    // What it costs for the letters of `a` so far and each start of `b` that is not empty.
    let mut row: SmallVec<[i64; 64]> = (1..=b.len() as i64)
        .map(|count| count.wrapping_mul(insertion))
        .collect();
    let mut start: i64 = 0;
    for x in a {
        limits::poll();
        let mut above_left = start;
        start = start.wrapping_add(deletion);
        let mut left = start;
        for (place, y) in row.iter_mut().zip(b) {
            let kept = above_left.wrapping_add(if x == y { 0 } else { replacement });
            above_left = *place;
            let deleted = above_left.wrapping_add(deletion);
            let inserted = left.wrapping_add(insertion);
            left = kept.min(deleted).min(inserted);
            *place = left;
        }
    }
    row.last().copied().unwrap_or_default()
}

/// Soundex class of each letter; those of class 0 only separate.
const SOUNDEX: &[u8; 26] = b"01230120022455012623010202";

fn soundex(call: &mut Call<'_>) -> PhpResult<Value> {
    text(call.vm, sound_of(call.bytes(0)))
}

/// The first letter of a word, and the classes of those that follow.
fn sound_of(word: &[u8]) -> [u8; 4] {
    let mut code = [b'0'; 4];
    let mut length = 0;
    let mut last = 0;
    let letters = word.iter().map(u8::to_ascii_uppercase);
    for letter in letters.filter(u8::is_ascii_uppercase) {
        let class = SOUNDEX[(letter - b'A') as usize];
        if length == 0 {
            code[0] = letter;
            length = 1;
        } else if class != last && class != b'0' {
            code[length] = class;
            length += 1;
        }
        last = class;
        if length == code.len() {
            break;
        }
    }
    code
}

fn metaphone(call: &mut Call<'_>) -> PhpResult<Value> {
    let limit = match call.long(1) {
        ..0 => return Err(call.value_error(1, "must be greater than or equal to 0")),
        0 => usize::MAX,
        limit => limit as usize,
    };
    text(call.vm, phonemes(call.bytes(0), limit))
}

/// A word, or how it sounds.
type Letters = SmallVec<[u8; 32]>;

/// How a word sounds, up to a limit of letters. A zero ends the word.
fn phonemes(word: &[u8], limit: usize) -> Letters {
    let end = memchr::memchr(0, word).unwrap_or(word.len());
    let mut word = Letters::from_slice(&word[..end]);
    word.make_ascii_uppercase();
    Phonetic {
        word: &word,
        at: 0,
        code: Letters::new(),
        limit,
    }
    .encode()
}

struct Phonetic<'a> {
    word: &'a [u8],
    at: usize,
    code: Letters,
    limit: usize,
}

fn is_vowel(letter: u8) -> bool {
    matches!(letter, b'A' | b'E' | b'I' | b'O' | b'U')
}

/// Letters that make a C or G before them soft.
fn softens(letter: u8) -> bool {
    matches!(letter, b'E' | b'I' | b'Y')
}

impl Phonetic<'_> {
    fn ahead(&self, distance: usize) -> u8 {
        self.word.get(self.at + distance).copied().unwrap_or(0)
    }

    fn back(&self, distance: usize) -> u8 {
        if self.at >= distance {
            self.word[self.at - distance]
        } else {
            0
        }
    }

    fn encode(mut self) -> Letters {
        let skipped = self
            .word
            .iter()
            .take_while(|letter| !letter.is_ascii_alphabetic())
            .count();
        self.word = &self.word[skipped..];
        if self.word.is_empty() {
            return self.code;
        }
        self.start();
        while self.at < self.word.len() && self.code.len() < self.limit {
            let letter = self.word[self.at];
            if letter.is_ascii_alphabetic() && (letter != self.back(1) || letter == b'C') {
                self.at += self.letter(letter);
            }
            self.at += 1;
        }
        self.code
    }

    /// Rules for the first letters.
    fn start(&mut self) {
        let (first, second) = (self.ahead(0), self.ahead(1));
        let (letter, length) = match (first, second) {
            (b'A', b'E') => (b'E', 2),
            (b'G' | b'K' | b'P', b'N') => (b'N', 2),
            (b'X', _) => (b'S', 1),
            (b'A' | b'E' | b'I' | b'O' | b'U', _) => (first, 1),
            (b'W', b'R') => (b'R', 2),
            (b'W', second) if second == b'H' || is_vowel(second) => (b'W', 2),
            _ => return,
        };
        self.code.push(letter);
        self.at = length;
    }

    /// Encodes one letter; tells how many of the next to skip.
    fn letter(&mut self, letter: u8) -> usize {
        let (next, after, last) = (self.ahead(1), self.ahead(2), self.back(1));
        let (code, skip): (&[u8], usize) = match letter {
            b'B' if last == b'M' => (b"", 0),
            b'C' if softens(next) && next == b'I' && after == b'A' => (b"X", 0),
            b'C' if softens(next) && last == b'S' => (b"", 0),
            b'C' if softens(next) => (b"S", 0),
            b'C' if next == b'H' => (b"X", 1),
            b'C' => (b"K", 0),
            b'D' if next == b'G' && softens(after) => (b"J", 1),
            b'D' => (b"T", 0),
            b'G' if next == b'H' => {
                if matches!(self.back(3), b'B' | b'D' | b'H') || self.back(4) == b'H' {
                    (b"", 0)
                } else {
                    (b"F", 1)
                }
            }
            b'G' if next == b'N' => {
                let silent = !after.is_ascii_alphabetic() || after == b'E' && self.ahead(3) == b'D';
                (if silent { b"" } else { b"K" }, 0)
            }
            b'G' if softens(next) && last != b'G' => (b"J", 0),
            b'G' => (b"K", 0),
            b'H' if is_vowel(next) && !matches!(last, b'C' | b'G' | b'P' | b'S' | b'T') => {
                (b"H", 0)
            }
            b'K' if last != b'C' => (b"K", 0),
            b'P' if next == b'H' => (b"F", 0),
            b'P' => (b"P", 0),
            b'Q' => (b"K", 0),
            b'S' if next == b'I' && matches!(after, b'O' | b'A') => (b"X", 0),
            b'S' if next == b'H' => (b"X", 1),
            b'S' => (b"S", 0),
            b'T' if next == b'I' && matches!(after, b'O' | b'A') => (b"X", 0),
            b'T' if next == b'H' => (b"0", 1),
            b'T' if next == b'C' && after == b'H' => (b"", 0),
            b'T' => (b"T", 0),
            b'V' => (b"F", 0),
            b'W' if is_vowel(next) => (b"W", 0),
            b'X' => (b"KS", 0),
            b'Y' if is_vowel(next) => (b"Y", 0),
            b'Z' => (b"S", 0),
            b'B' | b'F' | b'J' | b'L' | b'M' | b'N' | b'R' => (&[letter], 0),
            _ => (b"", 0),
        };
        // No more than two, for which copying would be a call.
        for &letter in code {
            self.code.push(letter);
        }
        skip
    }
}
