// The matrix: every provider of the catalog, every claim with its sources and date, names in one spelling.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import { findPlaces, findStandard, isWithin } from "../../../src/catalog/standards.ts";
import { MATRIX } from "../../../src/compliance/matrix.ts";

const MONTH = String.raw`\d{4}-(?:0[1-9]|1[0-2])`;

/** A known value has sources and a date; an unknown one has no source. */
function claim<T extends z.ZodType>(value: T) {
	return z.union([
		z.strictObject({
			value,
			as_of: z.string().regex(new RegExp(`^${MONTH}/${MONTH}$`)),
			sources: z.array(z.string().min(1)).min(1),
			note: z.string().optional(),
		}),
		z.strictObject({ value: z.null(), note: z.string().optional() }),
	]);
}

const place = z.string().refine((code) => findPlaces(code)?.join() === code);
const standards = z.array(z.string().refine((name) => findStandard(name) === name));
const providerSchema = z.strictObject({
	id: z.string(),
	product: z.string(),
	jurisdiction: claim(z.strictObject({ contract: place, parent: place })),
	regions: claim(z.array(z.union([place, z.literal("*")])).min(1)),
	frameworks: claim(standards),
	certifications: claim(standards),
	zero_retention: claim(z.enum(["default", "on_request"])),
	trains_on_inputs: claim(z.enum(["no", "opt_in", "opt_out"])),
});

describe("the matrix", () => {
	it("has the providers of the catalog, in its order", () => {
		expect(MATRIX.providers.map(({ id }) => id)).toEqual(CATALOG.providers.map(({ id }) => id));
		expect(MATRIX.version).toMatch(new RegExp(`^rcm-${MONTH.replace("-", String.raw`\.`)}-baseline$`));
		expect(MATRIX.notice).toContain("not legal advice");
	});

	it.each(MATRIX.providers.map((facts) => [facts.id, facts] as const))(
		"says where each claim on %s is from",
		(_, facts) => {
			expect(providerSchema.safeParse(facts).error).toBeUndefined();
		},
	);

	it("takes nothing that is said of Vertex for the product of AI Studio", () => {
		const google = MATRIX.providers.find(({ id }) => id === "google");
		for (const unknown of [google?.regions, google?.frameworks, google?.certifications, google?.zero_retention])
			expect(unknown?.value).toBeNull();
	});

	it("knows contract and parent apart", () => {
		const alibaba = MATRIX.providers.find(({ id }) => id === "alibaba")?.jurisdiction.value;
		expect(alibaba).toEqual({ contract: "SG", parent: "CN" });
		expect(isWithin(alibaba?.parent ?? "", ["SG"])).toBe(false);
	});
});
