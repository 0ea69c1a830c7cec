// The form that makes or changes a key, and the request that it stands for. What is wrong with a value, the API says. Pure.
import { readNumber } from "./form-values.ts";

/** Fields that an empty text clears. */
const TEXTS = ["name", "alert_webhook"] as const;
const NUMBERS = ["rpm", "daily_requests", "budget_usd", "default_max_tokens"] as const;
const LISTS = ["models", "tags"] as const;

/** The options of a key as the API takes them: what the form leaves empty is null. */
export type KeyBody = Record<string, unknown>;

function words(text: string): string[] {
	return text.split(/[\s,]+/).filter((word) => word !== "");
}

/** The value of JSON; text that is none is left to the API, which says so. */
function toJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

/** A time in UTC as `datetime-local` writes it (`2026-12-31T23:59`), as an ISO time. */
function toIsoTime(text: string): string {
	return /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/.test(text) ? `${text.padEnd(19, ":00").slice(0, 19)}Z` : text;
}

/** The value that a field shows for an ISO time. */
export function toLocalTime(iso: string | null): string {
	return iso === null ? "" : iso.slice(0, 16);
}

/** What a key reads, as the form names it; anything else stands for its role's default. */
const READS_OWN_ONLY: Readonly<Record<string, boolean>> = { own: true, all: false };

/** The body of a request that makes or changes a key. */
export function toKeyBody(form: URLSearchParams): KeyBody {
	const text = (name: string) => (form.get(name) ?? "").trim();
	const body: KeyBody = {};
	for (const name of TEXTS) body[name] = text(name) || null;
	for (const name of NUMBERS) body[name] = readNumber(form, name);
	for (const name of LISTS) body[name] = words(text(name)).length > 0 ? words(text(name)) : null;
	body["expires_at"] = text("expires_at") === "" ? null : toIsoTime(text("expires_at"));
	body["budget_period"] = text("budget_usd") === "" ? null : text("budget_period") || null;
	if (text("role") !== "") body["role"] = text("role");
	if (form.has("own_only")) body["own_only"] = READS_OWN_ONLY[text("own_only")] ?? null;
	if (form.has("log_texts")) body["log_texts"] = text("log_texts") === "yes";
	body["brain_config"] = text("brain_config") === "" ? null : toJson(text("brain_config"));
	return body;
}

/** A field's text without what browsers make of it: they send CR LF for each line's end. */
function normalizeText(text: string | null | undefined): string {
	return (text ?? "").replaceAll("\r\n", "\n").trim();
}

/**
 * What of a key the form changes: a field that shows what it showed is left out, so that it overwrites nothing.
 * @param shown the values that the form was filled with.
 */
export function toChangedKeyBody(form: URLSearchParams, shown: Readonly<Record<string, string>>): KeyBody {
	const isChanged = (name: string) => form.has(name) && normalizeText(form.get(name)) !== normalizeText(shown[name]);
	const changed = Object.entries(toKeyBody(form)).filter(([name]) => isChanged(name));
	const body = Object.fromEntries(changed);
	// A budget and its period are one option.
	if ("budget_usd" in body || "budget_period" in body) {
		const { budget_usd, budget_period } = toKeyBody(form);
		if (budget_usd !== null || "budget_usd" in body) return { ...body, budget_usd, budget_period };
		delete body["budget_period"];
	}
	return body;
}
