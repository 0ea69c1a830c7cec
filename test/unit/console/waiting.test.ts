// The inbox: an action in full and as text, the first to expire first, and forms only for keys that may decide.
import { describe, expect, it } from "vitest";
import type { Api, ApiAnswer } from "../../../src/console/api.ts";
import type { PageRequest } from "../../../src/console/page.ts";
import { waitingPages } from "../../../src/console/pages/waiting/list.tsx";
import type { Session } from "../../../src/console/session.ts";
import { PendingList } from "../../../src/console/views/pending.tsx";
import { countWaiting, readWaiting } from "../../../src/console/waiting.ts";
import { RISK_THRESHOLDS } from "../../../src/policy/factors.ts";
import { makePending } from "../../support/waiting-run.ts";

type Pending = ReturnType<typeof makePending>;

const inHours = (hours: number) => new Date(Date.UTC(2026, 10, 28, hours)).toISOString();
const approval = (id: string, members: Partial<Pending> = {}) =>
	makePending(id, { kind: "approval", tool: "send", expires_at: inHours(20), ...members });

interface Refusal {
	status: number;
	code: string;
	message: string;
	issues?: { path: string; message: string }[];
}

/** An API with one run, which answers its resolve with a refusal or takes it. */
function apiWith(pending: Pending[], refusal: Refusal | null = null, sent: unknown[] = []): Api {
	const run = { run_id: "agt_1", goal: "Answer <b>mails</b>", status: "requires_action", pending };
	const answer = (value: unknown): ApiAnswer<never> => ({ ok: true, value: value as never });
	return {
		async get(path) {
			return answer(path.startsWith("/v1/agent/runs") ? { data: [run], next_cursor: null } : run);
		},
		async send(_method, path, body) {
			sent.push([path, body]);
			if (refusal === null) return answer(run);
			return { ok: false, failure: { issues: [], ...refusal, requestId: "svc-1", retryAfterSeconds: null } };
		},
		open: async () => new Response(),
		sessionEnd: null,
	};
}

function requestWith(api: Api, role: Session["role"] = "owner", form: Record<string, string> = {}): PageRequest {
	return {
		params: { run_id: "agt_1", pending_id: "p" },
		query: new URLSearchParams(),
		form: new URLSearchParams(form),
		session: { role } as Session,
		api,
		service: { nowMs: Date.UTC(2026, 10, 28) } as PageRequest["service"],
	};
}

const [inbox, resolve] = waitingPages;

/** The page's HTML, and its status. */
async function show(page: typeof inbox, request: PageRequest): Promise<{ html: string; status: number }> {
	const answer = await page?.handle(request);
	if (answer?.kind !== "page") throw new Error(`it answered with ${answer?.kind}`);
	return { html: String(answer.content), status: answer.status ?? 200 };
}
const showInbox = (pending: Pending[], role?: Session["role"]) =>
	show(inbox, requestWith(apiWith(pending), role)).then(({ html }) => html);
const sendForm = (form: Record<string, string>, refusal: Refusal | null, pending = [approval("p")]) =>
	show(resolve, requestWith(apiWith(pending, refusal), "owner", form));

/** Text as a reader sees it. */
const toText = (html: string) =>
	html
		.replace(/<[^>]*>/g, "")
		.replaceAll("&quot;", '"')
		.replaceAll("&#39;", "'")
		.replaceAll("&lt;", "<")
		.replaceAll("&gt;", ">")
		.replaceAll("&amp;", "&");

