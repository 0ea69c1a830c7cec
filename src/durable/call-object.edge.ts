// Calls to Durable Objects. Every method called this way is idempotent, so that a call whose answer was lost is repeated.

/** The object could not be reached, twice. */
export class ObjectUnavailableError extends Error {
	override name = "ObjectUnavailableError";
}

/** Calls the object of a name, and once more when that fails: a stub is broken for good after an error, so each try takes a new one. */
export async function callTwice<Stub, T>(
	namespace: { getByName(name: string): Stub },
	name: string,
	call: (stub: Stub) => Promise<T>,
): Promise<T> {
	try {
		return await call(namespace.getByName(name));
	} catch {
		try {
			return await call(namespace.getByName(name));
		} catch (cause) {
			throw new ObjectUnavailableError("a durable object did not answer", { cause });
		}
	}
}
