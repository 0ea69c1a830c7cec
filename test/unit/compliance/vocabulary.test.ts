// One spelling for jurisdictions, standards and classes of data.
import { describe, expect, it } from "vitest";
import { findPlaces, findStandard, isWithin } from "../../../src/catalog/standards.ts";
import { findDataClass } from "../../../src/compliance/vocabulary.ts";

describe("a place", () => {
	it.each<[string, readonly string[] | null]>([
		["de", ["DE"]],
		["Germany", ["DE"]],
		["uk", ["GB"]],
		["United States", ["US"]],
		["eu", ["EU"]],
		["Europe", ["EU"]],
		["EEA", ["EU", "IS", "LI", "NO"]],
		["South Korea", ["KR"]],
		["France", ["FR"]],
		["United Kingdom", ["GB"]],
		["Serbia", ["RS"]],
		["U.S.A.", ["US"]],
		["E.U.", ["EU"]],
		["European Economic Area", ["EU", "IS", "LI", "NO"]],
		["Czech Republic", ["CZ"]],
		["ZZ", null],
		["XX", null],
		["FX", null],
		["SU", null],
		["IC", null],
		["Middle-earth", null],
		["__proto__", null],
	])("written %s is %j", (word, places) => {
		expect(findPlaces(word)).toEqual(places);
	});

	it("has one code, whether it is written as code or as name, and never one that is retired or reserved", () => {
		const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
		const places = letters.flatMap((first) => letters.flatMap((second) => findPlaces(`${first}${second}`) ?? []));
		const codes = [...new Set(places)].filter((code) => code !== "EU");
		expect(codes).toHaveLength(249);
		const names = new Intl.DisplayNames("en", { type: "region" });
		for (const code of codes) expect(findPlaces(names.of(code) ?? "")).toEqual([code]);
	});

	it("of a member state lies within the EU, and the EU within nothing else", () => {
		expect(isWithin("FR", ["EU"])).toBe(true);
		expect(isWithin("FR", ["DE", "FR"])).toBe(true);
		expect(isWithin("EU", ["EU"])).toBe(true);
		expect(isWithin("EU", ["FR", "DE"])).toBe(false);
		expect(isWithin("CH", ["EU"])).toBe(false);
		expect(isWithin("GB", ["EU"])).toBe(false);
		expect(isWithin("*", ["EU", "US"])).toBe(false);
	});
});

describe("a standard", () => {
	it.each([
		["SOC 2 Type II", "SOC2"],
		["soc2", "SOC2"],
		["SOC-2 Type 1", "SOC2"],
		["ISO 27001", "ISO27001"],
		["ISO/IEC 27001:2022", "ISO27001"],
		["iso27001", "ISO27001"],
		["HIPAA BAA", "HIPAA"],
		["pci-dss", "PCI DSS"],
		["PCI", "PCI DSS"],
		["PCI DSS v4", "PCI DSS"],
		["CSA-STAR", "CSA STAR"],
		["gdpr", "GDPR"],
		["UK-GDPR", "UK GDPR"],
		["Something else", null],
		["constructor", null],
	])("written %s is %s", (word, standard) => {
		expect(findStandard(word)).toBe(standard);
	});
});

describe("a class of data", () => {
	it.each([
		["pii", "PII"],
		["Personal data", "PII"],
		["health", "PHI"],
		["secret", "SECRETS"],
		["payment", "FINANCIAL"],
		["everything", null],
		["toString", null],
	])("written %s is %s", (word, dataClass) => {
		expect(findDataClass(word)).toBe(dataClass);
	});
});
