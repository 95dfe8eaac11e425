//! How alike strings are, and how they sound: `similar_text`, `levenshtein`, `soundex`, `metaphone`.

use vm_runtime::function::Call;
use vm_runtime::limits;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use crate::support::{functions, text};

functions! {
    "similar_text(string $string1, string $string2, &$percent = null): int" => similar_text,
    "levenshtein(string $string1, string $string2, int $insertion_cost = 1, int $replacement_cost = 1, int $deletion_cost = 1): int" => levenshtein,
    "soundex(string $string): string" => soundex,
    "metaphone(string $string, int $max_phonemes = 0): string" => metaphone,
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

/// Length of the longest common part, plus the same of what is left and right of it.
fn similarity(a: &[u8], b: &[u8]) -> usize {
    let mut sum = 0;
    let mut work = vec![(a, b)];
    while let Some((a, b)) = work.pop() {
        let (mut longest, mut at_a, mut at_b, mut improved) = (0, 0, 0, 0);
        for i in 0..a.len() {
            if a.len() - i <= longest {
                break;
            }
            limits::poll();
            for j in 0..b.len() {
                if b.len() - j <= longest {
                    break;
                }
                let length = a[i..]
                    .iter()
                    .zip(&b[j..])
                    .take_while(|(x, y)| x == y)
                    .count();
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
    if a.is_empty() {
        return Ok(insertion.wrapping_mul(b.len() as i64).into());
    }
    if b.is_empty() {
        return Ok(deletion.wrapping_mul(a.len() as i64).into());
    }
    let mut above: Vec<i64> = (0..=b.len() as i64)
        .map(|count| count.wrapping_mul(insertion))
        .collect();
    let mut row = above.clone();
    for x in a {
        limits::poll();
        row[0] = above[0].wrapping_add(deletion);
        for (column, y) in b.iter().enumerate() {
            let kept = above[column].wrapping_add(if x == y { 0 } else { replacement });
            let deleted = above[column + 1].wrapping_add(deletion);
            let inserted = row[column].wrapping_add(insertion);
            row[column + 1] = kept.min(deleted).min(inserted);
        }
        std::mem::swap(&mut above, &mut row);
    }
    Ok(above[b.len()].into())
}

/// Soundex class of each letter; those of class 0 only separate.
const SOUNDEX: &[u8; 26] = b"01230120022455012623010202";

fn soundex(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut code = Vec::with_capacity(4);
    let mut last = 0;
    for byte in call
        .bytes(0)
        .iter()
        .map(u8::to_ascii_uppercase)
        .filter(u8::is_ascii_uppercase)
    {
        let class = SOUNDEX[(byte - b'A') as usize];
        if code.is_empty() {
            code.push(byte);
            last = class;
        } else {
            if class != last && class != b'0' {
                code.push(class);
            }
            last = class;
        }
        if code.len() == 4 {
            break;
        }
    }
    code.resize(4, b'0');
    text(call.vm, code)
}

fn metaphone(call: &mut Call<'_>) -> PhpResult<Value> {
    let limit = call.long(1);
    if limit < 0 {
        return Err(call.value_error(1, "must be greater than or equal to 0"));
    }
    let word = call.bytes(0);
    // A zero ends the word.
    let word = word[..memchr::memchr(0, word).unwrap_or(word.len())].to_ascii_uppercase();
    let limit = if limit == 0 {
        usize::MAX
    } else {
        limit as usize
    };
    let code = Phonetic {
        word: &word,
        at: 0,
        code: Vec::new(),
        limit,
    }
    .encode();
    text(call.vm, code)
}

struct Phonetic<'a> {
    word: &'a [u8],
    at: usize,
    code: Vec<u8>,
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

    fn encode(mut self) -> Vec<u8> {
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
        self.code.extend_from_slice(code);
        skip
    }
}
