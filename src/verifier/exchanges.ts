// Checks the exchanges of a run's steps with tools (docs/proofs.md, "Steps with tools"), as they stand beside its trajectory: each
// against the step's hash, the texts and claims beside it against the exchange, and what each approval is bound to.
import * as z from "zod";
import { actionDigest } from "../agents/tools/action.ts";
import { toHashedArguments } from "../agents/tools/arguments.ts";
import { countExchangeCalls } from "../agents/tools/exchange.ts";
import { exchangeSchema, stepExchangeSchema, toolCallCountsSchema } from "../agents/tools/step-view.ts";
import { canonicalJson } from "../proof/canonical.ts";
import type { Hash } from "../proof/hash.ts";
import { SALT_FORM, type TextHash, textHash } from "../proof/salted.ts";
import { findAddedMembers } from "./added-members.ts";
import { contradictionFindings, type Finding, failedFindings, finding, unprovenFindings } from "./findings.ts";
import { checkPlainStep, findPlaceFaults, hasExchange, isTextSound, type StepChain, stepFields } from "./step.ts";

/** The answer of `GET /v1/agent/{run_id}/steps/{index}` for a step with tools. */
const stepDocumentSchema = z.lazy(() =>
	stepExchangeSchema.unwrap().extend({
		...stepFields(),
		// As it stands: a member that no schema knows is hashed as well.
		exchange: z.record(z.string(), z.unknown()),
	}),
);
type StepDocument = z.output<typeof stepDocumentSchema>;
type HashedExchange = z.output<typeof exchangeSchema>;
type ShownCall = StepDocument["calls"][number];
type HashedCall = HashedExchange["calls"][number];

/** Members beside the exchange that it does not have, of the step and of its calls. */
const UNPROVEN_MEMBERS = ["role", "subtask"];
const UNPROVEN_CALL_MEMBERS = ["risk_score", "reason", "tainted_by", "unsourced", "result_cut", "self_approval"];

/** An approval, and the action that it is bound to. */
export interface CheckedApproval {
	step: number;
	runId: string;
	callId: string;
	keyId: string;
	decision: string;
	digest: string;
}

/** An entry of a chain, as far as it tells of a person's decision. */
interface ReviewEntry {
	id: string;
	action_kind: string;
	from_tool: string | null;
	to_tool: string | null;
	validation: readonly { id: string; description: string }[];
}

interface CheckedExchanges {
	findings: Finding[];
	/** Those of all calls, as far as the exchanges can be read. */
	calls: HashedCall[];
	approvals: CheckedApproval[];
}

/** Texts beside the exchange whose hashes are others. @returns what is wrong, in words. */
function findTextFaults({ said, steering, calls, exchange }: Members, hash: TextHash): string[] {
	const faults: string[] = [];
	const compare = (what: string, shown: readonly { turn: number; text: string }[], hashed: readonly unknown[]) => {
		const own = shown.map((each) => ({ ...each, text: hash(each.text) }));
		if (canonicalJson(own) !== canonicalJson(hashed)) faults.push(`${what}: others than were hashed`);
	};
	compare("said", said, exchange.said);
	compare("steering", steering, exchange.steering ?? []);
	for (const [place, hashed] of exchange.calls.entries()) {
		const shown = calls[place];
		if (!shown) continue;
		const { arguments: args, result } = shown;
		const written = typeof args === "string" ? toHashedArguments(args) : canonicalJson(args);
		if (args !== null && hash(written) !== hashed.arguments) faults.push(`call ${hashed.id}: has other arguments`);
		if (result !== null && hash(result) !== hashed.result) faults.push(`call ${hashed.id}: has another result`);
	}
	return faults;
}

type Members = Pick<StepDocument, "said" | "steering" | "calls"> & { exchange: HashedExchange };

/** What a shown call says against the exchange, or against itself. */
function findCallFaults(runId: string, shown: ShownCall, hashed: HashedCall): string[] {
	const { id, turn, tool, definition, decision, event_id, state, approval } = hashed;
	const what = `call ${id}`;
	const hasResult = hashed.result !== null;
	const { self_approval: _, reason: __, ...decided } = shown.approval ?? {};
	const contradicted = contradictionFindings(what, shown, {
		...{ id, turn, tool, definition, decision, event_id, state },
		is_error: hasResult && state !== "done",
		truncated: shown.arguments === null || (hasResult && shown.result === null),
	}).map(({ text }) => text);
	if (canonicalJson(shown.approval && decided) !== canonicalJson(approval))
		contradicted.push(`${what}: shows an approval that its proof contradicts`);
	return [...contradicted, ...findActionFaults(runId, shown, hashed), ...findOrderFaults(hashed)];
}

