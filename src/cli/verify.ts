// `npm run verify -- KIND FILE…`: checks a saved proof without network. Prints one line per finding. Ends with status 0 when all
// of it holds, 1 when some of it does not, 2 when nothing was checked.
import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { decodeText } from "../verifier/document.ts";
import { allHold, failedFinding, renderFinding } from "../verifier/findings.ts";
import { type PublicKeys, readPublicKeys } from "../verifier/keys.ts";
import { PROOF_KINDS, parseKind } from "../verifier/kinds.ts";

const VERIFY_USAGE = `usage: npm run verify -- ${Object.keys(PROOF_KINDS).join("|")} FILE… [--pubkey KEY] [--checkpoint FILE]
    [--salt SALT] [--input FILE] [--output FILE]
${Object.entries(PROOF_KINDS)
	.map(([name, { file }]) => `  ${name}: FILE holds ${file}`)
	.join("\n")}
  several FILEs are one: what was saved of a run, as the answer itself, its receipt and its steps
  --pubkey: the service's public key as base64 or PEM, or the answer of GET /v1/proof/pubkey; or a file with one of these
  --checkpoint: for a chain or a tree proof, a checkpoint that it is to agree with; a consistency proof takes two
  --input, --output: for a receipt, a run or a trajectory, what was asked and answered: the text, or the body of the request and the answer
  --salt: the salt that their hashes are over, from svc.receipt.v2 on; its owner has it with the answer (svc.proof.salt)
ends with 0 when all of it holds, 1 when some of it does not, 2 when nothing was checked`;

/** Not checked is not failed: a script must not take a mistyped file name for a broken proof. */
const NOT_CHECKED = 2;

/** @throws when the file does not exist, or is larger than a string can be. */
function readTextFile(file: string): string | null {
	return decodeText(readFileSync(file));
}

function parsePubkeyOption(option: string | undefined): PublicKeys {
	if (option === undefined) return [];
	const keys = readPublicKeys(existsSync(option) ? (readTextFile(option) ?? "") : option);
	if (!keys) throw new Error(`--pubkey is no Ed25519 public key, nor a file that holds one\n${VERIFY_USAGE}`);
	return keys;
}

/** The text of a file that an option names. @throws when it has none. */
function readTextOption(file: string | undefined): string | null {
	if (file === undefined) return null;
	const text = readTextFile(file);
	if (text === null) throw new Error(`${file} is no text, neither UTF-8 nor UTF-16`);
	return text;
}

async function verifyFile(args: string[]): Promise<boolean> {
	const { positionals, values } = parseArgs({
		args,
		allowPositionals: true,
		options: {
			pubkey: { type: "string" },
			checkpoint: { type: "string", multiple: true },
			salt: { type: "string" },
			input: { type: "string" },
			output: { type: "string" },
		},
	});
	const [word = "", ...files] = positionals;
	const name = parseKind(word);
	if (!name || files.length === 0 || (files.length > 1 && !PROOF_KINDS[name].takesMany)) throw new Error(VERIFY_USAGE);
	if (values.checkpoint !== undefined && PROOF_KINDS[name].takes !== "checkpoint")
		throw new Error(`--checkpoint is for a chain or a tree proof\n${VERIFY_USAGE}`);
	const { salt = null, input, output } = values;
	if ([salt, input, output].some((each) => typeof each === "string") && PROOF_KINDS[name].takes !== "texts")
		throw new Error(`--salt, --input and --output are for a receipt, a run or a trajectory\n${VERIFY_USAGE}`);
	const texts = { salt, input: readTextOption(input), output: readTextOption(output) };
	const checkpoint = values.checkpoint?.map((each) => readTextFile(each) ?? "").join("\n") ?? null;
	const given = { keys: parsePubkeyOption(values.pubkey), checkpoint, texts };
	const read = files.map(readTextFile);
	const findings = read.includes(null)
		? [failedFinding("the file is no text, neither UTF-8 nor UTF-16")]
		: await PROOF_KINDS[name].check(read.join("\n"), given);
	for (const each of findings) console.log(renderFinding(each));
	return allHold(findings);
}

verifyFile(process.argv.slice(2)).then(
	(holds) => process.exit(holds ? 0 : 1),
	(error: unknown) => {
		console.error(error instanceof Error ? error.message : error);
		process.exit(NOT_CHECKED);
	},
);
