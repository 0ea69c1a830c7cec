// The list of requests: an address as the API's query.
import { describe, expect, it } from "vitest";
import { isNarrowed, toRequestQuery, usesMoreFilters } from "../../../src/console/request-filters.ts";

const apiQuery = (address: string, zone = "UTC") =>
	Object.fromEntries(new URL(toRequestQuery(new URLSearchParams(address), zone, 50), "http://svc.test").searchParams);

describe("the API's query", () => {
	it("has the filters that are set, and the place in the list", () => {
		expect(apiQuery("outcome=failed&model=&q= svc-01 &cursor=abc&time_zone=UTC&unknown=1")).toEqual({
			limit: "50",
			outcome: "failed",
			q: "svc-01",
			cursor: "abc",
		});
	});

	it("has days that begin in the page's zone, and other times as they are written", () => {
		expect(apiQuery("since=2026-11-01&until=2026-11-02T10:00Z", "Europe/Vienna")).toMatchObject({
			since: "2026-10-31T23:00:00.000Z",
			until: "2026-11-02T10:00Z",
		});
		expect(apiQuery("since=yesterday")).toMatchObject({ since: "yesterday" });
	});

	it("has a pair of metadata, whose value may have an equals sign", () => {
		expect(apiQuery("metadata=team=search")).toMatchObject({ "metadata[team]": "search" });
		expect(apiQuery("metadata=query = a=b")).toMatchObject({ "metadata[query]": "a=b" });
		expect(apiQuery("metadata=flag")).toMatchObject({ "metadata[flag]": "" });
	});
});

it("an address without filters narrows nothing", () => {
	expect(isNarrowed(new URLSearchParams("time_zone=UTC&cursor=a&model="))).toBe(false);
	expect(isNarrowed(new URLSearchParams("metadata=a=b"))).toBe(true);
	expect(usesMoreFilters(new URLSearchParams("model=x"), ["tag"])).toBe(false);
	expect(usesMoreFilters(new URLSearchParams("tag=x"), ["tag"])).toBe(true);
});