describe("what is to be approved", () => {
	it("is shown whole, however long", async () => {
		const body = `${"line\n".repeat(2_000)}the last one`;
		const html = await showInbox([approval("p", { arguments: { body } })]);
		expect(toText(html)).toContain(body);
	});

	it("is text, whatever it imitates", async () => {
		const html = await showInbox([
			approval("p", {
				arguments: { "</code><form>": "</pre></section><button>Approve</button><script>alert(1)</script>" },
				policy: { decision: "approve", risk_score: 70, reason: "<h2>Safe</h2>", event_id: "ae_1" },
				tainted_by: [{ call_id: "c", tool: "fetch", values: [{ kind: "host", value: "<i>evil</i>" }] }],
				unsourced: [{ kind: "host", value: "<i>evil</i>", tool: "<i>evil</i>" }],
			}),
		]);
		expect(html).not.toMatch(/<script|<h2>Safe|<i>evil|<\/code><form>/);
		expect(html.match(/data-approve/g)).toHaveLength(1);
		expect(toText(html)).toContain("<i>evil</i>");
	});

	it("hides no character", async () => {
		const html = await showInbox([approval("p", { arguments: { to: "a\u202eb\u200b", "k\u2066": "\u{e0041}" } })]);
		expect(html).not.toMatch(/[\u202e\u200b\u2066]|\u{e0041}/u);
		expect(toText(html)).toContain('"a\\u202eb\\u200b"');
	});

	it("comes with its decision, risk, reason, the values that stand only in others' text, and its end", async () => {
		const html = await showInbox([
			approval("p", {
				policy: { decision: "approve", risk_score: 72, reason: "It sends.", event_id: "ae_7" },
				tainted_by: [{ call_id: "c", tool: "read_mail", values: [{ kind: "email", value: "eve@evil.example" }] }],
				unsourced: [
					{ kind: "host", value: "attacker.example", tool: "read_mail" },
					{ kind: "path", value: "notes/b.md", tool: null },
				],
			}),
		]);
		const text = toText(html);
		for (const part of ["risk 72 of 100", "It sends.", "email eve@evil.example from read_mail", "in 20 h", "ae_7"])
			expect(text).toContain(part);
		expect(text).toContain("host attacker.example, perhaps from what read_mail returnedpath notes/b.md");
	});
});

it("the first to expire stands first, and what programs run has no form", async () => {
	const html = await showInbox([
		approval("late", { expires_at: inHours(30) }),
		approval("soon", { expires_at: inHours(1) }),
		makePending("program", { tool: "read_file" }),
	]);
	expect([...html.matchAll(/id="waiting-(\w+)"/g)].map(([, id]) => id)).toEqual(["soon", "late"]);
	expect(html).not.toContain("/console/waiting/agt_1/program");
	expect(toText(html)).toContain("read_file");
});

/** An API with runs that wait, on two pages of its list. */
function apiOf(runs: readonly { run_id: string; pending: Pending[] }[]): Api {
	const half = Math.ceil(runs.length / 2);
	const list = (path: string) =>
		path.includes("cursor=")
			? { data: runs.slice(half), next_cursor: null }
			: { data: runs.slice(0, half), next_cursor: "c" };
	return {
		...apiWith([]),
		get: async (path) => {
			const value = runs.find(({ run_id }) => path.endsWith(`/${run_id}`)) ?? list(path);
			return { ok: true, value: value as never };
		},
	};
}

/** The pendings on a page of the inbox, by id, and where the next one begins. */
async function idsOn(api: Api, cursor: string | null) {
	const answer = await readWaiting(api, cursor);
	if (!answer.ok) throw new Error(answer.failure.message);
	return { ids: answer.value.entries.map(({ pending: { id } }) => id), next: answer.value.nextCursor };
}

it("of many runs, those that expire first stand first, whichever began first, and the others on later pages", async () => {
	const api = apiOf(
		Array.from({ length: 25 }, (_, at) => ({
			run_id: `agt_${at}`,
			pending: [approval(`p${at}`, { expires_at: inHours(100 - at) })],
		})),
	);
	const first = await idsOn(api, null);
	expect(first.ids).toEqual(Array.from({ length: 20 }, (_, at) => `p${24 - at}`));
	expect(await idsOn(api, first.next)).toEqual({ ids: ["p4", "p3", "p2", "p1", "p0"], next: null });
});

it("of runs with long arguments, fewer stand on a page, and none is left out", async () => {
	const text = "x".repeat(250_000);
	const api = apiOf(
		Array.from({ length: 6 }, (_, at) => ({
			run_id: `agt_${at}`,
			pending: [approval(`p${at}`, { arguments: { text }, expires_at: inHours(at) })],
		})),
	);
	const first = await idsOn(api, null);
	expect(first).toEqual({ ids: ["p0", "p1", "p2"], next: "3" });
	expect(await idsOn(api, first.next)).toEqual({ ids: ["p3", "p4", "p5"], next: null });
});

