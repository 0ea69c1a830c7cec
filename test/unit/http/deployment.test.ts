// Whom a client's address belongs to, and what a Host header may be.
import { describe, expect, it } from "vitest";
import { addressOwner, isHost } from "../../../src/http/deployment.ts";

describe("an address", () => {
	it.each([
		["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
		["2001:DB8:1:2::", "2001:db8:1:2::/64"],
		["2001:db8::1", "2001:db8:0:0::/64"],
		["2001:db8:0:1::1", "2001:db8:0:1::/64"],
		["::1", "0:0:0:0::/64"],
		["fe80::1%eth0", "fe80:0:0:0::/64"],
		["::ffff:192.0.2.7", "192.0.2.7"],
		["::ffff:c000:207", "192.0.2.7"],
		["::FFFF:192.0.2.7", "192.0.2.7"],
		["64:ff9b::192.0.2.7", "64:ff9b:0:0::/64"],
		["192.0.2.7", "192.0.2.7"],
		["unknown", "unknown"],
		["not:an:address", "not:an:address"],
	])("%s is limited as %s", (address, owner) => {
		expect(addressOwner(address)).toBe(owner);
		expect(addressOwner(owner)).toBe(owner);
	});
});

describe("a Host header", () => {
	it.each(["localhost", "svc.example:8787", "127.0.0.1", "[::1]:1", "b\u00fccher.example"])("may be %j", (host) => {
		expect(isHost(host)).toBe(true);
	});

	it.each([
		"",
		"a b",
		"[::1",
		"[zz]",
		"a:99999",
		"a:b",
		"%zz",
		"a<b",
		"u@a",
		"a/x",
		"a?x",
		"a#x",
		"a\\x",
		"a, b",
		"1.2.3.4.5",
	])("must not be %j", (host) => {
		expect(isHost(host)).toBe(false);
	});
});