/** Whether the action of a call is the one that was judged and approved. */
function findActionFaults(runId: string, { policy, action_digest }: ShownCall, hashed: HashedCall): string[] {
	const { id, tool, definition, approval } = hashed;
	const faults: string[] = [];
	if ((policy === null) !== (action_digest === null)) faults.push(`call ${id}: a policy and an action go together`);
	if (policy !== null && definition !== null) {
		const digest = actionDigest({
			...{ runId, callId: id, tool },
			definition: definition as Hash,
			argumentsHash: hashed.arguments as Hash,
			policy: { manifestDigest: policy.manifest_digest as Hash, version: policy.version },
		});
		if (digest !== action_digest) faults.push(`call ${id}: its action has digest ${digest}, not ${action_digest}`);
	}
	if (approval && approval.digest !== action_digest)
		faults.push(`call ${id}: was decided on as ${approval.digest}, which is another action`);
	return faults;
}

/** Whether nothing ran that the policy denied, or that a person was to decide on and did not let run. */
function findOrderFaults({ id, state, decision, event_id, approval }: HashedCall): string[] {
	const faults: string[] = [];
	if ((decision === null) !== (event_id === null)) faults.push(`call ${id}: a decision and its event go together`);
	const isApproved = approval !== null && approval.decision !== "reject";
	const mayRun = decision === "allow" || (isApproved && decision !== null && decision !== "deny");
	if (["allowed", "approved", "dispatched", "done", "expired"].includes(state) && !mayRun)
		faults.push(`call ${id}: is ${state}, though nobody let it run`);
	if (state === "denied" && decision !== "deny")
		faults.push(`call ${id}: is denied, though the policy decided otherwise`);
	return faults;
}

/** Whether a step has not ended: it has no text yet, and no hash of one. */
function isStepOpen({ text, truncated, output_hash }: StepDocument): boolean {
	return output_hash === null && text === "" && !truncated;
}

function toApprovals({ run_id: runId, index: step }: StepDocument, { calls }: HashedExchange): CheckedApproval[] {
	return calls.flatMap(({ id: callId, approval }) =>
		approval
			? [{ step, runId, callId, keyId: approval.key_id, decision: approval.decision, digest: approval.digest }]
			: [],
	);
}

function checkExchange(document: unknown, chain: StepChain | null, salt: string | null): CheckedExchanges {
	const parsed = stepDocumentSchema.safeParse(document);
	const typed = exchangeSchema.safeParse(parsed.data?.exchange);
	if (!parsed.success || !typed.success) {
		const text = "exchange: is not what GET /v1/agent/{run_id}/steps/{index} answers for a step with tools";
		return { findings: failedFindings([text]), calls: [], approvals: [] };
	}
	const step = parsed.data;
	const exchange = typed.data;
	const what = `step ${step.index}`;
	if (!SALT_FORM.test(step.salt) || (salt !== null && salt !== step.salt))
		return { findings: failedFindings([`${what}: its salt is not the run's`]), calls: [], approvals: [] };
	const hash = textHash(step.salt);
	const own = hash(canonicalJson(step.exchange));
	const isNext = isStepOpen(step) && step.run_id === chain?.run_id && step.index === chain.steps.length;
	const unshown = step.calls.filter(({ truncated }) => truncated).length;
	const faults = [
		...(chain && !isNext ? findPlaceFaults(step, chain) : []),
		...(own === step.input_hash ? [] : [`its exchange has hash ${own}, not ${step.input_hash}`]),
		...(step.calls.length === exchange.calls.length ? [] : ["shows other calls than were hashed"]),
		...(isStepOpen(step) || isTextSound(step, step.salt) ? [] : ["its text and output_hash do not agree"]),
		...findTextFaults({ ...step, exchange }, hash),
		...exchange.calls.flatMap((hashed, place) => {
			const shown = step.calls[place];
			return shown ? findCallFaults(step.run_id, shown, hashed) : [];
		}),
	];
	const { calls } = exchange;
	const approvals = toApprovals(step, exchange);
	const sound = `${what}: its exchange has the hash ${own}; calls: ${calls.length}, none ran that nobody let run`;
	return {
		findings: [
			...(faults.length === 0 ? [finding(true, sound, "")] : failedFindings(faults.map((text) => `${what}: ${text}`))),
			...(unshown > 0
				? [{ verdict: "note" as const, text: `${what}: calls whose texts are not in the file: ${unshown}` }]
				: []),
			...(isNext ? [{ verdict: "note" as const, text: `${what}: goes on, and is not in the run's chain yet` }] : []),
			...unprovenFindings(what, [
				...UNPROVEN_MEMBERS,
				...(calls.length > 0 ? UNPROVEN_CALL_MEMBERS : []),
				...findAddedMembers(document, step),
			]),
		],
		calls,
		approvals,
	};
}

