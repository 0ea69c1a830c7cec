import { describe, expect, it } from "vitest";
import * as checks from "../../../../src/compliance/detection/checksums.ts";

/** Numbers that standards, authorities and python-stdnum publish as valid. */
const PUBLISHED: readonly (readonly [name: string, check: checks.ChecksumRule, value: string])[] = [
	["luhn", checks.luhn, "4111111111111111"],
	["luhn", checks.luhn, "79927398713"],
	["iban", checks.iban, "GB82WEST12345698765432"],
	["iban", checks.iban, "DE89370400440532013000"],
	["abaRouting", checks.abaRouting, "021000021"],
	["npi", checks.npi, "1234567893"],
	["dea", checks.dea, "AB1234563"],
	["nhsNumber", checks.nhsNumber, "9434765919"],
	["verhoeff", checks.verhoeff, "2363"],
	["verhoeff", checks.verhoeff, "312345678909"],
	["germanTaxId", checks.germanTaxId, "86095742719"],
	["icao9303", checks.icao9303, "C01X00T478"],
	["kvnr", checks.kvnr, "A123456780"],
	["spanishNif", checks.spanishNif, "12345678Z"],
	["spanishNif", checks.spanishNif, "X1234567L"],
	["codiceFiscale", checks.codiceFiscale, "RSSMRA85T10A562S"],
	["pesel", checks.pesel, "44051401359"],
	["frenchNir", checks.frenchNir, "269054958815780"],
	["dutchBsn", checks.dutchBsn, "111222333"],
	["belgianNumber", checks.belgianNumber, "85073003328"],
	["portugueseNif", checks.portugueseNif, "123456789"],
	["cpf", checks.cpf, "52998224725"],
	["chineseResidentId", checks.chineseResidentId, "11010519491231002X"],
	["australianTfn", checks.australianTfn, "123456782"],
	["singaporeNric", checks.singaporeNric, "S1234567D"],
	["singaporeNric", checks.singaporeNric, "F1234567N"],
	["koreanRrn", checks.koreanRrn, "9710139019902"],
	["thaiNumber", checks.thaiNumber, "1234545678781"],
	["finnishHetu", checks.finnishHetu, "131052308T"],
	["turkishNumber", checks.turkishNumber, "17291716060"],
	["southAfricanNumber", checks.southAfricanNumber, "7503305044089"],
	["base58Check", checks.base58Check, "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"],
	["base58Check", checks.base58Check, "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy"],
	["bech32", checks.bech32, "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"],
	["bech32", checks.bech32, "bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr"],
];

const DIGITS = "0123456789";
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

describe("a check", () => {
	it.each(PUBLISHED)("$0 agrees with the published $2", (_, check, value) => {
		expect(check(value)).toBe(true);
	});

	it.each(PUBLISHED)("$0 refuses $2 with any other last character", (_, check, value) => {
		const last = value.slice(-1);
		const others = [...(/\d/.test(last) ? DIGITS : LETTERS)].filter((other) => other !== last);
		const accepted = others.filter((other) => check(value.slice(0, -1) + other));
		expect(accepted).toEqual([]);
	});

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
