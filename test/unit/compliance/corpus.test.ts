// Every text of the corpus has the classes that its row says, and no others.
import { describe, expect, it } from "vitest";
import { plainConversation } from "../../../src/compliance/conversation.ts";
import { detect } from "../../../src/compliance/detect.ts";
import { inferStatements } from "../../../src/compliance/statements/infer.ts";
import { runSteps } from "../../../src/turns/steps.ts";
import { readSensitiveRows, SENSITIVE_FILES, STATEMENT_ROWS } from "../../support/sensitive-corpus.ts";

describe.each(SENSITIVE_FILES)("%s", (file) => {
	const rows = readSensitiveRows(file).map((row) => [row.group, row.reason, row.text, row] as const);

	it.each(rows)("%s: %s: %j", (_, __, text, { classes, kinds, values }) => {
		const conversation = plainConversation(text);
		const found = file === STATEMENT_ROWS ? runSteps(inferStatements(conversation)) : detect(conversation);
		expect(found.classes).toEqual(classes);
		expect(Object.values(found.kinds).flat()).toEqual(expect.arrayContaining(kinds));
		const spans = found.findings.filter(({ kind }) => kinds.includes(kind));
		expect(spans.map(({ start, end }) => text.slice(start, end))).toEqual(expect.arrayContaining(values));
	});

	it("has no text twice", () => {
		const texts = rows.map(([, , text]) => text);
		expect(texts.filter((text, at) => texts.indexOf(text) !== at)).toEqual([]);
	});
});
