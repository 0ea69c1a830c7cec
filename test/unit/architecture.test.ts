// The walls: pure cores import no platform, the Worker does not know the sandbox, one file reads the environment.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const SRC = resolve(import.meta.dirname, "../../src");
const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));

/** Modules a file imports for their values; types vanish before anything runs. */
function imports(file: string): string[] {
	const text = readFileSync(join(SRC, file), "utf8");
	return [...text.matchAll(/^(?:import|export)\s+(?!type\b)(?:[^"';]*?\sfrom\s+)?"([^"]+)"/gm)].map((match) => {
		const target = match[1] ?? "";
		return target.startsWith(".") ? relative(SRC, resolve(SRC, dirname(file), target)) : target;
	});
}

/** Files that touch the platform: stores, objects, HTTP edges, the app, the command line, the sandbox. */
function isEdge(file: string): boolean {
	return (
		/\.(?:store|object)\.ts$/.test(file) ||
		/(?:^|\/)(?:endpoints|admin)\.ts$/.test(file) ||
		/^(?:cli|sandbox|db)\//.test(file) ||
		[
			"index.ts",
			"app.ts",
			"http/mount.ts",
			"http/auth.ts",
			"http/admission.ts",
			"http/health.ts",
			"http/log.ts",
			"http/body.ts",
			"account/meter-client.ts",
			"chat/complete.ts",
			"chat/run.ts",
			"chat/stream.ts",
			"ledger/ledger-client.ts",
			"ledger/pending.ts",
			"ledger/read-chain.ts",
			"providers/call.ts",
			"outbox.ts",
			"settings.ts",
		].includes(file)
	);
}

const PLATFORM = /^(?:hono(?:\/|$)|@hono\/|cloudflare:|node:|drizzle-orm|miniflare|wrangler)/;

describe("the architecture", () => {
	const cores = files.filter((file) => !isEdge(file));

	it("has pure cores", () => {
		expect(cores.length).toBeGreaterThan(25);
	});

	it.each(cores)("%s imports no platform, no store, no object, no edge", (file) => {
		expect(
			imports(file).filter(
				(target) => PLATFORM.test(target) || (target.endsWith(".ts") && target !== "settings.ts" && isEdge(target)),
			),
		).toEqual([]);
	});

	it.each(cores)("%s reads no clock, no randomness, no environment and fetches nothing", (file) => {
		const text = readFileSync(join(SRC, file), "utf8").replace(/\/\/.*|\/\*[\s\S]*?\*\//g, "");
		expect(
			text.match(
				/\bDate\.now\(|new Date\(\)|Math\.random\(|\bfetch\(|process\.env|crypto\.randomUUID|getRandomValues/g,
			) ?? [],
		).toEqual([]);
	});

	it("keeps the sandbox out of the Worker", () => {
		const inside = files.filter((file) => !/^(?:sandbox|cli)\//.test(file));
		expect(inside.filter((file) => imports(file).some((target) => /^(?:sandbox|cli)\//.test(target)))).toEqual([]);
	});
});
