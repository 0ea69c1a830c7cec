// Escapes text for XML and HTML. Pure.

const MARKUP_ENTITIES: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
	"'": "&#39;",
};

/** Controls other than tab and newline, and noncharacters: XML 1.0 forbids most of them (section 2.2), and none is visible. */
const UNPRINTABLE = /[^\t\n\r\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** A text as the content of an element or of a quoted attribute. */
export function escapeMarkup(text: string): string {
	return text
		.toWellFormed()
		.replace(UNPRINTABLE, "\ufffd")
		.replace(/[&<>"']/g, (character) => MARKUP_ENTITIES[character] ?? character);
}
