// What checking texts against the hashes of a receipt says. The hashes are the second implementation's.
import { describe, expect, it } from "vitest";
import { renderFinding } from "../../../src/verifier/findings.ts";
import { checkReceipt } from "../../../src/verifier/receipt.ts";
import { type GivenTexts, NO_TEXTS } from "../../../src/verifier/texts.ts";
import { checkTrajectory } from "../../../src/verifier/trajectory.ts";
import { signingKey } from "../../support/second-ed25519.ts";
import { canonical, saltedHash, textHash } from "../../support/second-ledger.ts";
import { issueBundle } from "../../support/second-trajectory.ts";

const key = signingKey(Buffer.alloc(32, 7));
const salt = "000102030405060708090a0b0c0d0e0f";
const messages = [{ role: "user", content: "Is it so?" }];
const ASKED = canonical({ type: "svc.input.v1", messages });

function proofOf(receipt: Record<string, unknown>) {
	const proof_hash = textHash(canonical(receipt));
	return { proof_hash, signature: key.sign(proof_hash), key_id: key.keyId, receipt };
}

/** A receipt of version 2 over these. */
const salted = (input: string, output: string, more: object = {}) =>
	proofOf({
		type: "svc.receipt.v2",
		kind: "chat",
		request_id: "svc-1",
		input_hash: saltedHash(salt, input),
		output_hash: saltedHash(salt, output),
		...more,
	});

/** The findings on texts. */
async function textLines(document: unknown, given: Partial<GivenTexts>): Promise<string[]> {
	const findings = await checkReceipt(document, [key.publicKey], { ...NO_TEXTS, ...given });
	return findings.map(renderFinding).filter((line) => /^\S+ +(?:salt|input|output)/.test(line));
}

/** The verdicts on a receipt's input and output. */
async function verdicts(asked: string, delivered: string, given: Partial<GivenTexts>): Promise<string[]> {
	const lines = await textLines(salted(asked, delivered), { salt, ...given });
	return lines.map((line) => line.split(/[:,]/)[0] ?? "");
}

const OK = ["ok    input", "ok    output"];

/** A value with one of its leaves changed or one of its members left out, in every way; but for those with these names. */
function mutationsOf(value: unknown, but: readonly string[]): unknown[] {
	if (typeof value === "number") return [value + 1];
	if (typeof value === "boolean") return [!value];
	if (Array.isArray(value))
		return [
			...value.flatMap((entry, at) => mutationsOf(entry, but).map((changed) => value.with(at, changed))),
			...(value.length > 1 ? [value.toReversed(), value.slice(1)] : []),
		];
	if (typeof value !== "object" || value === null) return [];
	return Object.entries(value)
		.filter(([name]) => !but.includes(name))
		.flatMap(([name, member]) => {
			const { [name]: _, ...others } = value as Record<string, unknown>;
			return [others, ...mutationsOf(member, but).map((changed) => ({ ...value, [name]: changed }))];
		});
}

