// The kinds of proof that can be checked offline, under their names on the command line and the page.
import { NotCanonicalError } from "../proof/canonical.ts";
import { checkChain } from "./chain.ts";
import { checkCheckpoint } from "./checkpoint.ts";
import { readDocument } from "./document.ts";
import { type Finding, failedFinding } from "./findings.ts";
import type { PublicKeys } from "./keys.ts";
import { checkReceipt } from "./receipt.ts";
import type { GivenTexts } from "./texts.ts";
import { checkTrajectory } from "./trajectory.ts";
import { checkTreeProof } from "./tree-proof.ts";

/** What a check needs besides the saved file. */
interface CheckOptions {
	/** Trusted public keys. Without any, no signature counts as valid, because none was checked. */
	keys: PublicKeys;
	/** The text of the checkpoints that the file must agree with, one after another; null for none. */
	checkpoint: string | null;
	/** What the reader has of a request or a run, compared with its receipt. Default: nothing. */
	texts?: GivenTexts;
}

interface ProofKind {
	/** Where the saved file comes from. */
	file: string;
	/** What can be given beside it. */
	takes: "checkpoint" | "texts" | null;
	check(text: string, options: CheckOptions): Promise<Finding[]>;
}

function checkJson(check: (document: unknown, options: CheckOptions) => Promise<Finding[]>): ProofKind["check"] {
	return async (text, options) => {
		const read = readDocument(text);
		if (!read.ok) return [failedFinding(`the file ${read.fault}`)];
		try {
			return await check(read.value, options);
		} catch (error) {
			if (error instanceof NotCanonicalError)
				return [failedFinding(`what the file holds has no hash: ${error.message}`)];
			throw error;
		}
	};
}

/**
 * A note ends with exactly one line break (c2sp.org/signed-note). Pasting may lose it, and editors may change line
 * breaks.
 */
function normalizeNote(text: string): string {
	return `${text.replaceAll("\r\n", "\n").trim()}\n`;
}

/** The notes of a text that holds several: each ends with its signature lines. */
function splitNotes(text: string): string[] {
	return text
		.replaceAll("\r\n", "\n")
		.split(/(?<=^— .*\n)\s*(?!— |\s)/m)
		.filter((note) => note.trim() !== "")
		.map(normalizeNote);
}

/** The kinds, in the order they are offered. */
export const PROOF_KINDS: Readonly<
	Record<"receipt" | "trajectory" | "chain" | "checkpoint" | "tree-proof", ProofKind>
> = {
	receipt: {
		file: "GET /v1/proof/{request_id}",
		takes: "texts",
		check: checkJson((document, { keys, texts }) => checkReceipt(document, keys, texts)),
	},
	trajectory: {
		file: "GET /v1/agent/{run_id}/trajectory?full=true, or its verify_request; under `proof` GET /v1/proof/{run_id}",
		takes: "texts",
		check: checkJson((document, { keys, texts }) => checkTrajectory(document, keys, texts)),
	},
	chain: {
		file: "GET /v1/handoff/chain/{workspace_id}, or a JSON array of its pages",
		takes: "checkpoint",
		check: checkJson((document, { keys, checkpoint }) =>
			checkChain(document, keys, checkpoint === null ? null : normalizeNote(checkpoint)),
		),
	},
	checkpoint: {
		file: "GET /v1/handoff/chain/{workspace_id}/checkpoint",
		takes: null,
		check: (text, { keys }) => checkCheckpoint(normalizeNote(text), keys),
	},
	"tree-proof": {
		file: "GET /v1/handoff/chain/{workspace_id}/proof; under `entry` GET /v1/handoff/{handoff_id}",
		takes: "checkpoint",
		check: checkJson((document, { keys, checkpoint }) =>
			checkTreeProof(document, keys, checkpoint === null ? [] : splitNotes(checkpoint)),
		),
	},
};

export type ProofKindName = keyof typeof PROOF_KINDS;

/** The kind with this name; null when there is none. */
export function parseKind(name: string): ProofKindName | null {
	return Object.hasOwn(PROOF_KINDS, name) ? (name as ProofKindName) : null;
}

/** Guesses a text's kind by its members; null when they fit none. */
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
	if ("leaf_hash" in members && "hashes" in members) return "tree-proof";
	return "data" in members && "workspace_id" in members ? "chain" : null;
}
