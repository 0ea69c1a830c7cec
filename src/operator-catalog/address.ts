// Which addresses an operator's provider may have. Public HTTPS always; this machine and private networks only where the service runs
// locally or the operator lists the host. Names are not resolved: a Worker cannot, and what a public name leads to is its owner's
// word. Pure.

/** Where upstreams may be. */
export interface AddressRules {
	/** The service runs on a machine of its operator's. */
	isLocal: boolean;
	/** Hosts, with their port where it is not the scheme's, that are allowed whatever they are. */
	hosts: ReadonlySet<string>;
}

/** Networks that are nobody's public address: RFC 6890, with 100.64.0.0/10 (RFC 6598) and link-local addresses (RFC 3927). */
const PRIVATE_IPV4 = [
	/^0\./,
	/^10\./,
	/^127\./,
	/^169\.254\./,
	/^172\.(?:1[6-9]|2\d|3[01])\./,
	/^192\.0\.[02]\./,
	/^192\.168\./,
	/^198\.1[89]\./,
	/^198\.51\.100\./,
	/^203\.0\.113\./,
	/^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./,
	/^(?:22[4-9]|2[3-5]\d)\./,
];
/** What the URL parser makes of addresses outside 2000::/3, which alone is public (RFC 4291, section 2.4), and of IPv4 in IPv6. */
const PUBLIC_IPV6 = /^\[[23][0-9a-f]{3}:/;
const NESTED_IPV4 = /^\[(?:::ffff:|64:ff9b:|2002:|2001:0?:)/;
/** Names that no public resolver knows (RFC 6761, RFC 6762, RFC 8375, and docker's). */
const PRIVATE_NAME = /(?:^|\.)(?:localhost|local|internal|lan|home|corp|test|invalid|home\.arpa)$/;

/** Whether a host, as the URL parser writes it, is this machine or in a private network. */
export function isPrivateHost(hostname: string): boolean {
	const host = hostname.replace(/\.$/, "");
	if (host.startsWith("[")) return !PUBLIC_IPV6.test(host) || NESTED_IPV4.test(host);
	if (/^[\d.]+$/.test(host)) return PRIVATE_IPV4.some((network) => network.test(`${host}.`));
	return PRIVATE_NAME.test(host) || !host.includes(".");
}

/** An address as the service compares it, and appends paths to it. */
export function stripTrailingSlash(address: string): string {
	return address.replace(/\/+$/, "");
}

/** What is wrong with the base address of a provider; null when nothing is. */
export function findAddressFault(address: string, { isLocal, hosts }: AddressRules): string | null {
	if (!URL.canParse(address)) return "must be an address such as https://models.example.com/v1";
	const { protocol, username, password, search, hash, hostname, host } = new URL(address);
	if (protocol !== "https:" && protocol !== "http:") return "must be an https address";
	if (username !== "" || password !== "") return "must hold no user name and no password";
	if (search !== "" || hash !== "") return "must hold no query and no fragment";
	if (hosts.has(host) || hosts.has(hostname)) return null;
	if (isPrivateHost(hostname))
		return isLocal ? null : "is of this machine or a private network; UPSTREAM_HOSTS must list its host";
	return protocol === "https:" ? null : "must be https, for UPSTREAM_HOSTS does not list its host";
}
