// Text inside XML and HTML. Pure.

const MARKUP_ENTITIES: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
	"'": "&#39;",
};

/** What neither XML 1.0 (section 2.2) nor anybody's eyes take: controls other than tab and newline, noncharacters. */
const UNPRINTABLE = /[^\t\n\r\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** A stranger's text as the content of an element or of a quoted attribute. */
export function escapeMarkup(text: string): string {
	return text
		.toWellFormed()
		.replace(UNPRINTABLE, "\ufffd")
		.replace(/[&<>"']/g, (character) => MARKUP_ENTITIES[character] ?? character);
}
