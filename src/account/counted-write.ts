// A write that is counted against the user's quota of stored bytes before it is made, and taken back where it was not made.
import type { Result } from "../failure.ts";
import type { StoredWrite } from "../meter/stored-bytes.ts";
import type { KeyContext } from "./context.ts";

/** Counts a write that is about to be made. A failure is the client's answer. */
export type CountWrite = (write: StoredWrite) => Promise<Result<unknown>>;

/**
 * Makes a write that counts itself.
 * @param isStored whether a value says that it was stored.
 */
export async function makeCountedWrite<T>(
	{ store, giveBackStored }: Pick<KeyContext, "store" | "giveBackStored">,
	write: (count: CountWrite) => Promise<Result<T>>,
	isStored: (value: T) => boolean,
): Promise<Result<T>> {
	let isOwed = false;
	const count: CountWrite = async (bytes) => {
		const counted = await store(bytes);
		isOwed = counted.ok;
		return counted;
	};
	try {
		const written = await write(count);
		if (written.ok && isStored(written.value)) isOwed = false;
		return written;
	} finally {
		if (isOwed) await giveBackStored();
	}
}
