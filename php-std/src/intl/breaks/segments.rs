//! Cuts texts into segments.

use icu_segmenter::options::{
    LineBreakOptions, SentenceBreakInvariantOptions, WordBreakInvariantOptions, WordType,
};
use icu_segmenter::{GraphemeClusterSegmenter, LineSegmenter, SentenceSegmenter, WordSegmenter};

use vm_runtime::limits;

use crate::intl::character::data::{property, value};

/// What a text is cut into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    CodePoint,
    Character,
    Word,
    Line,
    Sentence,
    Title,
}

/// Where a segment ends, and what ICU's rules say of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segment {
    pub(super) end: usize,
    pub(super) status: i64,
}

impl Segment {
    /// What is in front of a text.
    pub(super) const START: Segment = Segment { end: 0, status: 0 };
}

/// Numbers, letters and ideographs, as the rules of words number them.
const NUMBER: i64 = 100;
const LETTER: i64 = 200;
const IDEOGRAPH: i64 = 400;
/// Lines and sentences that something else ends than their own end.
const SEPARATED: i64 = 100;

pub(super) fn cut(kind: Kind, text: &str) -> Vec<Segment> {
    let mut segments = vec![Segment::START];
    if text.is_empty() {
        return segments;
    }
    let segment = |end: usize, status: i64| {
        limits::poll();
        Segment { end, status }
    };
    let plain = |end: usize| segment(end, 0);
    match kind {
        Kind::CodePoint => segments.extend(
            text.char_indices()
                .map(|(start, own)| plain(start + own.len_utf8())),
        ),
        Kind::Character => segments.extend(
            GraphemeClusterSegmenter::new()
                .segment_str(text)
                .skip(1)
                .map(plain),
        ),
        Kind::Word => {
            let segmenter = WordSegmenter::new_dictionary(WordBreakInvariantOptions::default());
            let mut start = 0;
            for (end, kind) in segmenter.segment_str(text).iter_with_word_type().skip(1) {
                segments.push(segment(end, word_status(&text[start..end], kind)));
                start = end;
            }
        }
        Kind::Line => {
            let segmenter = LineSegmenter::new_dictionary(LineBreakOptions::default());
            let status = |end: usize| match ends_line(&text[..end]) {
                true => SEPARATED,
                false => 0,
            };
            let ends = segmenter.segment_str(text).skip(1);
            segments.extend(ends.map(|end| segment(end, status(end))));
        }
        Kind::Sentence => {
            let segmenter = SentenceSegmenter::new(SentenceBreakInvariantOptions::default());
            let mut start = 0;
            for end in segmenter.segment_str(text).skip(1) {
                segments.push(segment(end, sentence_status(&text[start..end])));
                start = end;
            }
        }
        Kind::Title => {
            let mut is_in_word = false;
            for (at, character) in text.char_indices() {
                let is_cased = value(property::CASED, character.into()) != 0;
                if is_cased && !is_in_word && at > 0 {
                    segments.push(plain(at));
                }
                is_in_word = is_cased
                    || is_in_word && value(property::CASE_IGNORABLE, character.into()) != 0;
            }
            segments.push(plain(text.len()));
        }
    }
    segments
}

fn word_status(word: &str, kind: WordType) -> i64 {
    match kind {
        WordType::Number => NUMBER,
        WordType::Letter => {
            // Words that the dictionary of Chinese and Japanese has.
            let is_ideograph = |letter: char| {
                matches!(letter, '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{309f}' | '\u{30a0}'..='\u{30ff}'
                    | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
            };
            match word.chars().any(is_ideograph) {
                true => IDEOGRAPH,
                false => LETTER,
            }
        }
        _ => 0,
    }
}

fn ends_line(text: &str) -> bool {
    text.ends_with([
        '\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}',
    ])
}

/// A sentence ends with a mark, what may stand behind that, and spaces; or something else ends it.
fn sentence_status(sentence: &str) -> i64 {
    if ends_line(sentence) {
        return SEPARATED;
    }
    let behind_marks = |character: char| {
        let category = 1u32 << value(property::CATEGORY, character.into());
        // Spaces, brackets and quotes.
        category & (7 << 12 | 1 << 20 | 1 << 21 | 1 << 28 | 1 << 29) != 0
            || matches!(character, '"' | '\'')
    };
    let rest = sentence.trim_end_matches(behind_marks);
    match rest.ends_with([
        '.', '!', '?', '…', '。', '．', '！', '？', '｡', '؟', '۔', '।', '॥',
    ]) {
        true => 0,
        false => SEPARATED,
    }
}
