// The JavaScript and the Python of the page of quick starts: each block is written to the file that its first line names, and run on
// the service.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServiceHome } from "../clients/process.ts";
import { type AgentPackage, installPackage } from "./install.ts";
import { installPythonPackage } from "./python-packages.ts";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = "src/docs/quick-starts.md";
const QUICK_START_TIMEOUT_MS = 60_000;
const ANSWER = /The sandbox answers for \S+: you wrote "/;
/** What those print that print no answer. */
const OTHER_OUTPUTS: Readonly<Record<string, RegExp>> = {
	"tools.mjs": /^\{"city":"[^"]+"\} 0\.\d+$/m,
	"vector-store.mjs": /^Let the dough of the bread rise\.$/m,
};

/** Libraries that are no dependencies of the project, by the file that needs them; npm adds what they need themselves. */
const PACKAGES: Readonly<Record<string, AgentPackage>> = {
	"langchain.mjs": { name: "@langchain/openai", version: "1.6.0" },
	"vector-store.mjs": { name: "@langchain/classic", version: "1.0.50" },
	"llamaindex.mjs": { name: "@llamaindex/openai", version: "0.4.23" },
};

/** What pip installs, by the file that needs it. Only OpenAI's was seen to work, so the others name no version. */
const PYTHON_PACKAGES: Readonly<Record<string, string>> = {
	"chat_openai.py": "openai==3.22.1",
	"chat_langchain.py": "langchain-openai",
	"chat_llamaindex.py": "llama-index-llms-openai-like",
};

interface QuickStart {
	file: string;
	text: string;
}

/** @throws Error for a block that names no file: it would never be run. */
export function readQuickStarts(): QuickStart[] {
	const blocks = readFileSync(join(ROOT, PAGE), "utf8").matchAll(/^```(?:js|python)\n([\s\S]*?)^```/gm);
	return [...blocks].map(([, text = ""]) => {
		const file = /^(?:\/\/|#) (\S+\.(?:mjs|py))$/m.exec(text)?.[1];
		if (file === undefined) throw new Error(`a block of ${PAGE} names no file in its first line:\n${text}`);
		return { file, text };
	});
}

/** What runs a quick start: a program, and the libraries that Node finds beside the file. */
interface Runtime {
	program: string;
	modules: string | null;
}

async function runQuickStart({ file, text }: QuickStart, runtime: Runtime, service: ServiceHome): Promise<string> {
	const dir = mkdtempSync(join(tmpdir(), "svc-quick-start-"));
	if (runtime.modules !== null) symlinkSync(runtime.modules, join(dir, "node_modules"));
	writeFileSync(join(dir, file), text);
	const child = spawn(runtime.program, [join(dir, file)], {
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

/** What runs a file; null, with a line that says so, when its library cannot be fetched. */
function findRuntime(file: string): Runtime | null {
	const requirement = PYTHON_PACKAGES[file];
	const wanted = PACKAGES[file];
	try {
		if (requirement) return { program: installPythonPackage(requirement), modules: null };
		const modules = wanted ? installPackage(wanted).slice(0, -`/${wanted.name}`.length) : join(ROOT, "node_modules");
		return { program: process.execPath, modules };
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		console.log(
			`not run: ${file}: ${requirement ?? `${wanted?.name}@${wanted?.version}`} cannot be fetched: ${reason}`,
		);
		return null;
	}
}

/** Runs all quick starts. @returns how many failed, and how many were not run. */
export async function checkQuickStarts(service: ServiceHome): Promise<{ failures: number; missing: number }> {
	let failures = 0;
	let missing = 0;
	for (const quickStart of readQuickStarts()) {
		const runtime = findRuntime(quickStart.file);
		if (runtime === null) {
			missing++;
			continue;
		}
		const output = await runQuickStart(quickStart, runtime, service);
		const expected = OTHER_OUTPUTS[quickStart.file] ?? ANSWER;
		const passed = expected.test(output) && !output.includes("(ended with");
		console.log(`${passed ? "ok  " : "FAIL"} quick start ${quickStart.file}`);
		if (passed) continue;
		failures++;
		console.log(`     expected ${expected}, got:\n${output.replaceAll(/^/gm, "     | ")}`);
	}
	return { failures, missing };
}
