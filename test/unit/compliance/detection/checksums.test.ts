import { describe, expect, it } from "vitest";
import * as checks from "../../../../src/compliance/detection/checksums.ts";

/** Numbers that standards, authorities and python-stdnum publish as valid. */
const PUBLISHED: readonly (readonly [name: keyof typeof checks, value: string])[] = [
	["luhn", "4111111111111111"],
	["luhn", "79927398713"],
	["iban", "GB82WEST12345698765432"],
	["iban", "DE89370400440532013000"],
	["abaRouting", "021000021"],
	["npi", "1234567893"],
	["dea", "AB1234563"],
	["nhsNumber", "9434765919"],
	["verhoeff", "2363"],
	["verhoeff", "312345678909"],
	["germanTaxId", "86095742719"],
	["icao9303", "C01X00T478"],
	["kvnr", "A123456780"],
	["spanishNif", "12345678Z"],
	["spanishNif", "X1234567L"],
	["codiceFiscale", "RSSMRA85T10A562S"],
	["pesel", "44051401359"],
	["frenchNir", "269054958815780"],
	["dutchBsn", "111222333"],
	["belgianNumber", "85073003328"],
	["portugueseNif", "123456789"],
	["cpf", "52998224725"],
	["chineseResidentId", "11010519491231002X"],
	["australianTfn", "123456782"],
	["singaporeNric", "S1234567D"],
	["singaporeNric", "F1234567N"],
	["koreanRrn", "9710139019902"],
	["thaiNumber", "1234545678781"],
	["finnishHetu", "131052308T"],
	["danishCpr", "2110625629"],
	["turkishNumber", "17291716060"],
	["southAfricanNumber", "7503305044089"],
	["base58Check", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"],
	["base58Check", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy"],
	["bech32", "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"],
	["bech32", "bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr"],
];

const DIGITS = "0123456789";
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

describe("a check", () => {
	it.each(PUBLISHED)("%s agrees with the published %s", (name, value) => {
		expect(checks[name](value)).toBe(true);
	});

	it.each(PUBLISHED.filter(([name]) => name !== "australianMedicare"))(
		"%s refuses %s with any other last character",
		(name, value) => {
			const last = value.slice(-1);
			const others = [...(/\d/.test(last) ? DIGITS : LETTERS)].filter((other) => other !== last);
			const accepted = others.filter((other) => checks[name](value.slice(0, -1) + other));
			expect(accepted).toEqual([]);
		},
	);

	it("of an Australian Medicare card is its ninth digit", () => {
		expect(checks.australianMedicare("2123456701")).toBe(true);
		for (const digit of "123456789") expect(checks.australianMedicare(`21234567${digit}1`)).toBe(false);
	});

	it("is not passed by one digit repeated", () => {
		expect(checks.cpf("11111111111")).toBe(false);
		expect(checks.nhsNumber("0000000000")).toBe(false);
		expect(checks.dutchBsn("000000000")).toBe(false);
	});
});
