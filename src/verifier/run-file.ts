// Reads what was saved of one run: its answer, as it is or as the end of a stream, its trajectory, or answers for its steps; beside
// them, one after another in any order, its receipt and its workspace's chain. What each says is checked in the file of its kind.
import { isJsonObject, type JsonObject } from "../json.ts";
import { type DocumentResult, readDocument, splitAnswers } from "./document.ts";
import { checkSteps } from "./exchanges.ts";
import { type Finding, failedFinding } from "./findings.ts";
import type { PublicKeys } from "./keys.ts";
import { type GivenTexts, NO_TEXTS } from "./texts.ts";
import { checkTrajectory } from "./trajectory.ts";

/** The answers of one run's file. */
interface RunFile {
	/** `agent.run`; null where there is none. */
	run: JsonObject | null;
	/** `agent.trajectory`, or a bundle alone. */
	trajectory: JsonObject | null;
	/** `agent.step` each. */
	steps: readonly unknown[];
	/** The answer of `GET /v1/proof/{run_id}`; null where there is none. */
	proof: unknown;
	/** Pages of `GET /v1/handoff/chain/{workspace_id}`; null where there are none. */
	chain: unknown;
}

type RunFileResult = { ok: true; file: RunFile } | { ok: false; fault: string };

type AnswerKind = "run" | "trajectory" | "step" | "proof" | "chain";

/** Which answer of the service a value is, as far as a run's file has it; null for any other. */
export function findAnswerKind(value: unknown): AnswerKind | null {
	const members: JsonObject = Object(Array.isArray(value) ? value[0] : value);
	if (members["object"] === "agent.run") return "run";
	if (members["object"] === "agent.step") return "step";
	if ("verify_request" in members || "trajectory_proof" in members) return "trajectory";
	if ("proof_hash" in members && "receipt" in members) return "proof";
	return "data" in members && "workspace_id" in members ? "chain" : null;
}

/** The values of a file, in order; the first fault where one of them cannot be read. */
function readValues(text: string): { ok: true; values: unknown[] } | { ok: false; fault: string } {
	const split = splitAnswers(text);
	if ("fault" in split) return { ok: false, fault: split.fault };
	const read: DocumentResult[] = split.texts.map(readDocument);
	const place = read.findIndex(({ ok }) => !ok);
	const failed = read[place];
	if (failed && !failed.ok) {
		const where = read.length > 1 ? `, in answer ${place + 1} of ${read.length}` : "";
		return { ok: false, fault: `${failed.fault}${where}` };
	}
	return { ok: true, values: read.flatMap((each) => (each.ok ? [each.value] : [])) };
}

/** Reads a run's file. A fault follows "the file". */
export function readRunFile(text: string): RunFileResult {
	const read = readValues(text);
	if (!read.ok) return read;
	const byKind = Map.groupBy(read.values, findAnswerKind);
	if (byKind.has(null))
		return { ok: false, fault: "holds an answer that belongs to no run, or that cannot be checked with one" };
	const twice = (["run", "trajectory", "proof"] as const).find((kind) => (byKind.get(kind)?.length ?? 0) > 1);
	if (twice) return { ok: false, fault: `holds more than one ${twice}; save each run in a file of its own` };
	const only = (kind: AnswerKind): unknown => byKind.get(kind)?.[0] ?? null;
	const asObject = (value: unknown) => (isJsonObject(value) ? value : null);
	const chain = byKind.get("chain")?.flat() ?? null;
	const [run, trajectory] = [asObject(only("run")), asObject(only("trajectory"))];
	return { ok: true, file: { run, trajectory, steps: byKind.get("step") ?? [], proof: only("proof"), chain } };
}

/** The run that a file is of, and which of its answers that carry its signature the file lacks; null for no run's file. */
export function findLackingAnswers(text: string): { runId: string; lacks: ("trajectory" | "proof")[] } | null {
	const read = readRunFile(text);
	if (!read.ok) return null;
	const { run, trajectory, steps, proof } = read.file;
	const base = run ?? trajectory;
	const runId = Object((base?.["verify_request"] as unknown) ?? base ?? steps[0])["run_id"];
	if (typeof runId !== "string") return null;
	const hasProof = proof !== null || base?.["proof"] !== undefined || base?.["receipt"] !== undefined;
	return { runId, lacks: [...(base ? [] : ["trajectory" as const]), ...(hasProof ? [] : ["proof" as const])] };
}

/** Steps without their run: each agrees with itself, which proves neither its run nor its place in it. */
function loneStepFindings({ steps, proof, chain }: RunFile, keys: PublicKeys, { salt }: GivenTexts): Finding[] {
	if (steps.length === 0) return [failedFinding("the file holds neither a run, nor its trajectory, nor steps of one")];
	const unused =
		proof === null && chain === null ? "" : "; the receipt and the chain beside it tell nothing without it";
	const text = `run: none in the file; that its steps are of a run that the service signed is not shown${unused}`;
	return [...checkSteps(steps, null, salt).findings, { verdict: keys.length > 0 ? "FAIL" : "note", text }];
}

/** One answer with what stands beside it in the file. A fault where the same stands in it as well. */
function withBeside(answer: JsonObject, { steps, proof, chain }: RunFile): { document: JsonObject; faults: Finding[] } {
	const own: unknown[] = Array.isArray(answer["exchanges"]) ? answer["exchanges"] : [];
	const beside: JsonObject = { ...(proof === null ? {} : { proof }), ...(chain === null ? {} : { chain }) };
	const twice = Object.keys(beside).filter((name) => name in answer);
	return {
		document: { ...answer, ...beside, ...(steps.length > 0 ? { exchanges: [...own, ...steps] } : {}) },
		faults: twice.map((name) => failedFinding(`${name}: stands twice in the file`)),
	};
}

/**
 * Checks what was saved of a run.
 * @param keys trusted public keys. A receipt whose signature cannot be checked is a fault.
 * @param texts what the reader has of the run: its goal and its output.
 */
export async function checkRunFile(text: string, keys: PublicKeys, texts: GivenTexts = NO_TEXTS): Promise<Finding[]> {
	const read = readRunFile(text);
	if (!read.ok) return [failedFinding(`the file ${read.fault}`)];
	const { run, trajectory } = read.file;
	const answers = [run, trajectory].filter((each) => each !== null);
	if (answers.length === 0) return loneStepFindings(read.file, keys, texts);
	const checked = answers.map(async (answer) => {
		const { document, faults } = withBeside(answer, read.file);
		return [...faults, ...(await checkTrajectory(document, keys, texts))];
	});
	return (await Promise.all(checked)).flat();
}
