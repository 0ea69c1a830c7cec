// Which addresses an operator's provider may have.
import { describe, expect, it } from "vitest";
import { findAddressFault } from "../../../src/operator-catalog/address.ts";

const REMOTE = { isLocal: false, hosts: new Set(["10.0.0.5:8000", "ollama.internal"]) };
const LOCAL = { isLocal: true, hosts: new Set<string>() };

describe("on Cloudflare", () => {
	it.each([
		"https://openrouter.ai/api/v1",
		"https://models.example.com:8443/v1",
		"https://[2606:4700:4700::1111]/v1",
		"https://1.1.1.1/v1",
		"https://172.32.0.1/v1",
		"https://100.128.0.1/v1",
		"http://10.0.0.5:8000/v1",
		"http://ollama.internal:11434/v1",
	])("%s is an address", (address) => {
		expect(findAddressFault(address, REMOTE)).toBeNull();
	});

	it.each([
		["https://10.0.0.6/v1", /private network/],
		["https://127.1/v1", /private network/],
		["https://0x7f000001/v1", /private network/],
		["https://2130706433/v1", /private network/],
		["https://169.254.169.254/latest", /private network/],
		["https://192.168.1.4/v1", /private network/],
		["https://172.16.0.1/v1", /private network/],
		["https://100.64.0.1/v1", /private network/],
		["https://[::1]/v1", /private network/],
		["https://[fe80::1]/v1", /private network/],
		["https://[fd00::1]/v1", /private network/],
		["https://[::ffff:10.0.0.1]/v1", /private network/],
		["https://[64:ff9b::a00:1]/v1", /private network/],
		["https://[2002:a00:1::]/v1", /private network/],
		["https://localhost/v1", /private network/],
		["https://a.localhost./v1", /private network/],
		["https://metadata.google.internal/v1", /private network/],
		["https://printer/v1", /private network/],
		["http://models.example.com/v1", /must be https/],
		["https://user:pass@models.example.com/v1", /no user name/],
		["https://models.example.com/v1?key=1", /no query/],
		["https://models.example.com/v1#a", /no query/],
		["ftp://models.example.com/v1", /an https address/],
		["models.example.com", /must be an address/],
	])("%s is none", (address, fault) => {
		expect(findAddressFault(address, REMOTE)).toMatch(fault);
	});
});

it("on a machine of the operator's, this machine and its networks are addresses, and the others as before", () => {
	for (const address of ["http://localhost:11434/v1", "http://127.0.0.1:8000/v1", "http://192.168.1.4:1234/v1"])
		expect(findAddressFault(address, LOCAL), address).toBeNull();
	expect(findAddressFault("http://models.example.com/v1", LOCAL)).toMatch(/must be https/);
	expect(findAddressFault("http://u@localhost/v1", LOCAL)).toMatch(/no user name/);
});
