// Which form of an answer a client prefers (RFC 9110, section 12.5.1). Pure.

/** How much a client likes a media type, 0 to 1: what it says of the type itself goes before what it says of a range. */
function likingFor(accept: string, type: string): number {
	const [main] = type.split("/");
	const likings = new Map<string, number>();
	for (const part of accept.split(",")) {
		const [range = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
		const weight = parameters.find((parameter) => parameter.startsWith("q="));
		const liking = weight === undefined ? 1 : Number(weight.slice(2));
		if (range !== "") likings.set(range, Number.isNaN(liking) ? 0 : liking);
	}
	return likings.get(type) ?? likings.get(`${main}/*`) ?? likings.get("*/*") ?? 0;
}

/** Whether who sends this Accept header would rather have a page than JSON. Who says nothing, or likes both as well, would not. */
export function prefersHtml(accept: string): boolean {
	return likingFor(accept, "text/html") > likingFor(accept, "application/json");
}
