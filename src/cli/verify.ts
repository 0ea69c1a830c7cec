// `npm run verify -- KIND FILE`: checks a saved proof without network. Prints one line per finding, and ends with status 0 only
// when all of it holds.
import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { allHold, lineOf } from "../verifier/findings.ts";
import { type PublicKeys, readPublicKeys } from "../verifier/keys.ts";
import { KINDS, kindNamed } from "../verifier/kinds.ts";

const USAGE = `usage: npm run verify -- ${Object.keys(KINDS).join("|")} FILE [--pubkey KEY] [--checkpoint FILE]
${Object.entries(KINDS)
	.map(([name, { file }]) => `  ${name}: FILE holds ${file}`)
	.join("\n")}
  --pubkey: the service's public key as base64 or PEM, or the answer of GET /v1/proof/pubkey; or a file with one of these
  --checkpoint: for a chain, a checkpoint that it is to agree with`;

function keysFrom(given: string | undefined): PublicKeys {
	if (given === undefined) return [];
	const keys = readPublicKeys(existsSync(given) ? readFileSync(given, "utf8") : given);
	if (!keys) throw new Error(`--pubkey is no Ed25519 public key, nor a file that holds one\n${USAGE}`);
	return keys;
}

async function run(args: string[]): Promise<boolean> {
	const { positionals, values } = parseArgs({
		args,
		allowPositionals: true,
		options: { pubkey: { type: "string" }, checkpoint: { type: "string" } },
	});
	const [word = "", file, ...rest] = positionals;
	const name = kindNamed(word);
	if (!name || file === undefined || rest.length > 0) throw new Error(USAGE);
	if (values.checkpoint !== undefined && name !== "chain") throw new Error(`--checkpoint is for a chain\n${USAGE}`);
	const checkpoint = values.checkpoint === undefined ? null : readFileSync(values.checkpoint, "utf8");
	const given = { keys: keysFrom(values.pubkey), checkpoint };
	const findings = await KINDS[name].check(readFileSync(file, "utf8"), given);
	for (const each of findings) console.log(lineOf(each));
	return allHold(findings);
}

run(process.argv.slice(2)).then(
	(holds) => process.exit(holds ? 0 : 1),
	(error: unknown) => {
		console.error(error instanceof Error ? error.message : error);
		process.exit(1);
	},
);
