// Code to copy says the same request as the form: it is read back by a shell and by Python.
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { toRequestCode } from "../../../src/console/request-code.ts";

const BODY = {
	model: "auto",
	routing_mode: "quality",
	messages: [
		{ role: "system", content: 'Don\'t say "$HOME" `x` \\ \n' },
		{ role: "user", content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${"A".repeat(500)}` } }] },
	],
	tools: [],
	strict: { a: true, b: null },
};
const SHOWN = JSON.parse(JSON.stringify(BODY).replace(/base64,A+/, "base64,…")) as typeof BODY;

const code = toRequestCode("https://svc.test", BODY);

describe("a request as code", () => {
	it("is a curl command that a shell reads as the request", () => {
		const script = code.curl.replace(/^curl /, "printf '%s\\0' ");
		const words = execFileSync("bash", ["-c", script], { env: { PATH: process.env["PATH"], SVC_API_KEY: "k" } })
			.toString()
			.split("\0");
		expect(words[0]).toBe("https://svc.test/v1/chat/completions");
		expect(words).toContain("Authorization: Bearer k");
		expect(JSON.parse(words.at(-2) ?? "")).toEqual(SHOWN);
	});

	it("is Python whose arguments are the request, with members of our own in extra_body", () => {
		const stub = `import json, os, sys, types
os.environ["SVC_API_KEY"] = "k"
class Client:
    def __init__(self, **options): self.chat = self.completions = self
    def create(self, **arguments):
        sys.stdout.write(json.dumps(arguments)); sys.exit(0)
sys.modules["openai"] = types.SimpleNamespace(OpenAI=Client)
`;
		const { routing_mode, strict, ...known } = SHOWN;
		const printed = execFileSync("python3", ["-c", stub + code.python]).toString();
		expect(JSON.parse(printed)).toEqual({ ...known, extra_body: { routing_mode, strict } });
	});

	it("is TypeScript with the request as JSON", () => {
		const body = /const body = ([\s\S]*?);\nconst completion/.exec(code.typescript)?.[1] ?? "";
		expect(JSON.parse(body)).toEqual(SHOWN);
		expect(code.typescript).toContain(`baseURL: "https://svc.test/v1"`);
	});
});
