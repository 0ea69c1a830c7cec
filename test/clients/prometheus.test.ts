// Metrics of a service that really runs, as Debian's Prometheus scrapes them. Skipped where it is not installed (apt-get install prometheus).
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePortPair, ServiceHome, until } from "./process.ts";

const TOKEN = "metrics-token-of-this-test";
const CHATS = 7;
const isInstalled = (program: string) => spawnSync(program, ["--version"]).status === 0;

let home: ServiceHome;
let spans = 0;
const collector = createServer((request, response) => {
	const pieces: Buffer[] = [];
	request.on("data", (piece: Buffer) => pieces.push(piece));
	request.on("end", () => {
		if (request.url === "/v1/traces") spans += Buffer.concat(pieces).toString().split('"spanId":').length - 1;
		response.writeHead(200, { "content-type": "application/json" }).end("{}");
	});
});

beforeAll(async () => {
	await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
	const { port } = collector.address() as AddressInfo;
	home = await ServiceHome.makeMigrated({ METRICS_TOKEN: TOKEN, OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
	await home.startReady();
	for (let nth = 0; nth < CHATS; nth++) {
		const response = await fetch(`${home.url}/v1/chat/completions`, {
			method: "POST",
			headers: { authorization: `Bearer ${home.key()}`, "content-type": "application/json" },
			body: JSON.stringify({ messages: [{ role: "user", content: `Say hello ${nth}` }] }),
		});
		expect(response.status).toBe(200);
		await response.text();
	}
	// A backup begins with each user's object sending what it has.
	const { ADMIN_TOKEN } = parseEnv(readFileSync(join(home.dir, ".dev.vars"), "utf8"));
	const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
	expect((await fetch(`${home.url}/internal/backup/objects`, { headers })).status).toBe(200);
});
afterAll(async () => {
	await home?.remove();
	collector.close();
});

async function scrape(): Promise<string> {
	const response = await fetch(`${home.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
	expect(response.status).toBe(200);
	return response.text();
}

describe("metrics of a running service", () => {
	it("are there for whoever has the token", async () => {
		expect(await scrape()).toMatch(new RegExp(`^svc_requests_total\\{.*kind="chat".*\\} ${CHATS}$`, "m"));
		expect((await fetch(`${home.url}/metrics`)).status).toBe(401);
	});

	it("are text that promtool finds nothing wrong with", { skip: !isInstalled("promtool") }, async () => {
		const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], { input: await scrape() });
		expect([status, stdout.toString(), stderr.toString()]).toEqual([0, "", ""]);
	});

	it("are what Prometheus has scraped", { skip: !isInstalled("prometheus") }, async () => {
		const dir = join(home.dir, "prometheus");
		mkdirSync(dir);
		const config = join(dir, "prometheus.yml");
		const target = new URL(home.url).host;
		writeFileSync(
			config,
			`scrape_configs:
  - job_name: svc
    scrape_interval: 1s
    authorization: {credentials: ${TOKEN}}
    static_configs: [{targets: ["${target}"]}]
`,
		);
		const listen = `127.0.0.1:${await freePortPair()}`;
		const prometheus = spawn(
			"prometheus",
			[`--config.file=${config}`, `--storage.tsdb.path=${join(dir, "data")}`, `--web.listen-address=${listen}`],
			{ stdio: "ignore" },
		);
		try {
			const query = async (text: string): Promise<number> => {
				const url = `http://${listen}/api/v1/query?query=${encodeURIComponent(text)}`;
				const answer = await fetch(url).then((response) => response.json() as Promise<PrometheusAnswer>);
				return Number(answer.data.result[0]?.value[1] ?? Number.NaN);
			};
			await until("Prometheus has scraped the service", 200, async () => {
				const requests = await query('sum(svc_requests_total{kind="chat"})').catch(() => Number.NaN);
				return requests === CHATS;
			});
			expect(await query('up{job="svc"}')).toBe(1);
			expect(await query("sum(svc_request_duration_seconds_count)")).toBe(CHATS);
		} finally {
			prometheus.kill();
		}
	});

	it("have a span for each request and each of its calls at the collector", async () => {
		await until("the collector has all spans", 200, () => spans >= 2 * CHATS);
		expect(spans).toBe(2 * CHATS);
	});
});

/** What Prometheus answers to an instant query. */
interface PrometheusAnswer {
	data: { result: { value: [number, string] }[] };
}
