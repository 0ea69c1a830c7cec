// Functions of other languages under the names that the tool compute has for them. Pure.

const SAME_NAMES: ReadonlyMap<string, string> = new Map(
	Object.entries({
		...{
			where: "filter",
			order_by: "sort",
			group_by: "group",
			map: "select",
			with: "add",
			mutate: "add",
			unique: "distinct",
		},
		...{ avg: "average", mean: "average", len: "length", substr: "substring", iif: "if", to_number: "number" },
		...{ inner_join: "join", anti_join: "without", semi_join: "matching", union: "append", union_all: "append" },
		...{ head: "limit", take: "limit", ifnull: "coalesce", count_unique: "count_distinct", unnest: "flatten" },
		...{ ceiling: "ceil", diff: "reconcile", aggregate: "group", summarize: "group", having: "filter" },
		...{ outer_join: "full_join", full_outer_join: "full_join", left_outer_join: "left_join", leftjoin: "left_join" },
		...{ count_if: "count", countif: "count", nunique: "count_distinct", string_agg: "list", group_concat: "list" },
		...{ to_date: "date", parse_date: "date", todate: "date", strftime: "format_date", date_format: "format_date" },
		...{ iso_week: "week", isoweek: "week", week_of_year: "week", weeknum: "week", day_of_week: "weekday" },
		...{ eomonth: "end_of_month", last_day: "end_of_month", first_day: "start_of_month" },
		...{ week_start: "start_of_week", startofweek: "start_of_week", beginning_of_week: "start_of_week" },
		...{
			week_end: "end_of_week",
			endofweek: "end_of_week",
			startofmonth: "start_of_month",
			endofmonth: "end_of_month",
		},
		...{ workday: "add_workdays", add_weekdays: "add_workdays", add_business_days: "add_workdays" },
		...{ add_working_days: "add_workdays", addworkdays: "add_workdays" },
		...{ business_days_between: "workdays_between", working_days_between: "workdays_between" },
		...{ size: "length", is_null: "is_empty", isnull: "is_empty", isempty: "is_empty", is_blank: "is_empty" },
		...{ parse_number: "number", tonumber: "number", float: "number", decimal: "number", to_text: "text", str: "text" },
		...{ tolower: "lower", toupper: "upper", to_lower: "lower", to_upper: "upper", includes: "contains" },
		...{ startswith: "starts_with", endswith: "ends_with", strip: "trim", nvl: "coalesce", datediff: "date_diff" },
	}),
);

/** What stands here for functions of other languages that have no name here. */
export const OTHER_WAYS: ReadonlyMap<string, string> = new Map(
	Object.entries({
		...{ top: "sort(column desc) | limit(n)", nlargest: "sort(column desc) | limit(n)" },
		...{ right_join: "other | left_join(table, key)", cross_join: "join(other, key)" },
		...{ pivot: "group(key, sum(if(kind = 'a', x, 0)) as a, …)", sumif: "sum(if(condition, x, 0))" },
		...{
			sum_if: "sum(if(condition, x, 0))",
			averageif: "average(if(condition, x, null))",
			case: "if(a, b, c, d, else)",
		},
		...{ date_diff: "days_between(from, to)", dateadd: "add_days(date, days) or add_months", date_add: "add_days" },
		networkdays: "workdays_between(from, to), which leaves out the first day",
		...{
			date_trunc: "start_of_week(date), start_of_month(date) or format_date(date, 'YYYY-MM')",
			split: "part(text, separator, n)",
		},
		...{ regexp: "before, after, part or contains", regex: "before, after, part or contains", match: "contains" },
		...{ percent: "100 * a / b", between: "x >= a and x <= b", like: "contains, starts_with or ends_with" },
		...{
			int: "round or floor",
			drop: "select, which names the columns that stay",
			rename: "select(column as name, …)",
		},
	}),
);

/** The name by which a function is known here. */
export function toFunctionName(written: string): string {
	const name = written.toLowerCase();
	return SAME_NAMES.get(name) ?? name;
}
