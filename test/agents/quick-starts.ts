// The JavaScript of the page of quick starts: each block is written to the file that its first line names, and run on the service.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServiceHome } from "../clients/process.ts";
import { type AgentPackage, installPackage } from "./install.ts";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = "src/docs/quick-starts.md";
const QUICK_START_TIMEOUT_MS = 60_000;
const ANSWER = /The sandbox answers for \S+: you wrote "/;
/** What those print that print no answer. */
const OTHER_OUTPUTS: Readonly<Record<string, RegExp>> = { "tools.mjs": /^\{"city":"[^"]+"\} 0\.\d+$/m };

/** Libraries that are no dependencies of the project, by the file that needs them; npm adds what they need themselves. */
const PACKAGES: Readonly<Record<string, AgentPackage>> = {
	"langchain.mjs": { name: "@langchain/openai", version: "1.6.0" },
	"llamaindex.mjs": { name: "@llamaindex/openai", version: "0.4.23" },
};

interface QuickStart {
	file: string;
	text: string;
}

/** @throws Error for a block of JavaScript that names no file: it would never be run. */
export function readQuickStarts(): QuickStart[] {
	const blocks = readFileSync(join(ROOT, PAGE), "utf8").matchAll(/^```js\n([\s\S]*?)^```/gm);
	return [...blocks].map(([, text = ""]) => {
		const file = /^\/\/ (\S+\.mjs)$/m.exec(text)?.[1];
		if (file === undefined) throw new Error(`a block of ${PAGE} names no file in its first line:\n${text}`);
		return { file, text };
	});
}

async function runQuickStart({ file, text }: QuickStart, modules: string, service: ServiceHome): Promise<string> {
	const dir = mkdtempSync(join(tmpdir(), "svc-quick-start-"));
	symlinkSync(modules, join(dir, "node_modules"));
	writeFileSync(join(dir, file), text);
	const child = spawn(process.execPath, [join(dir, file)], {
		cwd: dir,
		env: { PATH: process.env["PATH"], HOME: dir, SVC_BASE_URL: `${service.url}/v1`, SVC_API_KEY: service.key() },
		stdio: ["ignore", "pipe", "pipe"],
		timeout: QUICK_START_TIMEOUT_MS,
	});
	let output = "";
	for (const stream of [child.stdout, child.stderr])
		stream.on("data", (chunk) => {
			output += chunk;
		});
	const [code] = await once(child, "close");
	rmSync(dir, { recursive: true, force: true });
	return code === 0 ? output : `${output}\n(ended with ${code})`;
}

/** Where a quick start finds its libraries; null, with a line that says so, when npm cannot fetch them. */
function findModules(file: string): string | null {
	const wanted = PACKAGES[file];
	if (!wanted) return join(ROOT, "node_modules");
	try {
		return installPackage(wanted).slice(0, -`/${wanted.name}`.length);
	} catch (error) {
		console.log(`not run: ${file}: ${wanted.name}@${wanted.version} cannot be fetched: ${error}`);
		return null;
	}
}

/** Runs all quick starts. @returns how many failed, and how many were not run. */
export async function checkQuickStarts(service: ServiceHome): Promise<{ failures: number; missing: number }> {
	let failures = 0;
	let missing = 0;
	for (const quickStart of readQuickStarts()) {
		const modules = findModules(quickStart.file);
		if (modules === null) {
			missing++;
			continue;
		}
		const output = await runQuickStart(quickStart, modules, service);
		const expected = OTHER_OUTPUTS[quickStart.file] ?? ANSWER;
		const passed = expected.test(output) && !output.includes("(ended with");
		console.log(`${passed ? "ok  " : "FAIL"} quick start ${quickStart.file}`);
		if (passed) continue;
		failures++;
		console.log(`     expected ${expected}, got:\n${output.replaceAll(/^/gm, "     | ")}`);
	}
	return { failures, missing };
}
