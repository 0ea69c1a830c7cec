// `npm run bench:lists`: the rows and the time that pages of lists take, for a user with a million requests, ten thousand runs and as many
// audit events, and the time that the user's meter takes to wake up. `-- N` stores N requests instead. It prints figures and judges none.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import { applyLocalMigrations, buildBundle, startLocalService } from "../../../src/cli/local-service.ts";
import { createKey } from "../../../src/cli/operator.ts";
import { renderCursor } from "../../../src/http/list-position.ts";
import { renderWorkspaceCursor } from "../../../src/workspace/workspace-list.ts";
import { buildCountingBundle } from "../operations.ts";
import { renderFigure, renderTable } from "../table.ts";
import { discardOutput } from "../targets.ts";
import { activeKeyId, type SeedSizes, seededPosition, seedUser } from "./seed.ts";

const SIZES: SeedSizes = { requests: Number(process.argv[2] ?? 1_000_000), runs: 10_000, events: 10_000, keys: 990 };
/** Each page is timed so many times; the median is printed. */
const TIMES = 9;

/** A list with one filter, and the places of its pages. */
interface ListCase {
	path: string;
	filter: string;
	/** Query members that begin a page in the middle of the list and at its end; none where a list has one page. */
	middle?: string;
	last?: string;
}

function cursorAt(prefix: string, count: number, share: number): string {
	return `cursor=${renderCursor(seededPosition(prefix, Math.floor(count * share), count))}`;
}

const requestPages = {
	middle: cursorAt("svc-", SIZES.requests, 0.5),
	last: cursorAt("svc-", SIZES.requests, 30 / SIZES.requests),
};
const runPages = { middle: cursorAt("agt_", SIZES.runs, 0.5), last: cursorAt("agt_", SIZES.runs, 0.003) };
const eventPages = { middle: cursorAt("ae_", SIZES.events, 0.5), last: cursorAt("ae_", SIZES.events, 0.003) };
const keyPages = { middle: cursorAt("key_", SIZES.keys, 0.5), last: cursorAt("key_", SIZES.keys, 0.03) };
const workspacePages = {
	middle: `cursor=${renderWorkspaceCursor("team/w100")}`,
	last: `cursor=${renderWorkspaceCursor("team/w190")}`,
};

const LISTS: readonly ListCase[] = [
	...[
		"",
		"kind=chat",
		"kind=skill",
		"kind=agent",
		`model=${CATALOG.models[3]?.id}`,
		`key_id=${activeKeyId(0)}`,
		`key_id=${activeKeyId(4)}`,
		`key_id=${activeKeyId(0)}&model=${CATALOG.models[4]?.id}&kind=agent`,
		"model=nobodys",
		"since=2025-11-01&until=2026-11-01",
	].map((filter) => ({ path: "/v1/requests", filter, ...requestPages })),
	...["", "status=complete", "status=cancelled"].map((filter) => ({ path: "/v1/agent/runs", filter, ...runPages })),
	...[
		"",
		"event_type=policy_check",
		"event_type=policy_check&decision=deny",
		"workspace_id=team/w001",
		"workspace_id=team/w001&decision=deny",
		`actor=key:${activeKeyId(3)}`,
		"since=2025-11-01&until=2026-11-01",
	].map((filter) => ({ path: "/v1/audit/events", filter, ...eventPages })),
	{ path: "/v1/workspaces", filter: "", ...workspacePages },
	{ path: "/v1/keys", filter: "limit=50", ...keyPages },
	{ path: "/v1/usage", filter: "group_by=day&since=2025-11-01&until=2026-10-31" },
	{ path: "/v1/usage", filter: "group_by=key&since=2025-11-01&until=2026-10-31" },
	{ path: "/v1/usage", filter: "group_by=model&since=2025-11-01&until=2026-10-31" },
];

const PLACES = ["first", "middle", "last"] as const;
type Place = (typeof PLACES)[number];

/** The address of a page; null where a list has no such page. */
function pageAddress({ path, filter, ...pages }: ListCase, place: Place): string | null {
	const start = place === "first" ? "" : pages[place];
	if (start === undefined) return null;
	return `${path}?${[filter, start].filter(Boolean).join("&")}`;
}

const secrets = {
	SIGNING_KEY: randomBytes(32).toString("hex"),
	KEY_PEPPER: randomBytes(32).toString("hex"),
	ADMIN_TOKEN: randomBytes(32).toString("hex"),
};

/** Runs something against the service, built into `bundleDir`. */
async function withService<T>(bundleDir: string, stateDir: string, work: (url: string) => Promise<T>): Promise<T> {
	const service = await startLocalService({
		bundleDir,
		stateDir,
		port: 0,
		variables: secrets,
		onOutput: discardOutput,
	});
	try {
		return await work(service.url);
	} finally {
		await service.stop();
	}
}

