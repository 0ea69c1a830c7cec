// How a request reached the service: scheme, host and client address. Headers are believed by where the service runs, which its
// operator states and no request can. Pure.

/** Where the service runs. Its operator says so; no request can. */
export interface Deployment {
	/** On Cloudflare every host that reaches the Worker is routed to it, and `cf-connecting-ip` is the platform's. */
	platform: "cloudflare" | "local";
	/** A proxy in front ends TLS, and its forwarded headers are believed. Off Cloudflare only. */
	trustsProxy: boolean;
	/** Host names, without ports, that are answered off Cloudflare besides loopback. Lower case. */
	allowedHosts: ReadonlySet<string>;
}

const LOOPBACK = /^(?:(?:[^.]+\.)*localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Names of this machine (RFC 6761, section 6.3; RFC 1122, section 3.2.1.3). */
export function isLoopback({ hostname }: URL): boolean {
	return LOOPBACK.test(hostname);
}

function believesProxy({ platform, trustsProxy }: Deployment): boolean {
	return platform === "local" && trustsProxy;
}

export function isSecure(url: URL, headers: Headers, deployment: Deployment): boolean {
	if (url.protocol === "https:") return true;
	if (!believesProxy(deployment)) return false;
	const [closestToClient = ""] = (headers.get("x-forwarded-proto") ?? "").split(",");
	return closestToClient.trim().toLowerCase() === "https";
}

/** The service's origin as the client sees it. */
export function clientOrigin(address: string, headers: Headers, deployment: Deployment): string {
	const url = new URL(address);
	return isSecure(url, headers, deployment) ? `https://${url.host}` : url.origin;
}

/** The 16-bit groups of an IPv6 address as `URL` writes it: the longest run of zeros as `::`, without an IPv4 tail. */
function ipv6Groups(hostname: string): string[] {
	const [head = "", tail] = hostname.slice(1, -1).split("::");
	const groups = (part: string) => (part === "" ? [] : part.split(":"));
	if (tail === undefined) return groups(head);
	const zeros = new Array<string>(8 - groups(head).length - groups(tail).length).fill("0");
	return [...groups(head), ...zeros, ...groups(tail)];
}

/** Whether groups are those of an IPv4 address written as IPv6 (RFC 4291, section 2.5.5.2). */
function isMappedIpv4(groups: readonly string[]): boolean {
	return groups.slice(0, 6).join(":") === "0:0:0:0:0:ffff";
}

/**
 * Whom an address belongs to, for limits: IPv6 is given out by networks of 64 bits, so that one sender has more addresses than any
 * limit has room for. IPv4 in the form of IPv6 is IPv4; what is no address stays as it is.
 */
export function addressOwner(address: string): string {
	const url = `http://[${address.replace(/%.*$/, "")}]`;
	if (!address.includes(":") || !URL.canParse(url)) return address;
	const groups = ipv6Groups(new URL(url).hostname);
	if (!isMappedIpv4(groups)) return `${groups.slice(0, 4).join(":")}::/64`;
	const bytes = groups.slice(6).flatMap((group) => {
		const bits = Number.parseInt(group, 16);
		return [bits >> 8, bits & 0xff];
	});
	return bytes.join(".");
}

/**
 * The client's IP address; `unknown` where nobody trustworthy names it. A proxy appends the address that it sees, so the last
 * entry of `x-forwarded-for` is the trusted one.
 */
export function clientAddress(headers: Headers, deployment: Deployment): string {
	if (deployment.platform === "cloudflare") return headers.get("cf-connecting-ip") ?? "unknown";
	const forwarded = believesProxy(deployment) ? headers.get("x-forwarded-for") : null;
	return forwarded?.split(",").at(-1)?.trim() || "unknown";
}

/** The name in a Host header, as `URL` writes it; null for one that is no host and port. */
function nameInHostHeader(host: string): string | null {
	return /^[^\s/?#@\\]+$/.test(host) && URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : null;
}

/** Whether a Host header is a host and, maybe, a port, as HTTP demands (RFC 9112, section 3.2). */
export function isHost(host: string): boolean {
	return nameInHostHeader(host) !== null;
}

/**
 * Off Cloudflare, other names may be a stranger's: a page elsewhere can give any name this machine's address (DNS rebinding).
 * Miniflare's entry Worker, behind which `wrangler dev` runs the service, takes the address of a request from its header
 * `MF-Original-URL`, from whoever sends it, and leaves `Host` as it came. So the two must name the same host.
 */
export function isServedHost(url: URL, headers: Headers, { platform, allowedHosts }: Deployment): boolean {
	if (platform === "cloudflare") return true;
	const host = headers.get("host");
	if (host !== null && nameInHostHeader(host) !== url.hostname) return false;
	return isLoopback(url) || allowedHosts.has(url.hostname.toLowerCase());
}
