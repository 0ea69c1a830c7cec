// `svc verify`: checks receipts, runs and saved proofs on this machine.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
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

async function verifyTarget(target: string, given: GivenWords, session: CommandSession): Promise<Verification> {
	const keys = readPubkeyFlag(given, session);
	const texts = readTextFlags(given, session);
	const { signal } = session;
	if (/^svc-[0-9A-Z]+$/i.test(target)) return session.client().proofs.verify(target, { signal, ...keys, ...texts });
	if (/^agt_[0-9A-Z]+$/i.test(target)) return session.client().proofs.verifyRun(target, { signal, ...keys, ...texts });
	if (/^ho_[0-9A-Z]+$/i.test(target)) return session.client().handoffs.verifyEntry(target, { signal, ...keys });
	if (target !== "-" && !existsSync(resolve(session.terminal.folder, target)))
		throw new UsageError(
			`there is no file ${target}, and it is no id of a request (svc-…), a run (agt_…) or a handoff (ho_…)`,
		);
	const text = target === "-" ? await session.terminal.readInput() : readFileText(session.terminal, target);
	const { verifyProof } = await import("../../client/verification.ts");
	const checkpoint = given.text("checkpoint");
	return verifyProof(text, {
		...texts,
		publicKeys: keys.publicKeys ?? JSON.stringify(await session.client().proofs.publicKeys({ signal })),
		...(checkpoint === undefined ? {} : { checkpoint: readFileText(session.terminal, checkpoint) }),
	});
}

export const verifyCommand: Command = {
	name: "verify",
	about: "verify a receipt, a run, a handoff or a saved proof on this machine",
	operands: "REQUEST|RUN|HANDOFF|FILE",
	details: [
		"REQUEST is the id of an answer (svc-…), RUN of a run (agt_…), HANDOFF of a handoff (ho_…), which is shown to be in its",
		"workspace's signed tree. FILE is a saved receipt, trajectory, chain, checkpoint or tree proof.",
		"With --pubkey and a FILE nobody is asked. Ends with 0 only when everything holds, and with 1 when something does not.",
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
		const target = given.single("the id or file");
		if (given.text("checkpoint") !== undefined && /^(?:svc-|agt_|ho_)/.test(target))
			throw new UsageError("--checkpoint is for a saved chain or tree proof");
		if (TEXT_FLAGS.some((name) => given.text(name) !== undefined) && target.startsWith("ho_"))
			throw new UsageError("--salt, --input and --output are for a receipt or a run");
		const verification = await verifyTarget(target, given, session);
		if (session.isJson) session.json({ is_valid: verification.isValid, findings: verification.findings });
		return showVerification(session, verification, !session.isJson);
	},
};
