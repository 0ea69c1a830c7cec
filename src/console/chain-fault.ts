// Faults of a chain of handoffs in words. Pure.

const CHAIN_FAULT_TEXTS: Readonly<Record<string, string>> = {
	seq_gap: "its number does not follow the one before: an entry was removed, added or moved",
	prev_link_broken: "it does not link to the entry before as that one is stored now",
	subject_mismatch: "it shows something else than was hashed and signed",
	hash_mismatch: "its hash is not that of its contents",
	signature_invalid: "its signature does not hold",
	unsigned_after_signed: "it is not signed, though one before it is",
	unknown_key: "it is signed by a key that is not the service's",
	owner_mismatch: "it does not name the owner of this workspace, although it should",
	head_mismatch: "the stored chain does not end where its writer left it: entries were cut off, added or replaced",
};

export interface ChainFault {
	/** Index in the stored chain; its length for faults of its end. */
	position: number;
	text: string;
}

/** Reads a reason of the API's verdict, `<name>:<position>`. */
export function parseChainFault(reason: string): ChainFault {
	const [name = "", position] = reason.split(":");
	return { position: Number(position), text: CHAIN_FAULT_TEXTS[name] ?? name };
}
