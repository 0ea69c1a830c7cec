// Between tests nothing answers for the providers. What a run that outlives its test still asks of them fails at once: the name of the
// sandbox would be looked up in vain for seconds, and the failure be held against a provider in the middle of a later test.
import { SANDBOX_ORIGIN } from "./variables.ts";

const MARK = Symbol.for("svc.no-upstream");

// Files that share a runtime each run this.
if (!Object.hasOwn(globalThis.fetch, MARK)) {
	const network = globalThis.fetch;
	const fetchOutside: typeof fetch = async (input, init) => {
		const url = input instanceof Request ? input.url : String(input);
		if (url.startsWith(SANDBOX_ORIGIN)) throw new TypeError(`no test is under way that answers ${url}`);
		return network(input, init);
	};
	globalThis.fetch = Object.assign(fetchOutside, { [MARK]: true });
}
