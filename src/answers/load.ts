// Loads the check of forms on first use: start-up, and answers in text, do not pay for it.

/** The check of JSON by a schema (form-check.ts). */
export function loadFormCheck() {
	return import("./form-check.ts");
}
