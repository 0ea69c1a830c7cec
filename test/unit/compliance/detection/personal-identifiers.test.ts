import { describe, expect, it } from "vitest";
import { plainConversation } from "../../../../src/compliance/conversation.ts";
import { detect } from "../../../../src/compliance/detect.ts";

describe("what stands for a person", () => {
	it.each([
		["phone", "Call 1-312-555-0141 after six"],
		["phone", "phone: 5551230000"],
		["phone", "Germany: 030 23999 881"],
		["phone", "Tél. 01 44 61 20 09"],
		["date_of_birth", "b. 1971-11-30"],
		["passport", "passeport 11AB45678"],
		["driver_license", "DL: K7712345"],
		["postal_address", "Storgatan 9, 411 38 Göteborg"],
		["postal_address", "Leidsegracht 22, 1017 NA Amsterdam"],
		["postal_address", "ul. Długa 14/3, 80-831 Gdańsk"],
		["postal_address", "Calle Mayor 18, 2º A, 28013 Madrid"],
		["geolocation", "41.3851, 2.1734 is where Nuria lives, my courier says"],
		["email", "contact: j.mora (at) correo (dot) es"],
	])("is told as %s in %j", (kind, text) => {
		expect(detect(plainConversation(text)).kinds.PII).toContain(kind);
	});

	it.each(["look at line 3 dot the i", "row 12, 411 38 units", "Version 1-312-555 of the schema", "license MIT, 2024"])(
		"is not told in %j",
		(text) => {
			expect(detect(plainConversation(text)).classes).toEqual([]);
		},
	);

	it("is not told by a word that the edge of the surroundings cuts", () => {
		expect(detect(plainConversation(`6250017991 ${"x".repeat(34)} telegraph`)).classes).toEqual([]);
	});
});
