import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainConversation } from "../../../src/compliance/conversation.ts";
import { detect, detectInSteps, secretSpans } from "../../../src/compliance/detect.ts";
import { STRETCH_CHARS } from "../../../src/compliance/detection/stretches.ts";
import { MAX_FINDINGS_PER_CLASS } from "../../../src/compliance/findings.ts";
import { DATA_CLASSES } from "../../../src/compliance/vocabulary.ts";
import { HOSTILE_UNITS, repeatToLength } from "../../bench/sensitive-inputs.ts";

/** Keys are put together here, so that scanners of repositories do not take this file for a leak. */
const RANDOM = "IXRSzTyUroHEI5eCYyNwu0GwDfXwsTkGztWs";
const GITHUB = `gh${"p_"}${RANDOM}`;
const AWS = `AK${"IA"}YFY5QUIY45BZMS4J`;
const JWT = `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.${"eyJzdWIiOiJ1LTg4MjEzIiwiZXhwIjoxNzkwMDAwMDAwfQ"}.CpLcS9wvKBo1hDD3l4yAAcTMFnc0vS8ED5OUbdLoeCR`;
const PEM = `-----BEGIN RSA ${"PRIVATE"} KEY-----\nNyZphVcCJZDKPCK7wXftoEAV3bLt0ygM\nKpn8Zrd3jFrb4EzAexl6Ph9dtSFDdajC\n-----END RSA ${"PRIVATE"} KEY-----`;

const kindsOf = (text: string) => Object.values(detect(plainConversation(text)).kinds).flat();