/** The counts of a receipt in words; null where they are not the six. */
function describeCounts(counted: unknown): string | null {
	const parsed = toolCallCountsSchema.safeParse(counted);
	if (!parsed.success) return null;
	return `tool calls: ${Object.entries(parsed.data)
		.map(([name, count]) => `${count} ${name}`)
		.join(", ")}`;
}

const NO_COUNTS = "receipt: tool_calls are not the six counts";

/** What a receipt says of its run's calls. */
export function receiptCountFindings(counted: unknown): Finding[] {
	if (counted === undefined) return [];
	const text = describeCounts(counted);
	return text === null ? failedFindings([NO_COUNTS]) : [{ verdict: "ok", text }];
}

/** Compares the counts of a run's receipt with the calls of its exchanges. */
export function countFindings(counted: unknown, calls: readonly HashedCall[]): Finding[] {
	if (counted === undefined) return calls.length === 0 ? [] : failedFindings(["receipt: counts no calls of tools"]);
	const text = describeCounts(counted);
	if (text === null) return failedFindings([NO_COUNTS]);
	const { requested } = toolCallCountsSchema.parse(counted);
	if (calls.length < requested) {
		const note = `${text}, as the receipt says; the file has the exchanges of ${calls.length} of them`;
		return [{ verdict: "note", text: note }];
	}
	const own = countExchangeCalls(calls);
	const ifNot = `${text} are what the receipt says; the exchanges have ${canonicalJson(own)}`;
	return [finding(canonicalJson(own) === canonicalJson(counted), `${text}, as the exchanges have them`, ifNot)];
}

/** The handoff of each approval in its workspace's chain. */
export function approvalFindings(approvals: readonly CheckedApproval[], entries: readonly ReviewEntry[]): Finding[] {
	return approvals.map(({ step, runId, callId, keyId, decision, digest }) => {
		const entry = entries.find(({ action_kind, from_tool, to_tool, validation }) => {
			if (action_kind !== "review" || from_tool !== runId || to_tool !== keyId) return false;
			const said = (name: string) => validation.find(({ id }) => id === name)?.description;
			return said("action_digest") === digest && said("decision") === decision;
		});
		const what = `step ${step}: ${decision} of call ${callId} by key ${keyId}`;
		return finding(entry !== undefined, `${what}: is handoff ${entry?.id}`, `${what}: has no handoff in the chain`);
	});
}

/**
 * Checks the answers for steps, alone or beside their run's chain.
 * @param documents answers of `GET /v1/agent/{run_id}/steps/{index}`.
 * @param chain of the run; null where the file has none.
 * @param salt the run's, where the chain or the reader names it.
 */
export function checkSteps(
	documents: readonly unknown[],
	chain: StepChain | null,
	salt: string | null,
): CheckedExchanges {
	const checked = documents.map((document) =>
		hasExchange(document)
			? checkExchange(document, chain, salt)
			: { findings: checkPlainStep(document, chain, salt), calls: [], approvals: [] },
	);
	const places = new Set(documents.map((each) => `${Object(each).run_id} ${Object(each).index}`));
	return {
		findings: [
			...(places.size < documents.length ? failedFindings(["exchanges: one of them stands twice in the file"]) : []),
			...checked.flatMap(({ findings }) => findings),
		],
		calls: checked.flatMap(({ calls }) => calls),
		approvals: checked.flatMap(({ approvals }) => approvals),
	};
}
