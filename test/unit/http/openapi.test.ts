// The OpenAPI document: valid 3.1, and complete.
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../../src/endpoints.ts";
import { openapiDocument } from "../../../src/http/openapi.ts";
import { RECORDED_EXAMPLES } from "../../../src/site/examples.ts";

const document = openapiDocument(ENDPOINTS, RECORDED_EXAMPLES);

describe("the OpenAPI document", () => {
	it("is valid OpenAPI 3.1", async () => {
		const validator = new Validator();
		const { valid, errors } = await validator.validate(structuredClone(document));
		expect(errors ?? []).toEqual([]);
		expect([valid, validator.version]).toEqual([true, "3.1"]);
	});

	it("has an operation for every endpoint, with its parameters and its access", () => {
		const paths = document["paths"] as Record<
			string,
			Record<string, { operationId: string; parameters?: { name: string; in: string }[]; security?: unknown[] }>
		>;
		for (const endpoint of ENDPOINTS) {
			const operation = paths[endpoint.path]?.[endpoint.method.toLowerCase()];
			expect(operation?.operationId).toBe(endpoint.id);
			const inPath = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
			expect(
				(operation?.parameters ?? []).filter((parameter) => parameter.in === "path").map(({ name }) => name),
			).toEqual(inPath);
			const headers = endpoint.acceptsApiKeyHeader ? 2 : 1;
			expect((operation?.security ?? []).length).toBe(endpoint.access === "public" ? 0 : headers);
		}
	});

	it("shows an example of every endpoint: its parameters, its body and its answer", () => {
		expect(Object.keys(RECORDED_EXAMPLES).toSorted()).toEqual(ENDPOINTS.map(({ id }) => id).toSorted());
		const paths = document["paths"] as Record<string, Record<string, Record<string, unknown>>>;
		for (const { id, path, method, body, mediaType = "application/json" } of ENDPOINTS) {
			const { answer, ...request } = RECORDED_EXAMPLES[id] ?? { answer: undefined };
			const operation = paths[path]?.[method.toLowerCase()];
			const shown = { [mediaType]: { example: answer } };
			expect(operation?.["responses"], id).toMatchObject({ "200": { content: shown } });
			for (const [name] of path.matchAll(/(?<=\{)\w+(?=\})/g))
				expect(request.params?.[name], `${id} ${name}`).toBeTruthy();
			if (body && request.body !== undefined)
				expect(operation?.["requestBody"], id).toMatchObject({
					content: { "application/json": { example: request.body } },
				});
		}
		expect(JSON.stringify(RECORDED_EXAMPLES)).not.toMatch(/svc_sk_[0-9A-Za-z]/);
	});

	it("is the same wherever the service stands", () => {
		expect(document["servers"]).toEqual([{ url: "/" }]);
	});

	it("says what comes with 200 besides JSON, and that health answers with 503 as well", () => {
		const { paths } = document as { paths: Record<string, Record<string, { responses: Record<string, object> }>> };
		expect(paths["/v1/chat/completions"]?.["post"]?.responses["200"]).toMatchObject({
			content: { "text/event-stream": { schema: { type: "string" } } },
		});
		for (const path of ["/v1/usage", "/v1/savings"])
			expect(paths[path]?.["get"]?.responses["200"], path).toMatchObject({
				content: { "application/json": { schema: { anyOf: [{}, {}] } }, "text/csv": { schema: { type: "string" } } },
			});
		expect(paths["/health"]?.["get"]?.responses["503"]).toBeDefined();
		expect(paths["/v1/plans"]?.["get"]?.responses["503"]).toBeUndefined();
	});

	it("says in which forms errors come, and to whom", () => {
		const { paths, components } = document as {
			paths: Record<string, Record<string, { responses: Record<string, { description: string }> }>>;
			components: { schemas: object };
		};
		const failure = paths["/v1/models/{id}"]?.["get"]?.responses["default"];
		expect(JSON.stringify(failure)).toMatch(/schemas\/Error.*schemas\/OpenAIError/);
		expect(failure?.description).toContain("x-stainless-lang");
		expect(Object.keys(components.schemas)).toEqual(expect.arrayContaining(["Error", "WrappedError", "OpenAIError"]));
	});
});
