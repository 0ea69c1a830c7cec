import { describe, expect, it } from "vitest";
import { plainConversation } from "../../../../src/compliance/conversation.ts";
import { detect } from "../../../../src/compliance/detect.ts";

describe("what somebody earns and owes", () => {
	it.each([
		["salary_context", "Her base pay is £58,200 before the raise"],
		["salary_context", "employee 90: gross monthly wage 3.980 EUR"],
		["salary_context", "I earn 47k a year"],
		["salary_context", "Er verdient 3.400 € netto"],
		["salary_context", "Mi hermana gana 29.000 euros"],
		["salary_context", "Ma collègue gagne 2 400 € ? non, elle gagne 2.900 €"],
		["salary_context", "o meu salário é 2.100 eur"],
		["salary_context", "Payslip June: gross 4,870.00 net 3,310.20"],
		["salary_context", "he was paid £2,310 in April"],
		["salary_context", "she makes 87k, the offer says 90"],
		["salary_context", "my brother earns £610 a week"],
		["salary_context", "staff member 17 was paid $3,870.20 on 15 May"],
		["salary_context", "They pay me $72k before tax"],
		["salary_context", "bonus for K. Lindholm: $12,000"],
		["credit_context", "She has $37,000 in student loans"],
		["credit_context", "he owes $41,000 on two cards"],
		["credit_context", "credit score of the applicant: 587"],
		["credit_context", "her savings are 31.000 euros"],
		["credit_context", "loan balance of customer 12: $9,310.55"],
		["card_cvv", "PIN for the debit card is 8305"],
		["swift_bic", "SWIFT code: KREDBEBB"],
	])("is told as %s in %j", (kind, text) => {
		expect(detect(plainConversation(text)).kinds.FINANCIAL).toContain(kind);
	});

	it("is somebody's by the name beside it", () => {
		expect(detect(plainConversation("Ingrid Solheim earns 61,000 EUR, is she a candidate?")).classes).toEqual([
			"PII",
			"FINANCIAL",
		]);
	});

	it.each([
		"What is the average salary of a welder? I heard $48,000.",
		"We paid the invoice of 1,200 EUR on Monday",
		"The company has a debt of $3.1 million in my spreadsheet",
		"I paid 1,310 EUR for this bike",
		"Earn 500 points with every purchase",
		"the pin header of my SD card reader has 2024 pins",
		"Anton makes $14 per customer. He serves 31 customers.",
		"He earned $260 on Tuesday and $45 on Thursday.",
		"She has to pay $25 each day for rent.",
		"I need this in Welsh: Bruno makes 41000$ a year as a baker.",
		"Greta has a shop. She earns $48,000 a year from her 3 stalls, sells 2 of them and pays 1/4 of the rest to her brother. Then she buys 12 new tables and 60 chairs for the shop. How much money has she left?",
		"With her savings, Lena bought a lamp for $45.",
		"A customer could see a savings of $310 a year.",
		"Their net income increased to $4.2 billion.",
		"SWIFT BRANCHES of the parser",
		"my balance board costs a lot",
	])("is not told in %j", (text) => {
		expect(detect(plainConversation(text)).classes).toEqual([]);
	});
});
