//! Changing the filter of the log by one value, the way a chip or a cell of the table does. Pure.

use loggia_domain::{Column, Filter};

use crate::language::t;

/// One value of a filter, as a chip shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// The column.
    pub column: Column,
    /// The value.
    pub value: String,
    /// Whether events with this value are left out rather than asked for.
    pub excluded: bool,
}

/// Every value of a filter, in the order of the address.
pub fn conditions(filter: &Filter) -> Vec<Condition> {
    let side = |side: &std::collections::BTreeMap<Column, Vec<String>>, excluded| {
        side.iter()
            .flat_map(|(column, values)| values.iter().map(move |value| (*column, value.clone())))
            .map(|(column, value)| Condition { column, value, excluded })
            .collect::<Vec<_>>()
    };
    let mut all = side(&filter.any, false);
    all.extend(side(&filter.none, true));
    all
}

/// Whether a value is asked for.
pub fn has(filter: &Filter, column: Column, value: &str) -> bool {
    filter.any.get(&column).is_some_and(|values| values.iter().any(|v| v == value))
}

/// The filter without a value, on either side.
pub fn without(filter: &Filter, column: Column, value: &str) -> Filter {
    let mut filter = filter.clone();
    for side in [&mut filter.any, &mut filter.none] {
        if let Some(values) = side.get_mut(&column) {
            values.retain(|v| v != value);
            if values.is_empty() {
                side.remove(&column);
            }
        }
    }
    filter
}

/// The filter that also asks for a value.
pub fn with(filter: &Filter, column: Column, value: &str) -> Filter {
    without(filter, column, value).with(column, value)
}

/// The filter with a condition turned into its opposite.
pub fn turned(filter: &Filter, condition: &Condition) -> Filter {
    let rest = without(filter, condition.column, &condition.value);
    if condition.excluded {
        rest.with(condition.column, condition.value.clone())
    } else {
        rest.without(condition.column, condition.value.clone())
    }
}

/// A column's name as pages write it.
pub fn label(column: Column) -> &'static str {
    match column {
        Column::Stream => t!("stream"),
        Column::Room => t!("room"),
        Column::Topic => t!("topic"),
        Column::Type => t!("type"),
        Column::FromAgent => t!("from"),
        Column::ToAgent => t!("to"),
        Column::CorrelationId => t!("task"),
        Column::Status => t!("status"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_on_one_side_only() {
        let filter = Filter::default().without(Column::Type, "a");
        let wanted = with(&filter, Column::Type, "a");
        assert_eq!(wanted, Filter::default().with(Column::Type, "a"));
        assert_eq!(with(&wanted, Column::Type, "a"), wanted);
        assert!(has(&wanted, Column::Type, "a"));
    }

    #[test]
    fn the_last_value_takes_its_column_along() {
        let filter = Filter::default().with(Column::Type, "a").without(Column::Room, "b");
        let rest = without(&without(&filter, Column::Type, "a"), Column::Room, "b");
        assert!(rest.is_empty());
    }

    #[test]
    fn turning_twice_changes_nothing() {
        let filter = Filter::default().with(Column::Type, "a").without(Column::Room, "b");
        for condition in conditions(&filter) {
            let turned_once = turned(&filter, &condition);
            let back = Condition { excluded: !condition.excluded, ..condition };
            assert_eq!(turned(&turned_once, &back), filter);
        }
    }
}
