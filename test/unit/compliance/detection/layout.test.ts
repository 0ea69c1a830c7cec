// Values are found however they are laid out, encoded or written.
import { describe, expect, it } from "vitest";
import { plainConversation } from "../../../../src/compliance/conversation.ts";
import { detect } from "../../../../src/compliance/detect.ts";

const kindsIn = (text: string) => Object.values(detect(plainConversation(text)).kinds).flat();

const CARD = "4111111111111111";
const hex = (text: string) => Buffer.from(text).toString("hex");
const quotedPrintable = (text: string) =>
	[...Buffer.from(text)].map((byte) => `=${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
const inLines = (text: string) => text.replace(/(.{76})/g, "$1\n");
const digitsFrom = (zero: number, text: string) =>
	text.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));

describe("a card is found", () => {
	it.each([
		["with dots", "charge 4111.1111.1111.1111 now"],
		["with slashes", "charge 4111/1111/1111/1111 now"],
		["with double spaces", "my card is 4111  1111  1111  1111"],
		["over lines", "my card:\n4111\n1111\n1111\n1111\nthanks"],
		["in uneven groups", "my card is\n411111\n111111\n1111"],
		["with tabs", "my card\t4111\t1111\t1111\t1111"],
		["in Arabic digits", digitsFrom(0x660, "card 4111 1111 1111 1111")],
		["in Devanagari digits", digitsFrom(0x966, "card 4111 1111 1111 1111")],
		["in mathematical digits", digitsFrom(0x1d7ce, "card 4111 1111 1111 1111")],
		["spelled", `card four${" one".repeat(15)}`],
		["in hexadecimal digits", `payload ${hex(`card=${CARD};`)}`],
		["in quoted-printable", `body: ${quotedPrintable(`card=${CARD};`)}`],
		["with invisible characters", [...CARD].join("\u{e0101}")],
		["after an escaped line break", `{"note":"card:\\n${CARD}"}`],
	])("%s", (_, text) => {
		expect(kindsIn(text)).toContain("credit_card");
	});

	it("and is no address of a device", () => {
		expect(kindsIn("charge 4111.1111.1111.1111 now")).not.toContain("mac_address");
		expect(kindsIn("port 001b.4411.3ab7 is down")).toEqual(["mac_address"]);
	});
});

describe("other layouts and encodings", () => {
	it("of a date", () => {
		expect(kindsIn("DOB:\n09/\n11/\n1974")).toContain("date_of_birth");
	});

	it("of words that are broken at the end of a line", () => {
		expect(kindsIn("My brother has epi-\nlepsy since May.")).toEqual(["diagnosis_context"]);
	});

	it("of base64 in lines: a value may be in two of them", () => {
		const text = inLines(
			Buffer.from(`${"-".repeat(50)} ida.brandvold@fjord-post.no ${"-".repeat(50)}`).toString("base64"),
		);
		expect(text).toContain("\n");
		expect(kindsIn(text)).toEqual(["email"]);
	});

	it("of a hexadecimal dump", () => {
		const dump = (hex("to: ida.brandvold@fjord-post.no").match(/.{1,32}/g) ?? []).map(
			(line, index) =>
				`${(16 * index).toString(16).padStart(8, "0")}: ${line.replace(/(.{4})/g, "$1 ")} ................`,
		);
		expect(kindsIn(dump.join("\n"))).toEqual(["email"]);
	});

	it.each(["jürgen@müller-bau.de", "ида@почта.рф", "ida@xn--80a1acny.xn--p1ai", "用户@例子.公司"])(
		"of a mailbox: %s",
		(address) => {
			const text = `write to ${address} today`;
			const { kinds, findings } = detect(plainConversation(text));
			expect(kinds).toEqual({ PII: ["email"] });
			expect(text.slice(findings[0]?.start, findings[0]?.end)).toBe(address);
		},
	);

	it.each([
		"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16",
		"Version 4.11.11.11 of 2024/11/09, build 1.2.3.4567",
		"4111\n2222\n3333\n4445\n",
		"one two three, testing",
		"a = 20\nb = 30\n",
	])("find nothing in %j", (text) => {
		expect(kindsIn(text)).toEqual([]);
	});
});
