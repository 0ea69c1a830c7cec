// Cloudflare's published prices on the Workers Paid plan, in USD, read from stored copies of its documentation.

export interface Price {
	label: string;
	usdPerMillion: number;
	/** Included in the plan each month. */
	includedPerMonth: number;
	/** The page that states it. */
	source: string;
	/** Which copy was read, and when. */
	read: string;
}

const WORKERS = {
	source: "https://developers.cloudflare.com/workers/platform/pricing/",
	read: "2026-11-21, cloudflare/cloudflare-docs@07acbb6 src/content/docs/workers/platform/pricing.mdx",
};
const OBJECTS = {
	source: "https://developers.cloudflare.com/durable-objects/platform/pricing/",
	read: "2026-11-21, cloudflare/cloudflare-docs@07e200b src/content/partials/durable-objects/durable-objects-pricing.mdx",
};
const D1 = {
	source: "https://developers.cloudflare.com/d1/platform/pricing/",
	read: "2026-11-21, cloudflare/cloudflare-docs@25a83ce src/content/partials/workers/d1-pricing.mdx",
};
const KV = {
	source: "https://developers.cloudflare.com/kv/platform/pricing/",
	read: "2026-11-21, cloudflare/cloudflare-docs@16f657e src/content/partials/workers/kv_pricing.mdx",
};
const LOGS = {
	source: "https://developers.cloudflare.com/workers/platform/pricing/#workers-logs",
	read: "2026-11-21, cloudflare/cloudflare-docs@0ec9be2 src/content/partials/workers/workers_logs_pricing.mdx (announces another price from 2026-12-01)",
};

/** Monthly charge of the plan, with the included amounts. */
export const PLAN_USD_PER_MONTH = 5;

/** Memory that an object's time is billed for, whatever it uses (128 MB). */
export const OBJECT_GB = 0.128;

/** By counted operation. */
export const PRICES = {
	workerRequests: { label: "Worker requests", usdPerMillion: 0.3, includedPerMonth: 10_000_000, ...WORKERS },
	workerCpuMs: { label: "Worker CPU ms", usdPerMillion: 0.02, includedPerMonth: 30_000_000, ...WORKERS },
	objectRequests: { label: "object requests", usdPerMillion: 0.15, includedPerMonth: 1_000_000, ...OBJECTS },
	objectGbSeconds: { label: "object GB-seconds", usdPerMillion: 12.5, includedPerMonth: 400_000, ...OBJECTS },
	objectRowsRead: { label: "object rows read", usdPerMillion: 0.001, includedPerMonth: 25_000_000_000, ...OBJECTS },
	objectRowsWritten: { label: "object rows written", usdPerMillion: 1, includedPerMonth: 50_000_000, ...OBJECTS },
	databaseRowsRead: { label: "D1 rows read", usdPerMillion: 0.001, includedPerMonth: 25_000_000_000, ...D1 },
	databaseRowsWritten: { label: "D1 rows written", usdPerMillion: 1, includedPerMonth: 50_000_000, ...D1 },
	keyValueReads: { label: "KV reads", usdPerMillion: 0.5, includedPerMonth: 10_000_000, ...KV },
	keyValueWrites: { label: "KV writes", usdPerMillion: 5, includedPerMonth: 1_000_000, ...KV },
	logEvents: { label: "Workers Logs events", usdPerMillion: 0.6, includedPerMonth: 20_000_000, ...LOGS },
} as const satisfies Record<string, Price>;

export type PricedOperation = keyof typeof PRICES;

export const PRICED_OPERATIONS = Object.keys(PRICES) as PricedOperation[];

/** Price of a gigabyte kept in D1 for a month. */
export const DATABASE_STORAGE = { usdPerGbMonth: 0.75, includedGb: 5, ...D1 } as const;
