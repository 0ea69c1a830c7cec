// Whether a condition of SQL chooses some of the rows or all of them.
import sqlFile from "./sql.json" with { type: "json" };
import type { SqlStatement } from "./sql-statement.ts";
import type { SqlToken } from "./sql-tokens.ts";

const CONDITION_ENDS: ReadonlySet<string> = new Set(sqlFile.condition_ends);

function isLiteral({ kind, text }: SqlToken): boolean {
	return kind === "text" || /^[0-9]/.test(text);
}

/** Whether a part of a condition, without AND and OR, holds for every row: `1=1`, `id = id`, `TRUE`, `name LIKE '%'`. */
function isAlwaysTrue(part: readonly SqlToken[]): boolean {
	const tokens = part.filter(({ text }) => text !== "(" && text !== ")");
	const texts = tokens.map(({ text }) => text.toUpperCase());
	if (tokens.length === 1) return texts[0] === "TRUE" || /^0*[1-9][0-9]*$/.test(texts[0] ?? "");
	if (tokens.length === 2) return texts[0] === "NOT" && /^(?:FALSE|0)$/.test(texts[1] ?? "");
	const [left, operator, right] = tokens;
	if (tokens.length !== 3 || !left || !right || !operator) return false;
	if (/^(?:=|==|<=|>=|<=>|IS|LIKE)$/i.test(operator.text) && left.text === right.text && left.kind === right.kind)
		return true;
	if (/^I?LIKE$/i.test(operator.text)) return /^%+$/.test(right.text);
	return /^(?:<>|!=)$/.test(operator.text) && isLiteral(left) && isLiteral(right) && left.text !== right.text;
}

/** Whether a condition holds for every row as far as its words tell. */
function holdsForAll(tokens: readonly SqlToken[]): boolean {
	let all = true;
	let part: SqlToken[] = [];
	for (const token of tokens) {
		const word = token.kind === "word" ? token.text.toUpperCase() : token.text;
		if (word === "AND" || word === "&&") {
			all &&= isAlwaysTrue(part);
			part = [];
		} else if (word === "OR" || word === "||") {
			if (all && isAlwaysTrue(part)) return true;
			all = true;
			part = [];
		} else part.push(token);
	}
	return all && isAlwaysTrue(part);
}

/** The condition of a DELETE or UPDATE at a position. Null where it has none. */
function findCondition(statement: SqlStatement, at: number): readonly SqlToken[] | null {
	const where = statement.findWord(at + 1, (word) => word === "WHERE");
	if (where < 0) return null;
	const end = statement.findWord(where + 1, (word) => CONDITION_ENDS.has(word));
	return statement.tokens.slice(where + 1, end < 0 ? undefined : end);
}

/** Whether a DELETE or UPDATE at a position hits every row. */
export function hitsAllRows(statement: SqlStatement, at: number): boolean {
	const condition = findCondition(statement, at);
	return condition === null || holdsForAll(condition);
}

/** Whether a DELETE or UPDATE at a position names the rows that it hits: `id = 3`, `id IN (1, 2)`. A range may be any number. */
export function namesRows(statement: SqlStatement, at: number): boolean {
	return findCondition(statement, at)?.some(({ text }) => /^(?:==?|<=>|IN)$/i.test(text)) === true;
}
