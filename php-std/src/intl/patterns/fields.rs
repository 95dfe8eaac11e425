//! The fields of dates that letters of patterns stand for, and how far two ways to write one are from each other.

/// The fields, from the largest to the smallest.
pub(super) mod field {
    pub(in crate::intl::patterns) const ERA: usize = 0;
    pub(in crate::intl::patterns) const YEAR: usize = 1;
    pub(in crate::intl::patterns) const QUARTER: usize = 2;
    pub(in crate::intl::patterns) const MONTH: usize = 3;
    pub(in crate::intl::patterns) const WEEK: usize = 4;
    pub(in crate::intl::patterns) const WEEK_OF_MONTH: usize = 5;
    pub(in crate::intl::patterns) const WEEKDAY: usize = 6;
    pub(in crate::intl::patterns) const DAY_OF_YEAR: usize = 7;
    pub(in crate::intl::patterns) const WEEKDAY_IN_MONTH: usize = 8;
    pub(in crate::intl::patterns) const DAY: usize = 9;
    pub(in crate::intl::patterns) const DAY_PERIOD: usize = 10;
    pub(in crate::intl::patterns) const HOUR: usize = 11;
    pub(in crate::intl::patterns) const MINUTE: usize = 12;
    pub(in crate::intl::patterns) const SECOND: usize = 13;
    pub(in crate::intl::patterns) const FRACTION: usize = 14;
    pub(in crate::intl::patterns) const ZONE: usize = 15;
    pub(in crate::intl::patterns) const COUNT: usize = 16;
}

/// The kinds of texts, which have signs, and numbers; what is alike differs by multiples of `DELTA`.
const NARROW: i32 = -0x101;
const SHORTER: i32 = -0x102;
const SHORT: i32 = -0x103;
const LONG: i32 = -0x104;
const NUMBER: i32 = 0x100;
const DELTA: i32 = 0x10;

/// From which count on letters are of which kind.
type Kinds = &'static [(usize, i32)];

/// Letters: the field, and their kinds.
const LETTERS: &[(char, usize, Kinds)] = {
    use field::*;
    const fn names(minus: i32) -> [(usize, i32); 3] {
        [(1, SHORT - minus), (4, LONG - minus), (5, NARROW - minus)]
    }
    const NAMES: Kinds = &names(0);
    const NAMES_1: Kinds = &names(DELTA);
    const NAMES_3: Kinds = &names(3 * DELTA);
    &[
        ('G', ERA, NAMES),
        ('y', YEAR, &[(1, NUMBER)]),
        ('Y', YEAR, &[(1, NUMBER + DELTA)]),
        ('u', YEAR, &[(1, NUMBER + 2 * DELTA)]),
        ('r', YEAR, &[(1, NUMBER + 3 * DELTA)]),
        ('U', YEAR, NAMES),
        (
            'Q',
            QUARTER,
            &[(1, NUMBER), (3, SHORT), (4, LONG), (5, NARROW)],
        ),
        (
            'q',
            QUARTER,
            &[
                (1, NUMBER + DELTA),
                (3, SHORT - DELTA),
                (4, LONG - DELTA),
                (5, NARROW - DELTA),
            ],
        ),
        (
            'M',
            MONTH,
            &[(1, NUMBER), (3, SHORT), (4, LONG), (5, NARROW)],
        ),
        (
            'L',
            MONTH,
            &[
                (1, NUMBER + DELTA),
                (3, SHORT - DELTA),
                (4, LONG - DELTA),
                (5, NARROW - DELTA),
            ],
        ),
        ('l', MONTH, &[(1, NUMBER + DELTA)]),
        ('w', WEEK, &[(1, NUMBER)]),
        ('W', WEEK_OF_MONTH, &[(1, NUMBER)]),
        (
            'E',
            WEEKDAY,
            &[(1, SHORT), (4, LONG), (5, NARROW), (6, SHORTER)],
        ),
        (
            'c',
            WEEKDAY,
            &[
                (1, NUMBER + 2 * DELTA),
                (3, SHORT - 2 * DELTA),
                (4, LONG - 2 * DELTA),
                (5, NARROW - 2 * DELTA),
                (6, SHORTER - 2 * DELTA),
            ],
        ),
        (
            'e',
            WEEKDAY,
            &[
                (1, NUMBER + DELTA),
                (3, SHORT - DELTA),
                (4, LONG - DELTA),
                (5, NARROW - DELTA),
                (6, SHORTER - DELTA),
            ],
        ),
        ('d', DAY, &[(1, NUMBER)]),
        ('g', DAY, &[(1, NUMBER + DELTA)]),
        ('D', DAY_OF_YEAR, &[(1, NUMBER)]),
        ('F', WEEKDAY_IN_MONTH, &[(1, NUMBER)]),
        ('a', DAY_PERIOD, NAMES),
        ('b', DAY_PERIOD, NAMES_1),
        ('B', DAY_PERIOD, NAMES_3),
        ('H', HOUR, &[(1, NUMBER + 10 * DELTA)]),
        ('k', HOUR, &[(1, NUMBER + 11 * DELTA)]),
        ('h', HOUR, &[(1, NUMBER)]),
        ('K', HOUR, &[(1, NUMBER + DELTA)]),
        ('m', MINUTE, &[(1, NUMBER)]),
        ('s', SECOND, &[(1, NUMBER)]),
        ('A', SECOND, &[(1, NUMBER + DELTA)]),
        ('S', FRACTION, &[(1, NUMBER)]),
        ('v', ZONE, &[(1, SHORT - 2 * DELTA), (4, LONG - 2 * DELTA)]),
        ('z', ZONE, &[(1, SHORT), (4, LONG)]),
        (
            'Z',
            ZONE,
            &[(1, NARROW - DELTA), (4, LONG - DELTA), (5, SHORT - DELTA)],
        ),
        ('O', ZONE, &[(1, SHORT - DELTA), (4, LONG - DELTA)]),
        (
            'V',
            ZONE,
            &[
                (1, SHORT - DELTA),
                (2, LONG - DELTA),
                (3, LONG - 1 - DELTA),
                (4, LONG - 2 - DELTA),
            ],
        ),
        (
            'X',
            ZONE,
            &[(1, NARROW - DELTA), (2, SHORT - DELTA), (4, LONG - DELTA)],
        ),
        (
            'x',
            ZONE,
            &[(1, NARROW - DELTA), (2, SHORT - DELTA), (4, LONG - DELTA)],
        ),
    ]
};

