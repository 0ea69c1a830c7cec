// What is inferred beyond pattern matching, through the front door: statements in free words, and the operator's analyzer.
import { afterEach, describe, expect, it } from "vitest";
import { useService } from "../support/per-test.ts";
import { callWith, callWithKey, chat, withKey } from "../support/service.ts";

type Json = Record<string, unknown>;
type AnalyzerBody = { text: string[]; language: string; score_threshold: number };

const PREVIEW = "/v2/compliance/preview";
const INFERRED = { block_data_classes: ["PHI"], detect: "inferred" };

const { upstream, key } = useService("corporate");

const preview = async (body: Json) => (await callWithKey(key.key, PREVIEW, body)).json<Json>();

describe("a statement in free words", () => {
	it("is shown under inferred, beside what patterns find, where a policy asks for it", async () => {
		const prompt = "Ask Ada at ada@quill.dev for the key. My dad was diagnosed with sarcoidosis and cannot work.";
		const plain = await preview({ prompt, compliance: { block_data_classes: ["PII"] } });
		expect(plain).not.toHaveProperty("inferred");
		expect(await preview({ prompt, compliance: { block_data_classes: ["PII"], detect: "inferred" } })).toMatchObject({
			detected_classes: plain["detected_classes"],
			classification: plain["classification"],
			policy: { detect: "inferred" },
			inferred: { detected_classes: ["PHI"], classification: { PHI: ["health_statement"] } },
		});
	});

	it("holds a blocked class, and is attested", async () => {
		const prompt = "Nonno è in ospedale per uno scompenso cardiaco e noi siamo preoccupati.";
		const answer = await chat(key.key, prompt, { compliance: INFERRED });
		expect([answer.status, await answer.json()]).toEqual([
			403,
			expect.objectContaining({ error: "compliance_blocked" }),
		]);
		expect(upstream.requests).toEqual([]);
		const allowed = await chat(key.key, prompt, { compliance: { detect: "inferred", frameworks: ["GDPR"] } });
		expect(await allowed.json()).toMatchObject({
			svc: { proof: { compliance: { inferred_classes: expect.arrayContaining(["PHI"]) } } },
		});
	});
});

describe("the operator's analyzer", () => {
	const settings = { DETECTOR_URL: "https://analyzer.example.net/v1/" } as unknown as Partial<Env>;
	let before: typeof fetch | undefined;
	let asked: { url: string; body: AnalyzerBody }[] = [];

	/** Answers what is sent to the analyzer; every other request goes on as before. */
	function useAnalyzer(answer: (texts: readonly string[]) => Response | Promise<Response>): void {
		const others = globalThis.fetch;
		before = others;
		asked = [];
		globalThis.fetch = async (input, init) => {
			const url = String(input instanceof Request ? input.url : input);
			if (!url.startsWith("https://analyzer.example.net/")) return others(input, init);
			const body: AnalyzerBody = JSON.parse(String(init?.body));
			asked.push({ url, body });
			return answer(body.text);
		};
	}

	afterEach(() => {
		if (before) globalThis.fetch = before;
		before = undefined;
	});

	const ask = async (compliance: Json, prompt = "Rhyme with Quill.") =>
		(await callWith(settings, PREVIEW, withKey(key.key, { prompt, compliance }))).json<Json>();

	it("adds what it finds under inferred", async () => {
		const person = { entity_type: "PERSON", start: 11, end: 16, score: 0.85 };
		useAnalyzer((texts) => Response.json(texts.map((_, at) => (at === 0 ? [person] : []))));
		expect(await ask(INFERRED)).toMatchObject({
			detected_classes: [],
			inferred: { detected_classes: ["PII"], classification: { PII: ["person_name"] } },
		});
		expect(asked).toEqual([
			{
				url: "https://analyzer.example.net/v1/analyze",
				body: { text: expect.arrayContaining(["Rhyme with Quill."]), language: "en", score_threshold: 0.5 },
			},
		]);
	});

	it("is not asked where no policy says so", async () => {
		useAnalyzer(() => Response.json([[]]));
		await ask({ block_data_classes: ["PHI"] });
		expect(asked).toEqual([]);
	});

	it.each<[string, () => Response]>([
		["refuses", () => Response.json({ error: "No matching recognizers were found" }, { status: 500 })],
		["answers nonsense", () => new Response("<html>")],
		["moves", () => new Response(null, { status: 302, headers: { location: "https://elsewhere.example/" } })],
		["answers for another text", () => Response.json([])],
		[
			"breaks off",
			() => {
				throw new TypeError("connection lost");
			},
		],
	])("makes a text unread when it %s", async (_, answer) => {
		useAnalyzer(answer);
		expect(await ask(INFERRED)).toMatchObject({
			ok: false,
			allowed_models: [],
			inferred: { detected_classes: ["PII", "PHI", "FINANCIAL", "SECRETS"], classification: { PHI: ["unread"] } },
		});
	});

	it("makes a text unread when it does not answer in time", { timeout: 20_000 }, async () => {
		useAnalyzer(() => new Promise<Response>(() => {}));
		expect(await ask(INFERRED)).toMatchObject({ ok: false, inferred: { classification: { PHI: ["unread"] } } });
	});
});
