import { describe, expect, it } from "vitest";
import { plainConversation } from "../../../../src/compliance/conversation.ts";
import { detect } from "../../../../src/compliance/detect.ts";

const kindsOf = (text: string) => Object.values(detect(plainConversation(text)).kinds).flat();

describe("what layout tells", () => {
	it.each([
		["passport", "P<UTOVANDERSTEEN<<IMKE<MAE<<<<<<<<<<<<<<<<<<<"],
		["credit_card", "%B4532018847762094^VANDERSTEEN/IMKE^2809201000000000?"],
		["bank_statement", "Kontoauszug\n01.03. Bäckerei Lind -43,17\n04.03. Miete Ost -890,00\nSaldo 1.204,33"],
		[
			"bank_statement",
			"Date,Description,Amount,Balance\n2025-03-01,GROCER,-32.18,1204.55\n2025-03-03,PAY,2410.00,3614.55",
		],
		[
			"person_name",
			"employee;grade\nVandersteen, Imke;E4\nOst, Henrike;E2".replaceAll("Vandersteen, Imke", '"Vandersteen, Imke"'),
		],
		["generic_secret", "user\tpassword\nimke\tLagune%7315\n"],
	])("is %s in %j", (kind, text) => {
		expect(kindsOf(text)).toContain(kind);
	});

	it.each([
		"2025-03-01 INFO 12.50 ms\n2025-03-02 INFO 13.20 ms\n2025-03-03 WARN 99.10 ms",
		"Name,Age,Location\nAlice,30,New York\nBob,25,Los Angeles",
		"user,password\ntext,varchar(64)\n",
		"a <<EOF\nP<B<<C",
	])("is nothing in %j", (text) => {
		expect(kindsOf(text)).toEqual([]);
	});
});
