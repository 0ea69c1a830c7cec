// `svc verify`: checks receipts, runs and saved proofs on this machine.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { SvcError } from "../../client/errors.ts";
import type { ComparedTexts, Verification } from "../../client/verification.ts";
import type { Command, Flag, GivenWords } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { UsageError } from "./failures.ts";
import { readFileText } from "./input.ts";
import type { Style } from "./output.ts";
import type { CommandSession } from "./session.ts";

export const PUBKEY_FLAG: Flag = {
	value: "KEY|FILE",
	about: "the public key that you trust; by default those that the service publishes",
};

const VERDICT_STYLE = { ok: "green", FAIL: "red", note: "dim" } as const satisfies Record<string, Style>;

/** Shows what was found. @returns the exit code: 0 only when everything holds */
export function showVerification(
	session: CommandSession,
	{ isValid, findings }: Verification,
	isShown: boolean,
): number {
	if (isShown)
		for (const { verdict, text } of findings)
			session.line(`${session.paint(VERDICT_STYLE[verdict], verdict.padEnd(4))}  ${text}`);
	return isValid ? EXIT.ok : EXIT.failed;
}

/** The keys of `--pubkey`: a file where there is one of that name. */
export function readPubkeyFlag(given: GivenWords, session: CommandSession): { publicKeys?: string } {
	const option = given.text("pubkey");
	if (option === undefined) return {};
	const isFile = existsSync(resolve(session.terminal.folder, option));
	return { publicKeys: isFile ? readFileText(session.terminal, option) : option };
}

const TEXT_FLAGS = ["salt", "input", "output"] as const;

/** The texts that are compared with a receipt. */
function readTextFlags(given: GivenWords, { terminal }: CommandSession): ComparedTexts {
	const read = TEXT_FLAGS.flatMap((name) => {
		const value = given.text(name);
		return value === undefined ? [] : [[name, name === "salt" ? value : readFileText(terminal, value)] as const];
	});
	return Object.fromEntries(read);
}

/** The text of files that are checked as one; `-` is the standard input. @throws UsageError for one that is not there. */
async function readSavedFiles(files: readonly string[], { terminal }: CommandSession): Promise<string> {
	const missing = files.find((file) => file !== "-" && !existsSync(resolve(terminal.folder, file)));
	if (missing !== undefined)
		throw new UsageError(
			`there is no file ${missing}, and it is no id of a request (svc-…), a run (agt_…) or a handoff (ho_…)`,
		);
	const texts: string[] = [];
	for (const file of files) texts.push(file === "-" ? await terminal.readInput() : readFileText(terminal, file));
	return texts.join("\n");
}

/** What the service has of a saved run that its file lacks: its receipt, and of a step alone its chain. */
async function readLackingAnswers(text: string, session: CommandSession): Promise<string[]> {
	const { findLackingAnswers } = await import("../../verifier/run-file.ts");
	const { runId = "", lacks = [] } = findLackingAnswers(text) ?? {};
	const { proofs, runs } = session.client();
	const { signal } = session;
	const readAnswer = (name: (typeof lacks)[number]): Promise<unknown> =>
		name === "proof" ? proofs.get(runId, { signal }) : runs.trajectory(runId, true, { signal });
	const answers = await Promise.all(
		lacks.map((name) =>
			readAnswer(name).catch((error: unknown) => {
				// A run that has not ended has no receipt, and another's has no chain: the check says what is missing.
				if (error instanceof SvcError && error.status === 404) return null;
				throw error;
			}),
		),
	);
	return answers.filter((answer) => answer !== null).map((answer) => JSON.stringify(answer));
}

async function verifyTarget(
	targets: readonly string[],
	given: GivenWords,
	session: CommandSession,
): Promise<Verification> {
	const keys = readPubkeyFlag(given, session);
	const texts = readTextFlags(given, session);
	const { signal } = session;
	const target = targets.length === 1 ? (targets[0] ?? "") : "";
	if (/^svc-[0-9A-Z]+$/i.test(target)) return session.client().proofs.verify(target, { signal, ...keys, ...texts });
	if (/^agt_[0-9A-Z]+$/i.test(target)) return session.client().proofs.verifyRun(target, { signal, ...keys, ...texts });
	if (/^ho_[0-9A-Z]+$/i.test(target)) return session.client().handoffs.verifyEntry(target, { signal, ...keys });
	const saved = await readSavedFiles(targets, session);
	const { verifyProof } = await import("../../client/verification.ts");
	const checkpoint = given.text("checkpoint");
	const isAlone = keys.publicKeys !== undefined;
	const text = isAlone ? saved : [saved, ...(await readLackingAnswers(saved, session))].join("\n");
	return verifyProof(text, {
		...texts,
		publicKeys: keys.publicKeys ?? JSON.stringify(await session.client().proofs.publicKeys({ signal })),
		...(checkpoint === undefined ? {} : { checkpoint: readFileText(session.terminal, checkpoint) }),
	});
}

export const verifyCommand: Command = {
	name: "verify",
	about: "verify a receipt, a run, a handoff or a saved proof on this machine",
	operands: "REQUEST|RUN|HANDOFF|FILE…",
	details: [
		"REQUEST is the id of an answer (svc-…), RUN of a run (agt_…), HANDOFF of a handoff (ho_…), which is shown to be in its",
		"workspace's signed tree. FILE is a saved receipt, run, trajectory, step, chain, checkpoint or tree proof; several FILEs are what",
		"was saved of one run: its answer, its receipt, its steps, the chain with its approvals. With --pubkey and a FILE nobody is asked;",
		"without it the service is asked for its keys, and for the receipt of a run that the file does not have.",
		"Ends with 0 only when everything holds, and with 1 when something does not.",
	],
	flags: {
		pubkey: PUBKEY_FLAG,
		checkpoint: { value: "FILE", about: "a checkpoint that a saved chain or tree proof must agree with" },
		salt: {
			value: "SALT",
			about: "the salt of a receipt's hashes, which its owner has with the answer (svc.proof.salt)",
		},
		input: { value: "FILE", about: "what was asked, compared with the receipt: the text, or the body of the request" },
		output: { value: "FILE", about: "what was answered, compared with the receipt: the text, or the answer" },
	},
	async run(given, session) {
		const [target = ""] = given.operands;
		if (target === "") throw new UsageError("the id or file is missing");
		if (given.text("checkpoint") !== undefined && /^(?:svc-|agt_|ho_)/.test(target))
			throw new UsageError("--checkpoint is for a saved chain or tree proof");
		if (TEXT_FLAGS.some((name) => given.text(name) !== undefined) && target.startsWith("ho_"))
			throw new UsageError("--salt, --input and --output are for a receipt or a run");
		const verification = await verifyTarget(given.operands, given, session);
		if (session.isJson) session.json({ is_valid: verification.isValid, findings: verification.findings });
		return showVerification(session, verification, !session.isJson);
	},
};
