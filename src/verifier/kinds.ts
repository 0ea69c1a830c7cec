// What can be checked offline, by the word that asks for it: the command line's and the page's.
import { NotCanonicalError } from "../proof/canonical.ts";
import { checkChain } from "./chain.ts";
import { checkCheckpoint } from "./checkpoint.ts";
import { readDocument } from "./document.ts";
import { type Finding, failure } from "./findings.ts";
import type { PublicKeys } from "./keys.ts";
import { checkReceipt } from "./receipt.ts";
import { checkTrajectory } from "./trajectory.ts";

/** What a check may be given besides what it checks. */
interface CheckOptions {
	/** None: whatever is signed does not hold, because it was not checked. */
	keys: PublicKeys;
	/** A checkpoint that a chain is to agree with. */
	checkpoint: string | null;
}

interface ProofKind {
	/** What its file holds. */
	file: string;
	check(text: string, options: CheckOptions): Promise<Finding[]>;
}

function checkJson(check: (document: unknown, options: CheckOptions) => Promise<Finding[]>): ProofKind["check"] {
	return async (text, options) => {
		const read = readDocument(text);
		if (!read.ok) return [failure(`the file ${read.fault}`)];
		try {
			return await check(read.value, options);
		} catch (error) {
			if (error instanceof NotCanonicalError) return [failure(`what the file holds has no hash: ${error.message}`)];
			throw error;
		}
	};
}

/** A note ends with one line break (c2sp.org/signed-note), which pasting may lose, and editors write it in their own way. */
function normalizeNote(text: string): string {
	return `${text.replaceAll("\r\n", "\n").trim()}\n`;
}

/** The kinds, in the order they are offered. */
export const KINDS: Readonly<Record<"receipt" | "trajectory" | "chain" | "checkpoint", ProofKind>> = {
	receipt: {
		file: "GET /v1/proof/{request_id}",
		check: checkJson((document, { keys }) => checkReceipt(document, keys)),
	},
	trajectory: {
		file: "GET /v1/agent/{run_id}/trajectory?full=true, or its verify_request; under `proof` GET /v1/proof/{run_id}",
		check: checkJson((document, { keys }) => checkTrajectory(document, keys)),
	},
	chain: {
		file: "GET /v1/handoff/chain/{workspace_id}, or a JSON array of its pages",
		check: checkJson((document, { keys, checkpoint }) =>
			checkChain(document, keys, checkpoint === null ? null : normalizeNote(checkpoint)),
		),
	},
	checkpoint: {
		file: "GET /v1/handoff/chain/{workspace_id}/checkpoint",
		check: (text, { keys }) => checkCheckpoint(normalizeNote(text), keys),
	},
};

export type ProofKindName = keyof typeof KINDS;

/** Reads the name of a kind; null for any other word. */
export function parseKind(name: string): ProofKindName | null {
	return Object.hasOwn(KINDS, name) ? (name as ProofKindName) : null;
}

/** Which kind a text is of, by its members; null when none shows. */
export function guessKind(text: string): ProofKindName | null {
	let document: unknown;
	try {
		document = JSON.parse(text);
	} catch {
		return normalizeNote(text).includes("\n\n— ") ? "checkpoint" : null;
	}
	const members = Object(Array.isArray(document) ? document[0] : document);
	if ("verify_request" in members || "trajectory_proof" in members) return "trajectory";
	if ("proof_hash" in members && "receipt" in members) return "receipt";
	return "data" in members && "workspace_id" in members ? "chain" : null;
}
