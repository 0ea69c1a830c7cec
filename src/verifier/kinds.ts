// The kinds of proof that can be checked offline, under their names on the command line and the page.
import { parseJson } from "../json.ts";
import { NotCanonicalError } from "../proof/canonical.ts";
import { checkChain } from "./chain.ts";
import { checkCheckpoint } from "./checkpoint.ts";
import { readDocument, splitAnswers } from "./document.ts";
import { type Finding, failedFinding } from "./findings.ts";
import type { PublicKeys } from "./keys.ts";
import { checkReceipt } from "./receipt.ts";
import { checkRunFile, findAnswerKind } from "./run-file.ts";
import type { GivenTexts } from "./texts.ts";
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
	/** Several files, or several answers in one, are checked as one. */
	takesMany?: true;
	check(text: string, options: CheckOptions): Promise<Finding[]>;
}

function checkJson(check: (document: unknown, options: CheckOptions) => Promise<Finding[]>): ProofKind["check"] {
	return async (text, options) => {
		const read = readDocument(text);
		if (!read.ok) return [failedFinding(`the file ${read.fault}`)];
		return unlessNoHash(check(read.value, options));
	};
}

/** The findings, or the fault where what they are on has no canonical form. */
async function unlessNoHash(findings: Promise<Finding[]>): Promise<Finding[]> {
	try {
		return await findings;
	} catch (error) {
		if (error instanceof NotCanonicalError) return [failedFinding(`what the file holds has no hash: ${error.message}`)];
		throw error;
	}
}

/** A kind of what is saved of a run: each is checked with all that stands beside it. */
function runKind(file: string): ProofKind {
	return {
		file,
		takes: "texts",
		takesMany: true,
		check: (text, { keys, texts }) => unlessNoHash(checkRunFile(text, keys, texts)),
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
	Record<"receipt" | "run" | "trajectory" | "step" | "chain" | "checkpoint" | "tree-proof", ProofKind>
> = {
	receipt: {
		file: "GET /v1/proof/{request_id}",
		takes: "texts",
		check: checkJson((document, { keys, texts }) => checkReceipt(document, keys, texts)),
	},
	run: runKind(
		"GET /v1/agent/{run_id}, or what POST /v1/agent/run answered, streamed or not; after it, in any order, GET /v1/proof/{run_id}, the answers of GET /v1/agent/{run_id}/steps/{index} and the pages of GET /v1/handoff/chain/{workspace_id}",
	),
	trajectory: runKind(
		"GET /v1/agent/{run_id}/trajectory?full=true, or its verify_request; after it the same as after a run, or under `proof`, `exchanges` (a list of steps) and `chain`",
	),
	step: runKind("GET /v1/agent/{run_id}/steps/{index}; after it the run, or its trajectory, and the receipt"),
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
	const split = splitAnswers(text);
	if ("fault" in split) return "run";
	const documents = split.texts.map(parseJson);
	const [first] = documents;
	if (first === undefined) return normalizeNote(text).includes("\n\n— ") ? "checkpoint" : null;
	const kinds = documents.map(findAnswerKind);
	const ofRun = (["run", "trajectory", "step"] as const).find((kind) => kinds.includes(kind));
	if (ofRun) return ofRun;
	const members = Object(first);
	if ("leaf_hash" in members && "hashes" in members) return "tree-proof";
	if (kinds[0] === "proof") return "receipt";
	return kinds[0] === "chain" ? "chain" : null;
}