describe("texts beside a receipt", () => {
	it("have its hashes with its salt, and no other text has", async () => {
		const proof = salted(ASKED, "yes");
		expect(await textLines(proof, { salt, input: JSON.stringify({ messages }), output: "yes" })).toEqual([
			`ok    input: has the hash ${proof.receipt["input_hash"]}`,
			`ok    output: has the hash ${proof.receipt["output_hash"]}`,
		]);
		expect(await textLines(proof, { salt, input: "Is it so?", output: "no" })).toEqual([
			`FAIL  input: has another hash than ${proof.receipt["input_hash"]}`,
			`FAIL  output: has another hash than ${proof.receipt["output_hash"]}`,
		]);
		expect(await textLines(proof, { salt: salt.replace("f", "e"), output: "yes" })).toContain(
			`FAIL  output: has another hash than ${proof.receipt["output_hash"]}`,
		);
	});

	it("are not checked without the salt, and the check says so", async () => {
		const proof = salted(ASKED, "yes");
		expect(await textLines(proof, {})).toEqual([
			"note  input, output: not compared; that takes the salt, which its owner has, and the text itself",
		]);
		expect(await textLines(proof, { salt })).toEqual(["note  input, output: not compared; that takes the text itself"]);
		expect(await textLines(proof, { output: "yes" })).toEqual([
			"FAIL  output: not checked, for want of the salt that its hash is over",
			"note  input: not compared; that takes the salt, which its owner has, and the text itself",
		]);
		for (const none of ["x", salt.slice(1), `${salt}0`, salt.toUpperCase()])
			expect(await textLines(proof, { salt: none, output: "yes" })).toEqual([
				"FAIL  salt: is none: it has 32 lower-case hex digits",
			]);
		expect(await textLines(salted(ASKED, "yes", { input_hash: null }), { salt, input: ASKED })).toContain(
			"FAIL  input: not checked: there is no receipt with its hash",
		);
	});

	it("of a receipt of version 1 need no salt", async () => {
		const old = proofOf({
			type: "svc.receipt.v1",
			kind: "chat",
			request_id: "svc-1",
			input_hash: textHash(ASKED),
			output_hash: textHash("yes"),
		});
		expect(await textLines(old, {})).toEqual([]);
		for (const given of [null, salt])
			expect(await textLines(old, { salt: given, input: JSON.stringify(messages), output: "yes\n" })).toEqual([
				`ok    input: has the hash ${textHash(ASKED)}`,
				`ok    output: has the hash ${textHash("yes")}`,
			]);
		const files = [{ path: "a.ts", language: "typescript", bytes: 2, sha256: textHash("é") }];
		const code = proofOf({
			type: "svc.receipt.v1",
			kind: "code",
			request_id: "svc-1",
			output_hash: textHash(canonical({ type: "svc.files.v1", files })),
		});
		const output = JSON.stringify({ files: [{ path: "a.ts", language: "typescript", bytes: 2, content: "é" }] });
		expect(await textLines(code, { output })).toEqual([expect.stringMatching(/^ok +output/)]);
	});

	it.each<[string, string, string]>([
		["a text", "Do it", "Do it"],
		["a text with the line break of a file", "Do it", "Do it\r\n"],
		["a task", "Do it", JSON.stringify({ task: "Do it", policy: "depth" })],
		["a goal", "Do it", JSON.stringify({ goal: "Do it" })],
		["messages", ASKED, JSON.stringify(messages)],
		["a body of chat", ASKED, JSON.stringify({ model: "auto", messages })],
		["what is hashed", ASKED, ASKED],
		[
			"a body of responses",
			canonical({ type: "svc.input.v2", entrance: "responses", body: { input: "Hi", instructions: "Be kind" } }),
			JSON.stringify({ model: "auto", input: "Hi", instructions: "Be kind", store: false }),
		],
		[
			"a body of messages",
			canonical({ type: "svc.input.v2", entrance: "messages", body: { system: "Be kind", messages } }),
			JSON.stringify({ max_tokens: 9, system: "Be kind", messages }),
		],
		...["embeddings", "moderations"].map((endpoint): [string, string, string] => {
			const body = { model: "m", input: ["Hi", "Ho"], unknown: { a: [1.5] } };
			return [`a body of ${endpoint}`, canonical({ type: "svc.input.v3", endpoint, body }), JSON.stringify(body)];
		}),
		[
			"a body of rerank",
			canonical({ type: "svc.input.v3", endpoint: "rerank", body: { query: "Hi", documents: ["Ho"], top_n: 1 } }),
			JSON.stringify({ top_n: 1, documents: ["Ho"], query: "Hi" }),
		],
	])("may be what was asked as %s", async (_, asked, input) => {
		expect(await verdicts(asked, "yes", { input, output: "yes" })).toEqual(["ok    input", "ok    output"]);
		expect((await verdicts(`${asked}!`, "yes", { input, output: "yes" }))[0]).toBe("FAIL  input");
	});

	const call = { id: "call_1", type: "function", function: { name: "get", arguments: '{"a": 1}' } };
	const withCalls = (content: string | null, args: string) =>
		canonical({
			type: "svc.output.v1",
			content,
			tool_calls: [{ ...call, function: { ...call.function, arguments: args } }],
		});
	const file = { path: "b.py", language: "python", content: "é", bytes: 2 };
	const hashed = { path_hash: saltedHash(salt, "b.py"), language: "python", bytes: 2, hash: saltedHash(salt, "é") };
	it.each<[string, string, object]>([
		["an answer of chat", "yes", { choices: [{ message: { role: "assistant", content: "yes" } }] }],
		["a refusal", "I won't", { choices: [{ message: { content: null, refusal: "I won't" } }] }],
		["calls of tools", withCalls(null, '{"a": 1}'), { choices: [{ message: { content: null, tool_calls: [call] } }] }],
		[
			"an answer of responses",
			withCalls("So: yes", '{"a": 1}'),
			{
				output: [
					{ type: "reasoning", summary: [] },
					{
						type: "message",
						content: [
							{ type: "output_text", text: "So: " },
							{ type: "output_text", text: "yes" },
						],
					},
					{ type: "function_call", id: "fc_1", call_id: "call_1", name: "get", arguments: '{"a": 1}' },
				],
			},
		],
		[
			"an answer of messages",
			withCalls("yes", '{"a":1}'),
			{
				content: [
					{ type: "text", text: "yes" },
					{ type: "tool_use", id: "call_1", name: "get", input: { a: 1 } },
				],
			},
		],
		["a run", "the output", { object: "agent.run", output: "the output" }],
		["code", canonical({ type: "svc.files.v2", files: [hashed] }), { files: [file] }],
	])("may be what was delivered as %s", async (_, delivered, answer) => {
		const output = JSON.stringify(answer);
		expect(await verdicts(ASKED, delivered, { input: ASKED, output })).toEqual(["ok    input", "ok    output"]);
		expect((await verdicts(ASKED, `${delivered}!`, { input: ASKED, output }))[1]).toBe("FAIL  output");
	});

	const MODERATED = {
		flagged: true,
		categories: { hate: true, war: false },
		category_scores: { hate: 0.9, war: 1e-7 },
	};
	const { category_scores: scores, ...found } = MODERATED;
	const RANKED = [
		{ index: 2, relevance_score: 0.75 },
		{ index: 0, relevance_score: 0 },
	];
	const ranks = RANKED.map(({ index, relevance_score }) => ({ index, score: relevance_score }));
	const ofResults = (results: object[]) => canonical({ type: "svc.results.v1", results });
	it.each<[string, string, object]>([
		["a moderation", ofResults([{ ...found, scores }]), { id: "svc-1", results: [MODERATED] }],
		[
			"a rerank",
			ofResults(ranks),
			{ id: "svc-1", results: RANKED.map((each) => ({ ...each, document: { text: "Hi" } })) },
		],
	])("may be what was delivered as %s, each of its members as it was", async (_, delivered, answer) => {
		expect(await verdicts(ASKED, delivered, { input: ASKED, output: JSON.stringify(answer) })).toEqual(OK);
		const mutations = mutationsOf(answer, ["id", "document"]);
		expect(mutations.length).toBeGreaterThan(3);
		for (const changed of mutations)
			expect(
				(await verdicts(ASKED, delivered, { input: ASKED, output: JSON.stringify(changed) }))[1],
				JSON.stringify(changed),
			).toBe("FAIL  output");
	});

	it.each(["float", "base64"])("may be what was delivered as vectors in %s, each number as it was", async (form) => {
		const vectors = [
			[0.1, -0.25, 0],
			[1e-7, 3, -4.5],
		];
		const bytes = (numbers: readonly number[]) => Buffer.from(Float32Array.from(numbers).buffer);
		const hash = saltedHash(salt, Buffer.concat(vectors.map(bytes)));
		const proof = salted(ASKED, "", { output_hash: hash, kind: "embedding" });
		const toAnswer = (given: readonly number[][], indexes = [0, 1]) => ({
			object: "list",
			data: given.map((numbers, place) => ({
				object: "embedding",
				index: indexes[place],
				embedding: form === "float" ? Array.from(Float32Array.from(numbers)) : bytes(numbers).toString("base64"),
			})),
		});
		const verdictOn = async (answer: object) =>
			(await textLines(proof, { salt, output: JSON.stringify(answer) }))[0]?.slice(0, 12);
		expect(await verdictOn(toAnswer(vectors))).toBe("ok    output");
		expect(await verdictOn(toAnswer([[-0.5, ...(vectors[0] ?? []).slice(1)], vectors[1] ?? []]))).toBe("FAIL  output");
		expect(await verdictOn(toAnswer(vectors.toReversed(), [1, 0]))).toBe("FAIL  output");
		expect(await verdictOn(toAnswer(vectors, [1, 0]))).toBe("FAIL  output");
		expect(await verdictOn(toAnswer(vectors.slice(1)))).toBe("FAIL  output");
		expect(await verdictOn({ data: [{ index: 0, embedding: "AAA" }] })).toBe("FAIL  output");
		expect(await verdictOn({ data: [{ index: 0, embedding: ["0.1"] }] })).toBe("FAIL  output");
	});

	it("that no reader agrees on count as texts alone", async () => {
		const twice = '{"messages":[],"messages":[]}';
		const empty = canonical({ type: "svc.input.v1", messages: [] });
		expect(await verdicts(twice, "yes", { input: twice, output: "yes" })).toEqual(["ok    input", "ok    output"]);
		expect((await verdicts(empty, "yes", { input: twice, output: "yes" }))[0]).toBe("FAIL  input");
	});
});

