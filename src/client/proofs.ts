// Reads proofs from the service and verifies them on this machine. The checks are loaded on first use: most callers need none.
import { SvcError } from "./errors.ts";
import type { CallSettings, EndpointAnswer, Transport } from "./transport.ts";
import type { ComparedTexts, ProofKindName, Verification } from "./verification.ts";

export interface CheckSettings extends CallSettings {
	/**
	 * Public keys that are trusted, as {@link verifyProof} takes them. Default: those that the service publishes, which shows that
	 * its answers agree with each other, not that the service is who you think.
	 */
	publicKeys?: string;
}

async function verify(
	text: string,
	publicKeys: string,
	kind: ProofKindName,
	beside: ComparedTexts & { checkpoint?: string } = {},
) {
	const { verifyProof } = await import("./verification.ts");
	return verifyProof(text, { publicKeys, kind, ...beside });
}

/** Settings of a check, and the texts that are compared. */
function splitTexts<Settings extends CheckSettings>({ salt, input, output, ...settings }: Settings & ComparedTexts) {
	const texts = {
		...(salt === undefined ? {} : { salt }),
		...(input === undefined ? {} : { input }),
		...(output === undefined ? {} : { output }),
	};
	return { settings, texts };
}

function readKeys(transport: Transport, { publicKeys, ...settings }: CheckSettings): Promise<string> | string {
	return publicKeys ?? transport.text("get_public_key", {}, settings);
}

/** The pages of a chain as the text of a JSON array, each as it came: a number that is parsed could change. */
async function readChainPages(transport: Transport, workspaceId: string, settings: CallSettings): Promise<string> {
	const pages: string[] = [];
	let after: number | undefined;
	for (;;) {
		const given = { params: { workspace_id: workspaceId }, query: after === undefined ? {} : { after } };
		const text = await transport.text("get_handoff_chain", given, settings);
		pages.push(text);
		const { has_more, data } = JSON.parse(text) as { has_more: boolean; data: { seq: number }[] };
		after = data.at(-1)?.seq;
		if (!has_more || after === undefined) return `[${pages.join(",")}]`;
	}
}

/** Verifies a workspace's chain with its current checkpoint. */
export function chainReader(transport: Transport) {
	return async (workspaceId: string, settings: CheckSettings = {}): Promise<Verification> => {
		const params = { workspace_id: workspaceId };
		// The checkpoint first: a chain that grows in between still begins with what it signs.
		const checkpoint = await transport.text("get_handoff_checkpoint", { params }, settings);
		const pages = await readChainPages(transport, workspaceId, settings);
		return verify(pages, await readKeys(transport, settings), "chain", { checkpoint });
	};
}

/** The number of entries that a checkpoint signs: its second line. */
const checkpointSize = (checkpoint: string) => Number(checkpoint.split("\n")[1]);

/** Verifies that a handoff is in the tree that its workspace's current checkpoint signs. */
export function entryReader(transport: Transport) {
	return async (handoffId: string, settings: CheckSettings = {}): Promise<Verification> => {
		const entry = await transport.text("get_handoff", { params: { handoff_id: handoffId } }, settings);
		const { workspace_id, seq } = JSON.parse(entry) as { workspace_id: string; seq: number };
		const params = { workspace_id };
		const checkpoint = await transport.text("get_handoff_checkpoint", { params }, settings);
		const query = { index: seq, size: checkpointSize(checkpoint) };
		const proof = await transport.text("get_handoff_proof", { params, query }, settings);
		return verify(withMember(proof, "entry", entry), await readKeys(transport, settings), "tree-proof", { checkpoint });
	};
}

/** A JSON object's text with one more member, both as they came. */
function withMember(object: string, name: string, value: string): string {
	return `${object.trimEnd().slice(0, -1)},"${name}":${value}}`;
}

/** The strategy of steps with tools. */
const TOOLS_STRATEGY = "tools";

/** The members of a trajectory's file that show what a run's tools did: its exchanges, and its workspace's chain if people decided. */
async function readToolMembers(
	transport: Transport,
	trajectory: string,
	settings: CallSettings,
): Promise<[name: string, value: string][]> {
	const { run_id, steps } = JSON.parse(trajectory) as EndpointAnswer<"get_agent_trajectory">;
	const exchanges: string[] = [];
	for (const { index } of steps.filter(({ strategy }) => strategy === TOOLS_STRATEGY)) {
		const params = { run_id, index: String(index) };
		// Kept for thirty days, and not everywhere: then the rest is verified without them.
		const text = await transport.text("get_agent_step", { params }, settings).catch(ignoreMissing);
		if (text !== null && "exchange" in JSON.parse(text)) exchanges.push(text);
	}
	if (exchanges.length === 0) return [];
	const { workspace_id } = await transport.call("get_agent_run", { params: { run_id } }, settings);
	const members: [string, string][] = [["exchanges", `[${exchanges.join(",")}]`]];
	const isDecided = exchanges.some((text) =>
		(JSON.parse(text) as EndpointAnswer<"get_agent_step">).calls?.some(({ approval }) => approval !== null),
	);
	if (isDecided && workspace_id !== undefined)
		members.push(["chain", await readChainPages(transport, workspace_id, settings)]);
	return members;
}

/** Null for what is not there. @throws any other error. */
function ignoreMissing(error: unknown): null {
	if (error instanceof SvcError && error.status === 404) return null;
	throw error;
}

/** Receipts and runs. */
export function proofReader(transport: Transport) {
	const receiptText = (requestId: string, settings?: CallSettings) =>
		transport.text("get_proof", { params: { request_id: requestId } }, settings);
	return {
		/** The signed receipt of a request. */
		get: (requestId: string, settings?: CallSettings) =>
			transport.call("get_proof", { params: { request_id: requestId } }, settings),
		/** The service's public keys. */
		publicKeys: (settings?: CallSettings) => transport.call("get_public_key", {}, settings),
		/** Reads the receipt of a request and verifies it on this machine, with the texts that you give. */
		verify: async (requestId: string, given: CheckSettings & ComparedTexts = {}): Promise<Verification> => {
			const { settings, texts } = splitTexts(given);
			return verify(await receiptText(requestId, settings), await readKeys(transport, settings), "receipt", texts);
		},
		/**
		 * Reads the trajectory of one of the caller's runs with its receipt, and verifies both on this machine, with the texts that you
		 * give. Of a run with tools also what they were told and answered, and what people decided.
		 */
		verifyRun: async (runId: string, options: CheckSettings & ComparedTexts = {}): Promise<Verification> => {
			const { settings, texts } = splitTexts(options);
			const given = { params: { run_id: runId }, query: { full: true } };
			const trajectory = await transport.text("get_agent_trajectory", given, settings);
			const proof = await receiptText(runId, settings);
			const members = [["proof", proof], ...(await readToolMembers(transport, trajectory, settings))] as const;
			const file = members.reduce((text, [name, value]) => withMember(text, name, value), trajectory);
			return verify(file, await readKeys(transport, settings), "trajectory", texts);
		},
	};
}
