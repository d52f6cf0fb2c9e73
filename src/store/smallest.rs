//! The smallest of many items.

/// The `limit` smallest of the items that were added, in no order.
pub(super) struct Smallest<T> {
    limit: usize,
    items: Vec<T>,
    /// An item that was left out. No larger one can be among them.
    bound: Option<T>,
}

impl<T: Ord + Copy> Smallest<T> {
    pub(super) fn new(limit: usize) -> Self {
        Smallest { limit, items: Vec::new(), bound: None }
    }

    /// Whether an item may be among them.
    #[inline]
    pub(super) fn takes(&self, item: &T) -> bool {
        self.bound.is_none_or(|bound| *item < bound)
    }

    #[inline]
    pub(super) fn add(&mut self, item: T) {
        if self.takes(&item) {
            self.items.push(item);
            // Choosing costs as much as looking at all of them, so it pays only for many.
            if self.items.len() >= self.limit.saturating_mul(2) {
                self.choose();
            }
        }
    }

    pub(super) fn and(mut self, others: Self) -> Self {
        others.items.into_iter().for_each(|item| self.add(item));
        self
    }

    pub(super) fn into_items(mut self) -> Vec<T> {
        self.choose();
        self.items
    }

    fn choose(&mut self) {
        if self.items.len() > self.limit {
            let (_, bound, _) = self.items.select_nth_unstable(self.limit);
            self.bound = Some(*bound);
            self.items.truncate(self.limit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_are_those_of_the_sorted_items() {
        let mut random = fastrand::Rng::with_seed(3);
        for limit in [0, 1, 2, 7, 50, 200] {
            let items: Vec<(u32, usize)> = (0..100).map(|place| (random.u32(0..20), place)).collect();
            let of = |items: &[(u32, usize)]| {
                let mut smallest = Smallest::new(limit);
                items.iter().for_each(|item| smallest.add(*item));
                smallest
            };
            let (first, second) = items.split_at(random.usize(..items.len()));
            let mut sorted = items.clone();
            sorted.sort_unstable();
            sorted.truncate(limit);
            for smallest in [of(&items), of(first).and(of(second))] {
                let mut found = smallest.into_items();
                found.sort_unstable();
                assert_eq!(found, sorted);
            }
        }
    }
}