it("the words about risk name the thresholds of the policy", async () => {
	const text = toText(await showInbox([approval("p")]));
	const from = Object.fromEntries(RISK_THRESHOLDS.map((each) => [each.tier, each.from]));
	expect(text).toContain(`Below ${from["confirm"]} an action runs`);
	expect(text).toContain(
		`confirm is ${from["confirm"]} to ${(from["approve"] ?? 0) - 1}, approve is ${from["approve"]} to ${(from["block"] ?? 0) - 1}`,
	);
	expect(text).toContain(`from ${from["block"]} on it is denied`);
});

it("letters that look like others are named, with the host that they make", async () => {
	const text = toText(await showInbox([approval("p", { arguments: { url: "https://api.\u0430pple.com/x" } })]));
	expect(text).toContain("U+0430; the host is api.xn--pple-43d.com");
	expect(toText(await showInbox([approval("p")]))).not.toContain("look like others");
});

describe("a key that may not decide", () => {
	it("sees why in place of forms: an agent's", async () => {
		const html = await showInbox([approval("p")], "agent");
		expect(html).not.toContain("<form");
		expect(toText(html)).toContain("owner's or approver's key");
	});

	it("sees why in place of forms: an approver's, of a question", async () => {
		const html = await showInbox([makePending("q", { kind: "input", arguments: { question: "Which?" } })], "approver");
		expect(html).not.toContain("<form");
		expect(toText(html)).toContain("takes the key that began the run, or an owner's");
	});

	it("sees at the card what the service says of it", async () => {
		const refusal = { status: 403, code: "approval_forbidden", message: "the key that began the run may not" };
		const { html, status } = await sendForm({ decision: "approve" }, refusal);
		expect(status).toBe(403);
		expect(html.indexOf("may not")).toBeGreaterThan(html.indexOf('id="waiting-p"'));
	});
});

describe("a form", () => {
	it("is sent as one resolution, and leads back to the inbox", async () => {
		const sent: unknown[] = [];
		const request = requestWith(apiWith([approval("p")], null, sent), "owner", { decision: "approve" });
		expect(await resolve?.handle(request)).toEqual({ kind: "redirect", to: "/console/waiting?done=approve" });
		expect(sent).toEqual([
			["/v1/agent/agt_1/resolve", { resolutions: [{ id: "p", decision: "approve" }], background: true }],
		]);
	});

	it("whose JSON is wrong is not sent, keeps what was typed, and says where", async () => {
		const { html, status } = await sendForm({ decision: "edit", arguments: '{"to": "ada' }, null);
		expect(status).toBe(422);
		expect(toText(html)).toContain('{"to": "ada');
		expect(toText(html)).toContain("line 1, column");
		expect(html).toMatch(/<details data-edit[^>]*open/);
	});

	it("whose arguments the service refuses says so where they stand, as typed", async () => {
		const issues = [{ path: "resolutions.0.arguments", message: 'do not fit send: "text" is missing' }];
		const api = apiWith([approval("p")], { status: 422, code: "invalid_request", message: "resolutions.0", issues });
		const { html, status } = await show(
			resolve,
			requestWith(api, "owner", { decision: "edit", arguments: '{"a": 1}' }),
		);
		expect(status).toBe(422);
		expect(toText(html)).toContain('{"a": 1}do not fit send: "text" is missingApprove the edited call');
		expect(toText(html)).not.toContain("resolutions.0");
	});

	it("whose JSON is wrong has the focus where it is to be mended", async () => {
		const { html } = await sendForm({ decision: "edit", arguments: "{" }, null);
		expect(html).toMatch(/<textarea[^>]* autofocus/);
	});

	it("that somebody sent before, the same, is not told as this person's decision", async () => {
		const request = requestWith(apiWith([approval("other")]), "owner", { decision: "approve" });
		expect(await resolve?.handle(request)).toEqual({ kind: "redirect", to: "/console/waiting?done=before" });
		const after = { ...requestWith(apiWith([])), query: new URLSearchParams({ done: "before" }) };
		expect(toText((await show(inbox, after)).html)).toContain("Somebody had decided the same before you");
	});

	it("about what does not wait any more says so", async () => {
		const refusal = { status: 409, code: "action_conflict", message: "it was rejected" };
		const { html, status } = await sendForm({ decision: "approve" }, refusal, [approval("other")]);
		expect(status).toBe(409);
		expect(html.indexOf("does not wait any more")).toBeLessThan(html.indexOf('id="waiting-other"'));
		expect(toText(html)).toContain("it was rejected. The run says what became of it");
		expect(html).toContain('href="/console/runs/agt_1"');
	});

	it("about what somebody else decided says what, who and when", async () => {
		const decided = { decision: "reject", key_id: "key_other", at: "2026-11-29T08:00:00.000Z" };
		const refusal = { status: 409, code: "action_conflict", message: "it was rejected", decided };
		const { html } = await sendForm({ decision: "approve" }, refusal, [approval("other")]);
		expect(toText(html)).toMatch(
			/Rejected by key_other at .*08:00.* UTC\. Nothing of your decision was taken\. The run/,
		);
	});
});

