// `npm run verify -- KIND FILE`: checks a saved proof without network. Prints one line per finding, and ends with status 0 only
// when all of it holds.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { fromBase64 } from "../proof/signing.ts";
import { type Finding, lineOf } from "./findings.ts";
import { checkTrajectory } from "./verify-trajectory.ts";

interface Kind {
	/** What its file holds. */
	file: string;
	/** @param publicKey 32 raw bytes, or null. */
	check(document: unknown, publicKey: Uint8Array | null): Promise<Finding[]>;
}

/** What can be checked, by the word on the command line. */
const KINDS: Readonly<Record<string, Kind>> = {
	trajectory: {
		file: "GET /v1/agent/{run_id}/trajectory?full=true, or its verify_request; under `proof` GET /v1/proof/{run_id}",
		check: checkTrajectory,
	},
};

const USAGE = `usage: npm run verify -- ${Object.keys(KINDS).join("|")} FILE [--pubkey BASE64]
${Object.entries(KINDS)
	.map(([name, { file }]) => `  ${name}: FILE holds ${file}`)
	.join("\n")}
  --pubkey: the 32 raw bytes of the service's key, \`public_key\` of GET /v1/proof/pubkey`;

function publicKeyOf(text: string | undefined): Uint8Array | null {
	if (text === undefined) return null;
	const bytes = fromBase64(text);
	if (bytes?.length !== 32) throw new Error(`--pubkey is not the base64 of 32 bytes\n${USAGE}`);
	return bytes;
}

function readJson(file: string): unknown {
	const text = readFileSync(file, "utf8");
	try {
		return JSON.parse(text);
	} catch {
		throw new Error(`${file} is not valid JSON`);
	}
}

async function run(args: string[]): Promise<boolean> {
	const { positionals, values } = parseArgs({
		args,
		allowPositionals: true,
		options: { pubkey: { type: "string" } },
	});
	const [name = "", file, ...rest] = positionals;
	const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
	if (!kind || file === undefined || rest.length > 0) throw new Error(USAGE);
	const publicKey = publicKeyOf(values.pubkey);
	const findings = await kind.check(readJson(file), publicKey);
	for (const each of findings) console.log(lineOf(each));
	return findings.every(({ verdict }) => verdict !== "FAIL");
}

run(process.argv.slice(2)).then(
	(holds) => process.exit(holds ? 0 : 1),
	(error: unknown) => {
		console.error(error instanceof Error ? error.message : error);
		process.exit(1);
	},
);
