// Skills of the built Worker: the bundler has made a module of each file, and a client of OpenAI's reads what they answer.
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "./support.ts";

const LIBRARY = resolve(import.meta.dirname, "../../src/skills/library");

let service: TestService;
let client: OpenAI;

beforeAll(async () => {
	service = await startTestService();
	const { key } = await service.newKey("pro");
	client = new OpenAI({ apiKey: key, baseURL: `${service.url}/v1` });
});
afterAll(() => service?.stop());

interface Listed {
	data: { id: string }[];
}

describe("the built Worker", () => {
	it("serves every file of the library as a skill", async () => {
		const { data } = await client.get<Listed>("/skills");
		expect(data.map(({ id }) => `${id}.md`)).toEqual(readdirSync(LIBRARY).toSorted());
		for (const { id } of data) {
			const { raw } = await client.get<{ raw: string }>(`/skills/${id}`);
			expect(raw, id).toMatch(/^# .+\n\nYou /);
		}
	});

	it("answers a task to OpenAI's client as a completion, and as a stream of chunks", async () => {
		const whole = await client.post<OpenAI.ChatCompletion>("/skills/editing/invoke", {
			body: { task: "Say hello" },
		});
		expect(whole.choices[0]?.message.content).toContain("Say hello");
		const stream = await client.post<AsyncIterable<OpenAI.ChatCompletionChunk>>("/skills/editing/invoke", {
			body: { task: "Say hello", stream: true },
			stream: true,
		});
		let text = "";
		for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
		expect(text).toContain("Say hello");
	});

	it("tells OpenAI's client in its own form why a skill does not answer", async () => {
		const refused = async (path: string, task: string) =>
			client.post(path, { body: { task } }).then(
				() => null,
				(error: unknown) => error,
			);
		expect(await refused("/skills/nope/invoke", "x")).toMatchObject({ status: 404, code: "skill_not_found" });
		expect(await refused("/skills/editing/invoke", " ")).toMatchObject({ status: 400, code: "no_task", param: "task" });
	});
});
