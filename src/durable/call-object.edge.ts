// Calls Durable Objects. Every method called this way is idempotent, so a call whose answer was lost can be repeated.
import { StorageUnavailableError } from "../failure.ts";

/** Calls the object with a name, and once more if that fails. A stub stays broken after an error, so each try takes a new one. */
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
