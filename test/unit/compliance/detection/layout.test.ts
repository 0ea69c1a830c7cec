// Values are found however they are laid out, encoded or written.
import { describe, expect, it } from "vitest";
import { plainConversation } from "../../../../src/compliance/conversation.ts";
import { detect } from "../../../../src/compliance/detect.ts";

const kindsIn = (text: string) => Object.values(detect(plainConversation(text)).kinds).flat();

const hex = (text: string) => Buffer.from(text).toString("hex");
const inLines = (text: string) => text.replace(/(.{76})/g, "$1\n");

describe("a card with dots", () => {
	it("is no address of a device", () => {
		expect(kindsIn("charge 4111.1111.1111.1111 now")).not.toContain("mac_address");
		expect(kindsIn("port 001b.4411.3ab7 is down")).toEqual(["mac_address"]);
	});
});

describe("other layouts and encodings", () => {
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
});
