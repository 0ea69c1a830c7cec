// What a refusal says: levels, members, kinds and places, and never what stands there.
import { describe, expect, it } from "vitest";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import type { Conversation, PlacedText } from "../../../src/compliance/conversation.ts";
import { detect } from "../../../src/compliance/detect.ts";
import { createGate } from "../../../src/compliance/gate.ts";
import { MATRIX } from "../../../src/compliance/matrix.ts";
import type { CompliancePolicy } from "../../../src/compliance/policy.ts";
import { type PolicyLevels, policyDigest } from "../../../src/compliance/policy-levels.ts";
import { listDataPlaces } from "../../../src/compliance/refusal-notice.ts";
import type { UnreadContent } from "../../../src/compliance/vocabulary.ts";
import { parseSettings } from "../../../src/settings.ts";
import { variablesFor } from "../../support/variables.ts";

const { attestations } = parseSettings(variablesFor(CATALOG));
const BLOCK_PII: CompliancePolicy = { block_data_classes: ["PII"] };

const placed = (text: string, message: number | null, place: PlacedText["place"] = "text"): PlacedText => ({
	text,
	message,
	role: message === null ? null : "user",
	place,
});

function notice(levels: Partial<PolicyLevels>, conversation: Conversation, unread: readonly UnreadContent[] = []) {
	const all = { operator: null, key: null, request: null, ...levels };
	const basis = { matrix: MATRIX, catalog: CATALOG, attestations };
	return createGate(all, detect(conversation), basis, { conversation, unread }).explain(CATALOG.models);
}

describe("a notice", () => {
	it("lists places in the order of the messages, what stands outside them last, each with its kinds and their number", () => {
		const texts = [
			placed("Write to the.stop@analytical.org", null, "stop"),
			placed("Mail bob@analytical.org or carol@analytical.org, ssn 536-90-4399", 2, "tool_result"),
			placed("I am dan@analytical.org", 1),
		];
		const { places, counts, kinds } = notice({ request: BLOCK_PII }, { texts, unread: [] });
		expect(places).toEqual([
			{ path: "messages[1]", message: 1, place: "text", kinds: ["email"], count: 1 },
			{ path: "messages[2]", message: 2, place: "tool result", kinds: ["email", "us_ssn"], count: 3 },
			{ path: "stop", message: null, place: "stop", kinds: ["email"], count: 1 },
		]);
		expect([counts, kinds]).toEqual([{ email: 4, us_ssn: 1 }, { PII: ["email", "us_ssn"] }]);
	});

	it("names each level that excludes a model, with its members and its own digest", () => {
		const levels = { operator: { jurisdiction: ["JP"] }, key: { provider_allowlist: ["mistral"] }, request: BLOCK_PII };
		const texts = [placed("Write to ada@analytical.org", 0)];
		expect(notice(levels, { texts, unread: [] }).policies).toEqual([
			{ level: "operator", members: ["jurisdiction"], digest: policyDigest(levels.operator) },
			{ level: "key", members: ["provider_allowlist"], digest: policyDigest(levels.key) },
			{ level: "request", members: ["block_data_classes"], digest: policyDigest(levels.request) },
		]);
	});

	it("says nothing of what is found and not blocked, and nothing of a level that only monitors", () => {
		const texts = [placed("Write to ada@analytical.org", 0)];
		const key: CompliancePolicy = { block_data_classes: ["SECRETS"], jurisdiction: ["JP"] };
		const operator: CompliancePolicy = { ...BLOCK_PII, mode: "monitor" };
		const { policies, classes, places } = notice({ operator, key }, { texts, unread: [] });
		expect(policies.map(({ level, members }) => [level, members])).toEqual([["key", ["jurisdiction"]]]);
		expect([classes, places]).toEqual([[], []]);
	});

	it("names what nobody reads where that is why, and not where a policy lets it pass", () => {
		const conversation: Conversation = { texts: [placed("hi", 0)], unread: [{ message: 0, what: "image" }] };
		const refused = notice({ request: BLOCK_PII }, conversation, ["image"]);
		expect(refused).toMatchObject({
			classes: ["PII"],
			kinds: { PII: ["unread"] },
			places: [{ path: "messages[0]", message: 0, place: "image", kinds: ["unread"], count: 1 }],
		});
		const allowed: CompliancePolicy = { ...BLOCK_PII, allow_unread: ["image"], jurisdiction: ["JP"] };
		expect(notice({ request: allowed }, conversation, ["image"])).toMatchObject({ classes: [], places: [] });
	});

	it("lists twenty places at most, and a preview more", () => {
		const texts = Array.from({ length: 30 }, (_, index) => placed("Write to ada@analytical.org", index));
		const conversation = { texts, unread: [] };
		const { places, counts } = notice({ request: BLOCK_PII }, conversation);
		expect([places.length, counts]).toEqual([20, { email: 30 }]);
		expect(listDataPlaces(conversation, detect(conversation))).toHaveLength(30);
	});
});