describe("where more runs wait than a page shows", () => {
	const runs = Array.from({ length: 25 }, (_, at) => ({
		run_id: `agt_${at}`,
		pending: [approval(`p${at}`, { expires_at: inHours(at) })],
	}));
	const of = (at: number, query: Record<string, string>, form: Record<string, string> = {}): PageRequest => ({
		...requestWith(apiOf(runs), "owner", form),
		params: { run_id: `agt_${at}`, pending_id: `p${at}` },
		query: new URLSearchParams(query),
	});
	const cardsIn = (html: string) => [...html.matchAll(/id="waiting-(\w+)"/g)].map(([, id]) => id);
	const broken = { decision: "edit", arguments: '{"to": "ada' };

	it("a link from a run's page shows what that run waits for", async () => {
		const { html } = await show(inbox, of(24, { run: "agt_24" }));
		expect(cardsIn(html)).toEqual(["p24"]);
		expect(html).toContain('action="/console/waiting/agt_24/p24?run=agt_24"');
		expect(toText(html)).toContain("All that waits");
		expect(String(PendingList({ runId: "agt_24", pendings: [approval("p24")] }))).toContain(
			'href="/console/waiting?run=agt_24#waiting-p24"',
		);
	});

	it("a form of a later page leads back to it, and what was not taken stands there", async () => {
		const { html } = await show(inbox, of(24, { cursor: "20" }));
		expect(html).toContain('action="/console/waiting/agt_24/p24?cursor=20"');
		const taken = await resolve?.handle(of(24, { cursor: "20" }, { decision: "approve" }));
		expect(taken).toEqual({ kind: "redirect", to: "/console/waiting?done=approve&cursor=20" });
		const failed = await show(resolve, of(24, { cursor: "20" }, broken));
		expect(cardsIn(failed.html)).toEqual(["p20", "p21", "p22", "p23", "p24"]);
		expect(toText(failed.html)).toContain('{"to": "ada');
	});

	it("what was not taken is not lost where its run stands on another page by now", async () => {
		const { html } = await show(resolve, of(24, {}, broken));
		expect(cardsIn(html).slice(0, 2)).toEqual(["p24", "p0"]);
		expect(toText(html)).toContain('{"to": "ada');
		expect(toText(html)).not.toContain("does not wait any more");
	});

	it("an edit of what has gone meanwhile is told, though its JSON was wrong", async () => {
		const { html } = await show(resolve, { ...of(99, {}, broken), api: apiWith([approval("other")]) });
		expect(toText(html)).toContain("It does not wait any more");
		expect(toText(html)).toContain("Nothing of what you sent was taken. The run says");
	});
});

it("the count is of what waits for people, and unknown where the list fails", async () => {
	expect(await countWaiting(apiWith([approval("a"), approval("b"), makePending("c")]))).toBe("2");
	const failing: Api = { ...apiWith([]), get: async () => Promise.reject(new Error("away")) };
	expect(await countWaiting(failing)).toBeNull();
});