const pageAnswer = z.object({ data: z.array(z.unknown()) });

/** Reads a page; how many entries it has. */
async function readPage(url: string, key: string, address: string): Promise<number> {
	const response = await fetch(`${url}${address}`, { headers: { authorization: `Bearer ${key}` } });
	const text = await response.text();
	if (response.status !== 200) throw new Error(`benchmark failed: ${address} answered ${response.status}: ${text}`);
	return pageAnswer.parse(JSON.parse(text)).data.length;
}

const countsAnswer = z.object({
	counts: z.object({ databaseRowsRead: z.number(), objectRowsRead: z.number() }),
});

interface PageFigures {
	entries: number;
	rowsRead: number;
	medianMs: number;
}

type Figures = Map<string, PageFigures>;

const addresses = LISTS.flatMap((list) => PLACES.flatMap((place) => pageAddress(list, place) ?? []));

/** Counts the rows that each page reads in D1 and in objects. The key is known by then. */
async function countRows(url: string, key: string): Promise<Figures> {
	const figures: Figures = new Map();
	await readPage(url, key, "/v1/keys?limit=1");
	for (const address of addresses) {
		await fetch(`${url}/bench/reset`, { method: "POST" });
		const entries = await readPage(url, key, address);
		const { counts } = countsAnswer.parse(await (await fetch(`${url}/bench/counts`, { method: "POST" })).json());
		figures.set(address, { entries, rowsRead: counts.databaseRowsRead + counts.objectRowsRead, medianMs: 0 });
	}
	return figures;
}

async function timePages(url: string, key: string, figures: Figures): Promise<void> {
	for (const [address, page] of figures) {
		const times: number[] = [];
		for (let time = 0; time < TIMES; time++) {
			const startMs = performance.now();
			await readPage(url, key, address);
			times.push(performance.now() - startMs);
		}
		page.medianMs = times.sort((a, b) => a - b)[Math.floor(TIMES / 2)] ?? 0;
	}
}

/** Times the first answer of the user's meter, and a later one. The Worker and D1 have answered before. */
async function timeWakeUp(url: string, key: string): Promise<string> {
	await readPage(url, key, "/v1/keys?limit=1&wake=no").catch(() => undefined);
	const timeUsage = async () => {
		const startMs = performance.now();
		const response = await fetch(`${url}/v1/requests?limit=1`, { headers: { authorization: `Bearer ${key}` } });
		await response.text();
		return performance.now() - startMs;
	};
	const first = await timeUsage();
	const later = await timeUsage();
	return `a page of one request: ${renderFigure(Math.round(first))} ms with the meter's wake-up, ${renderFigure(Math.round(later))} ms after it`;
}

function renderFigures(figures: Figures): string {
	const cell = (page: PageFigures | undefined) =>
		page ? `${page.entries} / ${page.rowsRead} / ${renderFigure(Math.round(page.medianMs))}` : "";
	const rows = LISTS.map((list) => [
		`${list.path} ${list.filter}`.trim(),
		...PLACES.map((place) => cell(figures.get(pageAddress(list, place) ?? ""))),
	]);
	return renderTable([["entries / rows / ms", ...PLACES], ...rows]);
}

async function measureLists(tempDir: string): Promise<string> {
	const stateDir = join(tempDir, "state");
	const plainDir = join(tempDir, "plain");
	const countingDir = join(tempDir, "counting");
	await buildBundle(plainDir);
	buildCountingBundle(countingDir);
	await applyLocalMigrations(stateDir);
	const { key } = await withService(plainDir, stateDir, (url) =>
		createKey(url, secrets.ADMIN_TOKEN, "bench", "corporate"),
	);
	process.stderr.write(`storing ${SIZES.requests} requests\n`);
	const meterBytes = seedUser(stateDir, SIZES);
	process.stderr.write("reading pages\n");
	const wakeUp = await withService(plainDir, stateDir, (url) => timeWakeUp(url, key));
	const figures = await withService(countingDir, stateDir, (url) => countRows(url, key));
	await withService(plainDir, stateDir, (url) => timePages(url, key, figures));
	const size = `the meter has ${(meterBytes / 1_048_576).toFixed(0)} MiB, ${Math.round(meterBytes / SIZES.requests)} bytes a request`;
	return [renderFigures(figures), size, wakeUp].join("\n\n");
}

const tempDir = mkdtempSync(join(tmpdir(), "svc-bench-lists-"));
try {
	console.log(await measureLists(tempDir));
} finally {
	rmSync(tempDir, { recursive: true, force: true });
}
