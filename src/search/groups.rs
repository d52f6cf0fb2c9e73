//! Groups of items that belong together.

/// Puts items into groups, each in the order of the items. An item belongs to the group whose first item it belongs with.
pub(super) fn groups<T>(items: impl IntoIterator<Item = T>, belong_together: impl Fn(&T, &T) -> bool) -> Vec<Vec<T>> {
    let mut groups: Vec<Vec<T>> = Vec::new();
    for item in items {
        match groups.iter_mut().find(|group| belong_together(&group[0], &item)) {
            Some(group) => group.push(item),
            None => groups.push(vec![item]),
        }
    }
    groups
}
