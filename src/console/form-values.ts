// Values of form fields. Pure.

/** A number as written, null for an empty field; what is no number is left as it is, for the API to say so. */
export function readNumber(form: URLSearchParams, name: string): number | string | null {
	const text = (form.get(name) ?? "").trim();
	if (text === "") return null;
	const value = Number(text);
	return Number.isFinite(value) ? value : text;
}
