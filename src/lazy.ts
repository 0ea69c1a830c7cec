// A value that is made when it is first asked for. Tables of patterns are, since compiling them would lengthen every cold start.

/** @param make is called once, by the first caller. */
export function lazy<T>(make: () => T): () => T {
	let made: { value: T } | null = null;
	return () => {
		made ??= { value: make() };
		return made.value;
	};
}