/// What a letter stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Meaning {
    pub(super) field: usize,
    /// The kind, and where in its row of counts it begins.
    pub(super) kind: i32,
    least: usize,
}

impl Meaning {
    pub(super) fn of(letter: char, count: usize) -> Option<Meaning> {
        let (_, field, kinds) = LETTERS.iter().find(|(known, ..)| *known == letter)?;
        let (least, kind) = kinds.iter().rev().find(|(least, _)| *least <= count)?;
        // What grows with the count of letters is a number.
        let grows = *kind > 0;
        Some(Meaning {
            field: *field,
            kind: kind + if grows { count as i32 } else { 0 },
            least: *least,
        })
    }

    /// Whether it is written in digits.
    pub(super) fn is_number(self) -> bool {
        self.kind > 0
    }
}

/// Which fields are asked for or written, and how.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Skeleton {
    pub(super) letters: [Option<(char, usize)>; field::COUNT],
}

/// How far two skeletons are from each other, and what one lacks.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Distance {
    pub(super) size: i32,
    pub(super) missing: u32,
    extra: u32,
}

impl Distance {
    pub(super) fn is_complete(self) -> bool {
        self.missing == 0 && self.extra == 0
    }
}

impl Skeleton {
    /// The fields of a pattern or of letters alone.
    pub(super) fn of(parts: impl Iterator<Item = (char, usize)>) -> Skeleton {
        let mut skeleton = Skeleton::default();
        for (letter, count) in parts {
            if let Some(meaning) = Meaning::of(letter, count) {
                skeleton.letters[meaning.field] = Some((letter, count));
            }
        }
        let has = |field: usize| skeleton.letters[field];
        // Fractions of seconds need seconds.
        if has(field::MINUTE).is_some()
            && has(field::FRACTION).is_some()
            && has(field::SECOND).is_none()
        {
            skeleton.letters[field::SECOND] = Some(('s', 1));
        }
        // Hours of half days say which half; others do not.
        match skeleton.letters[field::HOUR] {
            Some(('h' | 'K', _)) => {
                skeleton.letters[field::DAY_PERIOD].get_or_insert(('a', 1));
            }
            Some(_) => skeleton.letters[field::DAY_PERIOD] = None,
            None => {}
        }
        skeleton
    }

    pub(super) fn meaning(&self, field: usize) -> Option<Meaning> {
        let (letter, count) = self.letters[field]?;
        Meaning::of(letter, count)
    }

    fn kind(&self, field: usize) -> i32 {
        self.meaning(field).map_or(0, |meaning| meaning.kind)
    }

    /// The fields as bits.
    pub(super) fn mask(&self) -> u32 {
        let there = (0..field::COUNT).filter(|&field| self.letters[field].is_some());
        there.fold(0, |mask, field| mask | 1 << field)
    }

    /// What is left where lengths of a kind do not count.
    pub(super) fn base(&self) -> Vec<(char, usize)> {
        let there = self.letters.iter().flatten();
        there
            .filter_map(|&(letter, count)| {
                let least = Meaning::of(letter, count)?.least;
                let is_one = "GEzvQ".contains(letter);
                Some((letter, if is_one { 1 } else { least }))
            })
            .collect()
    }

    /// How far another skeleton is, looking only at some of the own fields.
    pub(super) fn distance(&self, other: &Skeleton, mask: u32) -> Distance {
        let mut distance = Distance::default();
        for field in 0..field::COUNT {
            let own = if mask & 1 << field == 0 {
                0
            } else {
                self.kind(field)
            };
            let theirs = other.kind(field);
            match (own, theirs) {
                _ if own == theirs => {}
                (0, _) => {
                    distance.size += 0x10000;
                    distance.extra |= 1 << field;
                }
                (_, 0) => {
                    distance.size += 0x1000;
                    distance.missing |= 1 << field;
                }
                _ => distance.size += (own - theirs).abs(),
            }
        }
        distance
    }
}
