// Calls to Durable Objects. Every method called this way is idempotent, so that a call whose answer was lost is repeated.
import { StorageUnavailableError } from "../failure.ts";

/** Calls the object of a name, and once more when that fails: a stub is broken for good after an error, so each try takes a new one. */
export async function callObject<Stub, T>(
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
			throw new StorageUnavailableError("a durable object did not answer", { cause });
		}
	}
}
