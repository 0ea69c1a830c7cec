// Copies of a JSON value with one change each: every value is changed, and every member and entry is left out once; or every object has a
// member more once.

export interface ChangedCopy<T> {
	/** Where the change is: `calls.0.tool`, with `(left out)` behind it where something is gone. */
	path: string;
	copy: T;
}

/** Another value of the same kind, where there is one; of a hash another hash. */
function otherValue(value: unknown): unknown {
	if (typeof value === "string") {
		if (/[0-9a-f]{32}$/.test(value)) return `${value.slice(0, -1)}${value.endsWith("0") ? "1" : "0"}`;
		return `${value}x`;
	}
	if (typeof value === "number") return value + 1;
	if (typeof value === "boolean") return !value;
	return value === null ? "" : null;
}

function* changesOf(value: unknown, path: string[]): Generator<{ path: string; changed: unknown }> {
	yield { path: path.join("."), changed: otherValue(value) };
	if (typeof value !== "object" || value === null) return;
	for (const [key, member] of Object.entries(value)) {
		const rest = Array.isArray(value)
			? value.filter((_, index) => index !== Number(key))
			: Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
		yield { path: `${[...path, key].join(".")} (left out)`, changed: rest };
		for (const { path: inner, changed } of changesOf(member, [...path, key])) {
			const copy = Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed };
			yield { path: inner, changed: copy };
		}
	}
}

/** All copies of a value with one change. */
export function changedCopies<T extends object>(value: T): ChangedCopy<T>[] {
	return [...changesOf(value, [])]
		.filter(({ path }) => path !== "")
		.map(({ path, changed }) => ({ path, copy: changed as T }));
}

function* additionsTo(value: unknown, path: string[]): Generator<{ path: string; changed: unknown }> {
	if (typeof value !== "object" || value === null) return;
	if (!Array.isArray(value)) yield { path: path.join("."), changed: { ...value, added: 1 } };
	for (const [key, member] of Object.entries(value))
		for (const { path: inner, changed } of additionsTo(member, [...path, key]))
			yield {
				path: inner,
				changed: Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed },
			};
}

/** All copies of a value in which one object has a member `added` more. */
export function extendedCopies<T extends object>(value: T): ChangedCopy<T>[] {
	return [...additionsTo(value, [])].map(({ path, changed }) => ({ path, copy: changed as T }));
}

function* swapsOf(value: unknown, other: unknown, path: string[]): Generator<{ path: string; changed: unknown }> {
	yield { path: path.join("."), changed: other };
	if (typeof value !== "object" || value === null || typeof other !== "object" || other === null) return;
	for (const [key, member] of Object.entries(value)) {
		if (!Object.hasOwn(other, key)) continue;
		const theirs = (other as Record<string, unknown>)[key];
		for (const { path: inner, changed } of swapsOf(member, theirs, [...path, key]))
			yield {
				path: inner,
				changed: Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed },
			};
	}
}

/** All copies of a value with one part of another value of the same shape, where the two differ. */
export function mixedCopies<T extends object>(value: T, other: T): ChangedCopy<T>[] {
	const own = JSON.stringify(value);
	return [...swapsOf(value, other, [])]
		.filter(({ path, changed }) => path !== "" && JSON.stringify(changed) !== own)
		.map(({ path, changed }) => ({ path, copy: changed as T }));
}
