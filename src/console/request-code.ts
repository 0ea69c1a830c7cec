// A request as code to copy: curl, and OpenAI's libraries for Python and TypeScript. Pure.

/** The address of an image or a PDF: what is shown in place of its bytes goes up to the comma. */
const DATA_ADDRESS = /^data:(?:image\/[\w.+-]+|application\/pdf);base64,/;

/** Members that OpenAI's libraries know; others go into a member of their own. */
const KNOWN = ["model", "messages", "tools", "max_tokens", "stream"];

function shortenImages(value: unknown): unknown {
	if (typeof value === "string") {
		const address = DATA_ADDRESS.exec(value)?.[0];
		return address === undefined ? value : `${address}…`;
	}
	if (Array.isArray(value)) return value.map(shortenImages);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shortenImages(inner)]));
}

/** A JSON value as Python writes it. */
function toPython(value: unknown, indent = ""): string {
	if (value === null) return "None";
	if (typeof value === "boolean") return value ? "True" : "False";
	const inner = `${indent}    `;
	if (Array.isArray(value)) {
		if (value.length === 0) return "[]";
		return `[\n${value.map((each) => `${inner}${toPython(each, inner)},\n`).join("")}${indent}]`;
	}
	if (typeof value !== "object") return JSON.stringify(value);
	const members = Object.entries(value).map(
		([name, each]) => `${inner}${JSON.stringify(name)}: ${toPython(each, inner)},\n`,
	);
	return members.length === 0 ? "{}" : `{\n${members.join("")}${indent}}`;
}

function toCurl(origin: string, body: unknown): string {
	const json = JSON.stringify(body, null, 2).replaceAll("'", "'\\''");
	return `curl ${origin}/v1/chat/completions \\
  -H "Authorization: Bearer $SVC_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${json}'`;
}

function toPythonCode(origin: string, body: Readonly<Record<string, unknown>>): string {
	const known = Object.entries(body).filter(([name]) => KNOWN.includes(name));
	const others = Object.entries(body).filter(([name]) => !KNOWN.includes(name));
	const extra = others.length === 0 ? [] : [["extra_body", Object.fromEntries(others)] as const];
	const members = [...known, ...extra].map(([name, value]) => `    ${name}=${toPython(value, "    ")},\n`);
	return `import os
from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key=os.environ["SVC_API_KEY"])
completion = client.chat.completions.create(
${members.join("")})
print(completion.choices[0].message.content)`;
}

function toTypeScript(origin: string, body: unknown): string {
	const importFrom = (name: string, module: string) => `import ${name} from ${JSON.stringify(module)};`;
	return `${importFrom("{ env }", "node:process")}
${importFrom("OpenAI", "openai")}

const client = new OpenAI({ baseURL: "${origin}/v1", apiKey: env.SVC_API_KEY });
const body = ${JSON.stringify(body, null, 2)};
const completion = await client.chat.completions.create(body as OpenAI.ChatCompletionCreateParamsNonStreaming);
console.log(completion.choices[0].message.content);`;
}

/** The code of a chat request by language. @param origin the service's, without a trailing slash. */
export function toRequestCode(
	origin: string,
	body: Readonly<Record<string, unknown>>,
): Record<"curl" | "python" | "typescript", string> {
	const shown = shortenImages(body) as Record<string, unknown>;
	return {
		curl: toCurl(origin, shown),
		python: toPythonCode(origin, shown),
		typescript: toTypeScript(origin, shown),
	};
}