/** Values that are recognised in any text: by a check, a shape or the words in them. */
const RECOGNISED: readonly (readonly [kind: string, text: string])[] = [
	["email", "anneke.devries@ziggo-mail.nl"],
	["phone", "+44 7911 204 518"],
	["phone", "(415) 867-2290"],
	["us_ssn", "512-47-8093"],
	["es_nif", "48291736Q"],
	["br_cpf", "382.917.450-05"],
	["fr_nir", "2 84 05 75 112 038 44"],
	["in_aadhaar", "5739 1462 0834"],
	["pl_pesel", "PESEL 85031714326"],
	["fi_hetu", "131052-308T"],
	["cn_resident_id", "11010519491231002X"],
	["mac_address", "0d:b3:4a:6a:d9:cf"],
	["ip_address", "2400:c401::5054:ff:fe1b:b031"],
	["date_of_birth", "date of birth: 1979-11-02"],
	["passport", "passport no. ZS4471902"],
	["postal_address", "1482 Willow Creek Drive, Apt 5B, Portland, OR 97205"],
	["mrn", "MRN 00482913"],
	["npi", "NPI 1745928360"],
	["dea_number", "DEA number BT6735293"],
	["us_mbi", "1EG4-TE5-MK73"],
	["icd10", "diagnosis code E11.9"],
	["lab_result", "her HbA1c was 9.2 %"],
	["prescription", "patient takes metformin 500 mg"],
	["diagnosis_context", "my mother was diagnosed with Parkinson's"],
	["credit_card", "4532 0188 4776 2094"],
	["credit_card", "374491836205715"],
	["iban", "DE97 5001 0517 3648 2910 57"],
	["aba_routing", "routing number 071412986"],
	["bank_account", "bank account 8830172645"],
	["uk_sort_code", "sort code 20-45-17"],
	["crypto_address", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"],
	["salary_context", "her salary is $182,000"],
	["card_cvv", "CVV 737"],
	["github_pat", GITHUB],
	["aws_access_key", AWS],
	["jwt", JWT],
	["private_key", PEM],
	["connection_string", "postgres://billing:h7Gqz2Lw9@db-3.prod.internal:5432/billing"],
	["generic_secret", "db_password: 8f$Kd02jLq!"],
	["generic_secret", `api_key = "${RANDOM}"`],
	["generic_secret", `acme_${RANDOM}`],
	["generic_secret", `sk-proj-${RANDOM.slice(0, 28)}`],
	["slack_bot_token", `xoxb${"-123456789012-1234567890123"}-${RANDOM.slice(0, 24)}`],
	["generic_secret", "--password 8f$Kd02jLq!"],
	["generic_secret", "la contraseña del router es 8f$Kd02jLq!"],
	["generic_secret", "le mot de passe du wifi : 8fKd02jLqX"],
	["generic_secret", "hasło do panelu: 8f$Kd02jLq!"],
	["phone", "0161 496 0733"],
	["date_of_birth", "ich bin am 3.5.1979 geboren"],
	["date_of_birth", "nata a Bologna il 4 marzo 1991"],
	["date_of_birth", "d.o.b. 03/22/1971"],
	["person_name", "Mein Name ist Ömür Yıldız"],
	["person_name", "Nazywam się Bożena Kowalczyk"],
	["diagnosis_context", "Patient admitted with chest pain"],
	["diagnosis_context", "Die Patientin leidet an Multipler Sklerose"],
	["diagnosis_context", "Le patient est suivi pour une insuffisance rénale"],
	["diagnosis_context", "El paciente ingresó con neumonía"],
	["lab_result", "her mammogram shows a lesion"],
	["lab_result", "her CD4 count dropped to 210"],
	["bank_account", "BSB 062-000 account 1182 9934"],
	["bank_account", "IFSC HDFC0001842"],
	["vat_id", "ABN 51 824 753 556"],
	["vat_id", "Partita IVA 00743110157"],
	["credit_context", "the customer's credit score is 612"],
];

const HARMLESS: readonly string[] = [
	"Write unit tests for parseDate",
	"550e8400-e29b-41d4-a716-446655440000",
	"Revert 9f3c1e7ab40d2258c6e1f0b7d94a83e5172c6d0f and bump to 4.18.2-rc.1",
	"integrity sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
	"Bind to 127.0.0.1:8080, allow 10.0.0.0/8",
	"git@github.com:acme/repo.git and @scope/pkg@1.2.3",
	"timestamps 1718035200123 and 1718121600987",
	"part 123-45-67890, SKU-882-13-4471",
	"pi is 3.14159265358979323846",
	"Explain the difference between a password hash and an encrypted password",
	"What are the usual symptoms of type 2 diabetes and how does metformin work?",
	"Upgrade to version E11.9 of the firmware",
	"type User = { email: string; ssn: string; password: string }",
	"The paper cites 1,234 patients with diabetes in a cohort study",
	"Of 2,418 patients with hypertension, 12 % discontinued amlodipine",
	"Explain what a doctor checks before prescribing sertraline",
	"payment pi_3MtwBwLkdIwHu7ix28a3tqPN succeeded",
	"cache-v2-linux-9f3c1e7ab40d2258c6e1f0b7d94a83e5172c6d0f1b2a3c4d5e6f708192a3b4c5",
	"Use-AzureRmResourceGroupDeployment2024V3Template",
	"how-we-moved-to-kubernetes-in-30-days-without-downtime",
	"the password policy asks for at least 12 characters",
	"Call the client on 2024-05-17",
	"const person = { firstName: 'John', lastName: 'Doe' };",
	"He takes a loan of $193 at 6% for 38 days. How much is the interest?",
	"An allergy is a disease of the immune system; he may ask what causes it",
	"bytes 01 02 03 04 05 06 07",
	"NATO summit on 11 July 2023",
];

const DOCUMENTED: readonly string[] = [
	"aws_access_key: AKIAIOSFODNN7EXAMPLE",
	"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
	"key = AKIAXXXXXXXXXXXXXXXX",
	"OPENAI_API_KEY=sk-...",
	"OPENAI_API_KEY=<your-key-here>",
	"const key = process.env.OPENAI_API_KEY;",
	`api_key: $${"{{ secrets.API_KEY }}"}`,
	"password: {{ vault_password }}",
	`DB_PASSWORD=$${"{DB_PASSWORD}"}`,
	"password = changeme",
	"password: 'password123'",
	"token=xxxxxxxxxxxxxxxxxxxx",
	"curl -u user@example.com:changeme https://example.com/api",
	"postgres://user:password@localhost/db",
];

describe("detect", () => {
	it.each(RECOGNISED)("finds %s in %j", (kind, text) => {
		expect(kindsOf(text)).toContain(kind);
	});

	it.each(RECOGNISED)("finds %s alike inside a sentence", (kind, text) => {
		expect(kindsOf(`Hello, please look at this one: ${text} , and tell us what you think.`)).toContain(kind);
		expect(kindsOf(`{"note": "${text}"}`)).toContain(kind);
		expect(kindsOf(`first line\n${text}\nlast line`)).toContain(kind);
	});

	it.each(RECOGNISED)("finds %s in base64", (kind, text) => {
		expect(kindsOf(`payload ${Buffer.from(`see ${text} there`).toString("base64")} end`)).toContain(kind);
	});

	it.each(RECOGNISED)("finds %s in URL escapes", (kind, text) => {
		expect(kindsOf(`/search?q=${encodeURIComponent(`see ${text} there`)}&page=2`)).toContain(kind);
	});

	it.each(HARMLESS)("finds nothing in %j", (text) => {
		expect(detect(plainConversation(text))).toEqual({ classes: [], kinds: {}, findings: [] });
	});

	it.each(DOCUMENTED)("takes no documented example for a secret: %j", (text) => {
		expect(detect(plainConversation(text)).classes).not.toContain("SECRETS");
	});

	it("takes no identifier out of a longer run of digits", () => {
		expect(kindsOf("Visa 4539 1488 0343 6467 exp 09/27")).toEqual(["credit_card"]);
		expect(kindsOf("ref 5739 1462 0834 9911 0000")).toEqual([]);
		expect(kindsOf("Aadhaar 5739 1462 0834, born in May")).toEqual(["in_aadhaar"]);
	});

	it("takes the password of an address for no mailbox", () => {
		expect(kindsOf("postgres://admin:S3cr3tP@ss9@db.internal:5432/prod")).toEqual(["connection_string"]);
		expect(kindsOf("https://shop.example.org/reset?email=anneke@ziggo-mail.nl")).toEqual(["email"]);
	});

	it("takes a surname behind a title for somebody's where data about health stand beside it", () => {
		expect(kindsOf("Rx: lisinopril 10mg daily for Mrs. Ortega").toSorted()).toEqual(["person_name", "prescription"]);
		expect(kindsOf("Mrs. Ortega wrote the release notes")).toEqual([]);
	});

	it("reads a setting whose quote was never closed", () => {
		expect(kindsOf("DATABASE_PASSWORD='p9X!k2#vLq8")).toEqual(["generic_secret"]);
	});

	it("takes a number that fills its text for what its check digit says, and not inside a sentence", () => {
		expect(kindsOf("121042882")).toEqual(["aba_routing"]);
		expect(kindsOf("1234567893")).toEqual(["npi"]);
		expect(kindsOf("order 121042882 was sent")).toEqual([]);
	});

	it("names the classes in their order and the kinds sorted, over all texts together", () => {
		const texts = [
			`token ${GITHUB}`,
			"card 4532018847762094, IBAN NL78INGB0417253816",
			"k.yamada@tsukiji-foods.jp",
			"MRN 00482913",
		];
		const expected = {
			classes: [...DATA_CLASSES],
			kinds: {
				PII: ["email"],
				PHI: ["mrn"],
				FINANCIAL: ["credit_card", "iban"],
				SECRETS: ["github_pat"],
			},
		};
		expect(detect(plainConversation(...texts))).toMatchObject(expected);
		expect(detect(plainConversation(...texts.toReversed()))).toMatchObject(expected);
	});

	it("never repeats a value", () => {
		for (const [, text] of RECOGNISED) {
			const answer = JSON.stringify(detect(plainConversation(text)));
			for (const word of text.match(/[A-Za-z0-9]*\d[A-Za-z0-9]{4,}/g) ?? []) expect(answer).not.toContain(word);
		}
	});
});

/** What the findings in a text say: kind and words. */
function findingsIn(...texts: string[]): [kind: string, words: string][] {
	const { findings } = detect(plainConversation(...texts));
	return findings.map(({ kind, text, start, end }) => [kind, texts[text]?.slice(start, end) ?? ""]);
}

describe("findings", () => {
	it.each<[string, [kind: string, words: string][]]>([
		[
			"Mail ida.brandvold@fjord-post.no and also lars@fjord-post.no.",
			[
				["email", "ida.brandvold@fjord-post.no"],
				["email", "lars@fjord-post.no"],
			],
		],
		["My card is 4111-1111-1111-1111, thanks", [["credit_card", "4111-1111-1111-1111"]]],
		["call +49 (30) 901820 now", [["phone", "+49 (30) 901820"]]],
		[
			"host 93.184.216.34 and 00:1b:44:11:3a:b7",
			[
				["ip_address", "93.184.216.34"],
				["mac_address", "00:1b:44:11:3a:b7"],
			],
		],
		["The chart, MRN: 00482197, is here", [["mrn", "00482197"]]],
		["Date of birth: 12/03/1981.", [["date_of_birth", "12/03/1981"]]],
		["Hello, my name is Odalys Ferreira and I wait", [["person_name", "Odalys Ferreira"]]],
		["my brother has epilepsy", [["diagnosis_context", "epilepsy"]]],
		["I earn $61,000 a year", [["salary_context", "earn $61,000"]]],
	])("in %j have their words", (text, expected) => {
		expect(findingsIn(text)).toEqual(expected);
	});

	it("say in which text they are, in order", () => {
		expect(findingsIn("nothing", "a: kurt@wald-post.de", "b: uwe@wald-post.de")).toEqual([
			["email", "kurt@wald-post.de"],
			["email", "uwe@wald-post.de"],
		]);
	});

	it("span all of an encoding", () => {
		const encoded = Buffer.from("write to kurt@wald-post.de").toString("base64");
		expect(findingsIn(`see ${encoded} there`)).toEqual([["email", encoded.replaceAll("=", "")]]);
	});

	it("include a full name only beside health or money", () => {
		expect(findingsIn("Ingrid Solheim called.")).toEqual([]);
		expect(findingsIn("Ingrid Solheim called.", "Ingrid Solheim has leukemia.")).toEqual([
			["person_name", "Ingrid Solheim"],
			["person_name", "Ingrid Solheim"],
			["diagnosis_context", "leukemia"],
		]);
	});

	it("are bounded for each class, and beyond that it counts as unread", () => {
		const many = Array.from({ length: MAX_FINDINGS_PER_CLASS + 1 }, (_, index) => `u${index}@wald-post.de`).join(" ");
		const { kinds, findings } = detect(plainConversation(`${many} 4111-1111-1111-1111`));
		expect(kinds).toEqual({ PII: ["email", "unread"], FINANCIAL: ["credit_card"] });
		expect(findings.length).toBe(MAX_FINDINGS_PER_CLASS + 1);
	});
});

describe("more than any model takes", () => {
	it("is not read, and may hold anything", () => {
		const half = "word ".repeat(420_000);
		expect(detect(plainConversation(half)).classes).toEqual([]);
		expect(detect(plainConversation(half, half))).toEqual({
			classes: [...DATA_CLASSES],
			kinds: { PII: ["unread"], PHI: ["unread"], FINANCIAL: ["unread"], SECRETS: ["unread"] },
			findings: [],
		});
	});
});

describe("hostile text", () => {
	it.each(HOSTILE_UNITS)("of %s, a quarter of a megabyte, is read to its end", (_, unit) => {
		const filler = repeatToLength(unit, 1 << 18);
		expect(kindsOf(`${filler}\n\nlast: anneke.devries@ziggo-mail.nl`)).toContain("email");
	});
});

describe("secretSpans", () => {
	it("says where each secret stands, so that it can be replaced", () => {
		const text = `export AWS_ACCESS_KEY_ID=${AWS}\ncurl -H "Authorization: Bearer ${JWT}" https://ci:${GITHUB}@github.com/x`;
		const spans = secretSpans(text);
		expect(spans.map(({ start, end }) => text.slice(start, end))).toEqual([AWS, JWT, GITHUB]);
		expect(spans.map(({ kind }) => kind)).toEqual(["aws_access_key", "jwt", "github_pat"]);
	});

	it("covers a whole PEM block", () => {
		const text = `key:\n${PEM}\nend`;
		expect(secretSpans(text).map(({ start, end }) => text.slice(start, end))).toEqual([PEM]);
	});

	it("finds nothing where detect finds no secret", () => {
		for (const text of [...HARMLESS, ...DOCUMENTED]) expect(secretSpans(text)).toEqual([]);
	});

	it("leaves no secret behind, in any encoding, whatever stands around", () => {
		const encodings: readonly ((text: string) => string)[] = [
			(text) => text,
			(text) => encodeURIComponent(text),
			(text) => Buffer.from(text).toString("base64"),
			(text) => [...text].join("\u200b"),
			(text) => text.replace(/[!-~]/g, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0)),
		];
		const around = fc.stringMatching(/^[a-z .,\n]{0,60}$/);
		fc.assert(
			fc.property(
				around,
				around,
				fc.constantFrom(...encodings),
				fc.constantFrom(GITHUB, AWS, JWT, "password = 8f$Kd02jLq!"),
				(before, after, encode, secret) => {
					const text = `${before} ${encode(secret)} ${after}`;
					const spans = secretSpans(text);
					expect(spans.length).toBeGreaterThan(0);
					let redacted = "";
					let copied = 0;
					for (const { start, end } of spans) {
						expect(start).toBeGreaterThanOrEqual(copied);
						redacted += `${text.slice(copied, start)} [removed] `;
						copied = end;
					}
					redacted += text.slice(copied);
					expect(detect(plainConversation(redacted)).classes).not.toContain("SECRETS");
				},
			),
		);
	});
});

describe("detection in steps", () => {
	it("pauses within a long text, and finds the same across the pauses", () => {
		const found = "Mail ida.brandvold@fjord-post.no, card 4111-1111-1111-1111, my brother has epilepsy. ";
		const text = Array.from({ length: 1_500 }, (_, index) => `${found}${"x".repeat(index % 7)} `).join("");
		const steps = detectInSteps(plainConversation(text));
		const read: number[] = [];
		let step = steps.next();
		for (; !step.done; step = steps.next()) read.push(step.value);
		expect(read.length).toBeGreaterThan(2);
		expect(Math.max(...read)).toBeLessThanOrEqual(STRETCH_CHARS + 64);
		const counts = new Map<string, number>();
		for (const { kind } of step.value.findings) counts.set(kind, (counts.get(kind) ?? 0) + 1);
		expect([...counts].sort()).toEqual([
			["credit_card", 1_500],
			["diagnosis_context", 1_500],
			["email", 1_500],
		]);
	});
});
