// `npm run check:config [-- FILE]`: reads the operator's routing config exactly as the service will: from a file, from standard
// input (`-`), or from BRAIN_MD as `npm start` reads it; with the models of CATALOG_FILE, or of CATALOG. Prints each error with its
// line. Ends with status 0 when the config is valid, 1 when it is not, 2 when there is none.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { localSettings } from "./local-env.ts";
import { readStartCatalog } from "./operator-catalog.ts";
import { checkOperatorConfig } from "./operator-config.ts";

const CHECK_CONFIG_USAGE =
	"usage: npm run check:config [-- FILE], where - is standard input and BRAIN_MD is read without FILE";
const NOTHING_READ = 2;

function readConfigSource([source, ...rest]: string[]): { name: string; text: string } {
	if (rest.length > 0) throw new Error(CHECK_CONFIG_USAGE);
	if (source === "-") return { name: "standard input", text: readFileSync(0, "utf8") };
	if (source !== undefined) return { name: source, text: readFileSync(source, "utf8") };
	const text = localSettings()["BRAIN_MD"];
	if (!text?.trim()) throw new Error(`BRAIN_MD is not set\n${CHECK_CONFIG_USAGE}`);
	return { name: "BRAIN_MD", text: text.trim() };
}

async function checkConfig(args: string[]): Promise<boolean> {
	const { positionals } = parseArgs({ args, allowPositionals: true });
	const { name, text } = readConfigSource(positionals);
	const { catalog } = readStartCatalog(localSettings());
	const { isValid, lines } = await checkOperatorConfig(text, name, catalog);
	for (const line of lines) console.log(line);
	if (isValid) console.log(`${name}: valid`);
	return isValid;
}

checkConfig(process.argv.slice(2)).then(
	(isValid) => process.exit(isValid ? 0 : 1),
	(error: unknown) => {
		console.error(error instanceof Error ? error.message : error);
		process.exit(NOTHING_READ);
	},
);
