// Amounts, numbers and times as the console writes them. Pure.

export const MS_PER_DAY = 86_400_000;

const NANO_PER_USD = 1e9;

/** An amount in whole nano-dollars, which the API's numbers always are. */
function toNanoUsd(usd: number): number {
	return Math.round(usd * NANO_PER_USD);
}

/** The exact amount, with up to nine decimals and at least two: `$0.000123`. */
export function formatExactUsd(usd: number): string {
	const nano = Math.abs(toNanoUsd(usd));
	const whole = Math.floor(nano / NANO_PER_USD);
	const decimals = String(nano % NANO_PER_USD)
		.padStart(9, "0")
		.replace(/0{1,7}$/, "");
	return `${usd < 0 ? "−" : ""}$${formatCount(whole)}.${decimals}`;
}

/** An amount to read: two decimals from a dollar on, else three significant digits. The exact one belongs beside it. */
export function formatUsd(usd: number): string {
	const size = Math.abs(usd);
	if (size === 0 || size >= 1) return formatExactUsd(Math.round(usd * 100) / 100);
	return formatExactUsd(Number(usd.toPrecision(3)));
}

/** A whole number with thousands separated: `1,234,567`. */
export function formatCount(count: number): string {
	return String(Math.round(count)).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** A number to read at a glance, with at most three digits: `840`, `128k`, `1.05M`. */
export function formatCompact(count: number): string {
	if (count < 1_000) return String(count);
	const [divisor, unit] = count < 999_500 ? [1_000, "k"] : [1_000_000, "M"];
	return `${Number((count / divisor).toPrecision(3))}${unit}`;
}

const BYTE_UNITS = ["B", "kB", "MB", "GB", "TB"];

/** A number of bytes with at most three significant digits: `840 B`, `12.3 MB`. */
export function formatBytes(bytes: number): string {
	let [amount, unit] = [bytes, 0];
	// From 999.5 on, three digits would round up to the next unit.
	while (amount >= 999.5 && unit < BYTE_UNITS.length - 1) {
		amount /= 1_000;
		unit++;
	}
	return `${Number(amount.toPrecision(3))} ${BYTE_UNITS[unit]}`;
}

/** A share of one as per cent with at most one decimal: `12.5 %`. */
export function formatShare(share: number): string {
	return `${Math.round(share * 1_000) / 10} %`;
}

/** A duration: `840 ms`, `12.3 s`, `4 min 5 s`. */
export function formatDuration(ms: number): string {
	if (ms < 1_000) return `${Math.round(ms)} ms`;
	if (ms < 60_000) return `${Math.round(ms / 100) / 10} s`;
	const seconds = Math.round(ms / 1_000);
	return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** An ISO time to the second, in UTC: `2026-07-22 10:15:30`. */
export function formatTime(iso: string): string {
	return iso.slice(0, 19).replace("T", " ");
}
