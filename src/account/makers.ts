// Whose things a key reads, and which it may end: what is stored says which key made it. Pure.
import type { KeyRole } from "../http/endpoint.ts";
import type { KeyGrant } from "./context.ts";

/** Whether a key reads only what it made: agents' keys do, where nothing else is set. */
export function readsOwnOnly({ role, ownOnly }: { role: KeyRole; ownOnly: boolean | null }): boolean {
	return role === "agent" && (ownOnly ?? true);
}

/** The part of an account that says what its key made. */
export interface Maker {
	key: Pick<KeyGrant, "role" | "lineage" | "ownOnly">;
}

/** The keys whose things the caller reads; null for all of the user's, and for what was stored before makers were. */
export function readableMakers({ key }: Maker): readonly string[] | null {
	return key.ownOnly ? key.lineage : null;
}

/** Whether the caller's key, or one that it replaced, made a thing. @param makerId null for things from before makers were stored. */
export function isMaker({ key }: Maker, makerId: string | null): boolean {
	return makerId !== null && key.lineage.includes(makerId);
}

/** Whether the caller reads a thing. One that it does not read is to it as if it were not there. */
export function mayRead(caller: Maker, makerId: string | null): boolean {
	return !caller.key.ownOnly || isMaker(caller, makerId);
}

/** Whether the caller may end or rate a thing that it reads: an owner all of the user's, any other what it made. */
export function mayChange(caller: Maker, makerId: string | null): boolean {
	return caller.key.role === "owner" || isMaker(caller, makerId);
}

/** The keys whose things the caller may end or rate; null for all of the user's. */
export function changeableMakers({ key }: Maker): readonly string[] | null {
	return key.role === "owner" ? null : key.lineage;
}
