// Parts of a call's tokens, and their sums. Pure.

/** Tokens of a call, or of several, that are parts of its input or its output. Absent for none. */
export interface TokenParts {
	/** Input that a provider had in its cache. */
	cached_tokens?: number;
	/** Input that was written to a provider's cache. */
	cache_write_tokens?: number;
	/** Output that was reasoning. */
	reasoning_tokens?: number;
}

/** The parts that there are: rows are kept for years, so nothing is said of others. */
export function toTokenParts(parts: TokenParts): TokenParts {
	return Object.fromEntries(Object.entries(parts).filter(([, tokens]) => tokens > 0));
}

/** What the parts of several calls come to. */
export function sumTokenParts(calls: readonly TokenParts[]): Required<TokenParts> {
	const sum = (name: keyof TokenParts) => calls.reduce((total, call) => total + (call[name] ?? 0), 0);
	return {
		cached_tokens: sum("cached_tokens"),
		cache_write_tokens: sum("cache_write_tokens"),
		reasoning_tokens: sum("reasoning_tokens"),
	};
}
