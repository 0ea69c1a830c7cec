// The blocks of the reference: every field is explained, every endpoint has its place, and what is written for each kind.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { endpoint } from "../../../../src/account/endpoint.ts";
import { fillBlocks } from "../../../../src/cli/reference/blocks.ts";
import { readReferencePages } from "../../../../src/cli/reference/pages.ts";
import { ENDPOINTS } from "../../../../src/endpoints.ts";
import { ok } from "../../../../src/failure.ts";
import { RECORDED_EXAMPLES } from "../../../../src/site/examples.ts";

describe("the pages of the reference", () => {
	const filled = fillBlocks(readReferencePages(), { endpoints: ENDPOINTS, exchanges: RECORDED_EXAMPLES });

	it("explain every field that they list, but for those with one value", () => {
		const rows = filled.flatMap(({ path, markdown }) =>
			[...markdown.matchAll(/^\| `(\S+)` \| (.+) \| {2}\|$/gm)].map(([, name, type]) => ({ path, name, type })),
		);
		expect(rows.length).toBeGreaterThan(5);
		expect(rows.filter(({ type = "" }) => !/^`[a-z._]+`$/.test(type))).toEqual([]);
	});
});

const word = z.string().max(20);
const pingEndpoint = endpoint({
	id: "ping",
	method: "POST",
	path: "/v1/ping",
	access: "key",
	ids: {},
	toolGroup: null,
	summary: "Says a word | twice.",
	query: z.object({ at: z.iso.datetime(), full: z.boolean().default(false).describe("Whether to say all.") }),
	body: z.object({
		word: word.describe("What it says."),
		times: z.int().min(1).max(3).nullish().describe("How often."),
		mode: z.union([z.enum(["loud", "low"]), z.object({ volume: z.number().positive() })]).optional(),
		tags: z.array(word).min(1).max(2).nullish(),
	}),
	result: z.object({
		object: z.literal("ping"),
		said: z.array(z.object({ word, at: z.string().optional() })),
		left: z.int().nullable().describe("What is left."),
		by_name: z.record(z.string(), z.array(z.string())).optional(),
	}),
	async handle() {
		return ok({ object: "ping" as const, said: [], left: null });
	},
});
const exchanges = {
	ping: { body: { word: "it's", times: 2 }, answer: { object: "ping", said: [{ word: "x".repeat(200) }], left: null } },
};

function fill(markdown: string, path = "reference/ping.md"): string {
	return fillBlocks([{ path, markdown }], { endpoints: [pingEndpoint], exchanges })[0]?.markdown ?? "";
}

/** The lines of a block, without its marks. */
function linesOf(mark: string): string[] {
	return fill(`# Ping\n\n<!-- ${mark} -->\nstale\n<!-- end -->\n`)
		.split("\n")
		.slice(3, -2)
		.filter((line) => line !== "" && !line.startsWith("<!--"));
}

describe("a block", () => {
	it("of fields has their types, limits and defaults", () => {
		expect(linesOf("fields: POST /v1/ping body").slice(2)).toEqual([
			"| `word` | required; string of at most 20 characters | What it says. |",
			"| `times` | integer, 1 to 3 | How often. |",
			"| `mode` | `loud`, `low` or `{volume}` |  |",
			"| `tags` | list of 1 to 2 strings of at most 20 characters |  |",
		]);
		expect(linesOf("fields: POST /v1/ping query").slice(2)).toEqual([
			"| `at` | required; time |  |",
			"| `full` | boolean; by default false | Whether to say all. |",
		]);
	});

	it("of an answer says which members may be missing or null", () => {
		expect(linesOf("fields: POST /v1/ping answer").slice(2)).toEqual([
			"| `object` | `ping` |  |",
			"| `said` | list of `{word, at?}` |  |",
			"| `left` | integer or null | What is left. |",
			"| `by_name?` | lists of strings by name |  |",
		]);
		expect(linesOf("fields: POST /v1/ping answer.said[]").slice(2)).toEqual([
			"| `word` | string of at most 20 characters |  |",
			"| `at?` | string |  |",
		]);
	});

	it("of an example is a command for a shell and the recorded answer, with long texts cut", () => {
		expect(linesOf("example: POST /v1/ping")).toEqual([
			"```sh",
			`curl $SVC_BASE_URL/ping -H "Authorization: Bearer $SVC_API_KEY" -d '{ "word": "it'\\''s", "times": 2 }'`,
			"```",
			"```json",
			"{",
			'  "object": "ping",',
			`  "said": [`,
			"    {",
			`      "word": "${"x".repeat(120)}…"`,
			"    }",
			"  ],",
			'  "left": null',
			"}",
			"```",
		]);
	});

	it("of endpoints lists some, and on the first page all, each with its section", () => {
		expect(linesOf("endpoints: POST /v1/ping").slice(2)).toEqual(["| `POST /v1/ping` | Says a word \\| twice. |"]);
		const own = "## Pong\n\n<!-- endpoints: POST /v1/ping -->\n<!-- end -->\n";
		expect(fill(`# Ping\n\n<!-- endpoints -->\n<!-- end -->\n\n${own}`)).toContain(
			"| `POST /v1/ping` | key | Says a word \\| twice. [Pong](reference/ping.md#pong) |",
		);
	});

	it("stays as it is when it is filled again", () => {
		const once = fill("# Ping\n\n<!-- fields: POST /v1/ping body -->\n<!-- end -->\n\nProse.\n");
		expect(fill(once)).toBe(once);
	});

	it.each([
		["fields: POST /v1/pong body", "there is no endpoint POST /v1/pong"],
		["fields: POST /v1/ping answer.nope", "there is no .nope"],
		["fields: POST /v1/ping body.word", "has no members"],
		["endpoints", "no section of the reference lists POST /v1/ping"],
	])("%s is refused", (mark, message) => {
		expect(() => fill(`# Ping\n\n<!-- ${mark} -->\n<!-- end -->\n`)).toThrow(message);
	});
});
