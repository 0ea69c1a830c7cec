// The time zone of pages: the browser's, until the address names one; from then on links of the navigation carry it on.

const MEMBER = "time_zone";

function browserZone(): string {
	return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Takes the browser's zone into an address that names none. @returns whether the page is loaded anew. */
function takeZone(): boolean {
	const address = new URL(location.href);
	const zone = browserZone();
	if (!document.querySelector("[data-zone]") || address.searchParams.has(MEMBER)) return false;
	// The service's own without a zone.
	if (!zone || zone === "UTC" || zone === "Etc/UTC") return false;
	address.searchParams.set(MEMBER, zone);
	location.replace(address);
	return true;
}

/** Lets the links of the navigation name the zone, so that the next page is loaded once. */
function carryZone(zone: string): void {
	for (const link of document.querySelectorAll<HTMLAnchorElement>("header a[data-takes-zone]")) {
		const to = new URL(link.href);
		to.searchParams.set(MEMBER, zone);
		link.href = to.href;
	}
}

/** Shows times in the zone of the address, else in the browser's. */
export function chooseZone(): void {
	if (takeZone()) return;
	const zone = new URL(location.href).searchParams.get(MEMBER) ?? browserZone();
	if (zone && zone !== "UTC" && zone !== "Etc/UTC") carryZone(zone);
}
