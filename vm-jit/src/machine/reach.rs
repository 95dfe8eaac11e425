//! What machine code reaches by its distance: that takes four bytes where an address takes eight, and no register.

/// Where compiled code may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reach {
    /// Where it begins; 0 if that is not known.
    pub start: u64,
    /// So many bytes are set aside.
    pub size: u32,
}

/// What is farther is not reached, with some room for the fields of what begins there.
const FARTHEST: u64 = (1 << 31) - (1 << 20);

impl Reach {
    /// Whether all code reaches what begins at an address.
    pub fn is_near(self, address: u64) -> bool {
        let end = self.start + u64::from(self.size);
        self.size != 0
            && address.abs_diff(self.start) < FARTHEST
            && address.abs_diff(end) < FARTHEST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_have_to_reach() {
        let reach = Reach {
            start: 1 << 40,
            size: 1 << 26,
        };
        assert!(reach.is_near(reach.start));
        assert!(reach.is_near(reach.start + FARTHEST - 1));
        assert!(!reach.is_near(reach.start + FARTHEST));
        assert!(!reach.is_near(reach.start - FARTHEST + 1));
        assert!(reach.is_near(reach.start + (1 << 26) - FARTHEST + 1));
    }

    #[test]
    fn what_stands_nowhere_reaches_nothing() {
        assert!(!Reach::default().is_near(0));
    }
}