describe("texts beside a trajectory", () => {
	const run_id = "agt_01ARZ3NDEKTSV4RRFFQ69G5FAV";
	const step = {
		index: 0,
		model: "glm-5.2",
		input_hash: saltedHash(salt, "in"),
		output_hash: saltedHash(salt, "done"),
		cost_usd: 0.000123,
		confidence: 0.75,
		timestamp: "2026-07-22T10:00:00.000Z",
	};
	const { output: _, ...unsalted } = issueBundle(
		{ run_id, policy: "depth", strategy: "cascade" },
		[step],
		"done",
		(text) => saltedHash(salt, text),
	);
	const bundle = { ...unsalted, output_hash: saltedHash(salt, "done") };
	const receipt = {
		type: "svc.receipt.v2",
		kind: "agent",
		request_id: run_id,
		input_hash: saltedHash(salt, "the goal"),
		output_hash: saltedHash(salt, "done"),
		trajectory_proof: bundle.trajectory_proof,
	};
	const proof = proofOf(receipt);

	async function check(document: object, given: Partial<GivenTexts> = {}) {
		const findings = await checkTrajectory(document, [key.publicKey], { ...NO_TEXTS, ...given });
		const lines = findings.map(renderFinding);
		const ofTexts = lines.filter((line) => /^\S+ +(?:salt|input|output)/.test(line));
		return { failed: lines.filter((line) => line.startsWith("FAIL")), ofTexts };
	}

	it("have the hashes with the salt, the file's or the given one", async () => {
		const given = { input: "the goal", output: "done" };
		for (const [document, more] of [
			[{ ...bundle, salt, proof }, {}],
			[{ ...bundle, proof }, { salt }],
		] as const) {
			const { failed, ofTexts } = await check(document, { ...given, ...more });
			expect([failed, ofTexts.map((line) => line.slice(0, 13))]).toEqual([[], ["ok    input: ", "ok    output:"]]);
		}
		const { failed } = await check({ ...bundle, salt, proof }, { input: "a goal", output: "do" });
		expect(failed.map((line) => line.slice(0, 13))).toEqual(["FAIL  input: ", "FAIL  output:"]);
	});

	it("are not checked without the salt, also those in the file", async () => {
		expect(await check({ ...bundle, proof })).toEqual({
			failed: [],
			ofTexts: ["note  input, output: not compared; that takes the salt, which its owner has, and the text itself"],
		});
		for (const output of ["done", "a guess"])
			expect(await check({ ...bundle, output, output_hash: null, proof })).toEqual({
				failed: [],
				ofTexts: [
					"note  output: the file's is not checked, for want of the salt that its hash is over",
					"note  input, output: not compared; that takes the salt, which its owner has, and the text itself",
				],
			});
		expect((await check({ ...bundle, proof }, { output: "done" })).failed).toEqual([
			"FAIL  output: not checked, for want of the salt that its hash is over",
		]);
	});

	it("in the file are checked with the salt", async () => {
		expect((await check({ ...bundle, output: "done", salt, proof })).failed).toEqual([]);
		expect((await check({ ...bundle, output: "a guess", salt, proof })).failed.length).toBeGreaterThan(0);
		expect((await check({ ...bundle, salt, proof }, { salt: "0".repeat(32) })).failed).toEqual([
			"FAIL  salt: another one than the file's",
		]);
	});

	it("need a receipt for the goal", async () => {
		expect((await check({ ...bundle, salt }, { input: "the goal", output: "done" })).failed).toEqual([
			"FAIL  input: not checked: there is no receipt with its hash",
			"FAIL  receipt: none in the file; that the service issued this trajectory is not shown",
		]);
	});
});
