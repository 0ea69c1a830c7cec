// Where a model has left something out: a comment or a line that stands for code which is not there, in many wordings; and
// bodies that are nothing but a promise. Pure.

/** A line that leaves something out, from 1. */
interface Elision {
	line: number;
	text: string;
}

/** The mark at the beginning of a comment line, and the one that may end it; documentation blocks describe, they leave nothing out. */
const COMMENT =
	/^(?:\/\/+!?|\/\*(?!\*)|\{\/\*|#+!?|--+\[*|<!--|;+|%+|"""|'''|\(\*|rem\b|')\s*(.*?)\s*(?:\*\/\}?|-->|\*\)|"""|'''|\]\])?$/i;

const THING =
	"(?:code|file|files|function|functions|method|methods|class|classes|implementation|logic|script|component|module|program|imports?|handlers?|routes?|tests?|cases?|styles?|rules?|fields?|properties|content|contents|body|page|markup|queries|columns|definitions?|source|it|lines|section|sections|configuration|config|markup|html|template|setup|helpers?|constructor)";
const KEPT =
	"(?:same|unchanged|unmodified|untouched|as before|as above|as is|as-is|identical|not changed|no changes|stays? the same|remains? the same|remains? unchanged|like before)";
const LEFT_OUT = "(?:omitted|elided|truncated|skipped|removed|shortened|abbreviated|left out|not shown|hidden|snipped)";

/** What a comment says that stands for code. `npm run eval:code-checks` counts their false alarms. */
const ELISION_PHRASES: readonly RegExp[] = [
	new RegExp(
		`^[.…(\\[\\s-]*(?:the |your |all )*(?:rest|remainder|remaining(?: part)?) (?:of )?(?:the |your |this |my |our |existing |original |previous )*(?:\\w+ )?${THING}(?:$|[.…)\\]:;,-]| ?\\.{3}| (?:here|goes|below|above|follows|continues|remains?|stays?|unchanged|omitted|as)\\b| (?:is|are) (?:here|the|${KEPT}|${LEFT_OUT}))`,
	),
	new RegExp(
		`^[.…(\\[\\s-]*(?:the |your |all )*(?:remaining|existing|previous|original|other|earlier) (?:\\w+ )?${THING}(?:$|[.…)\\]]| ?\\.{3}| (?:goes|go|comes|here|${KEPT}|(?:is|are|stays?|remains?) (?:here|${KEPT}|${LEFT_OUT})))`,
	),
	new RegExp(
		`^(?:\\.{3}|…)(?:\\s*(?:\\(?)(?:the |your |all |more |other |existing |previous |original |keep |rest\\b|remaining|same\\b|similar|etc)|\\s+${THING}\\b)`,
	),
	new RegExp(
		`^(?:keep|insert|add|put|paste|place|copy|include|leave) (?:the |your |all |any )*(?:existing|previous|original|rest|remaining|other|actual|real|own)\\b.*\\b(?:${THING}|here|${KEPT})[.…)\\]]*$`,
	),
	new RegExp(
		`\\b(?:code|implementation|logic|contents?|lines|columns|details|parts?|methods?|functions?|boilerplate|rest) (?:\\w+ ){0,2}${LEFT_OUT}(?: here| for \\w+)?[.)\\]…]*$`,
	),
	new RegExp(`\\b${LEFT_OUT} for (?:brevity|clarity|simplicity|space|readability|conciseness)`),
	/^[.…([\s-]*unchanged code\b/,
	/^your (?:\w+ )?(?:code|logic|implementation) (?:here|below)/,
	/^(?:(?:your|the|actual|real|main|more|additional|custom|business) (?:\w+ )?)?(?:code|logic|implementation|content|body) (?:goes|comes|should go|would go|will go|belongs) (?:here|below)/,
	/^(?:implement|write|put|place|fill in|complete) (?:the |your |this |actual |own )*(?:code|logic|implementation|function|method|rest|body|me|it|this)? ?(?:here|yourself|later)\b/,
	/^(?:and so on|and so forth|repeat (?:this |the same )?(?:for|similarly)|continue (?:in the same|similarly|with the rest|here|as before))\b.{0,60}$|^etc\.?$/,
	/^(?:\.{3}|…)$/,
	/^(?:\.{3,}|…)\s*[^.…\s].{0,60}(?:\.{3}|…)$/,
];

/** A line that is not even a comment: `... existing code ...`, `[rest of the file unchanged]`, `<!-- … -->` aside. */
const BARE =
	/^(?:(?:\.{3}|…)\s*[^.…,].{0,80}?(?:\.{3}|…)|[[(<{](?:(?:\.{3}|…)\s+)?(?:rest of|remaining|existing code|previous code|your code|code omitted|unchanged|same as).{0,80}[\])>}])$/i;

/** Where the service itself cut a long file for a prompt (inference/slots.ts), copied into an answer. */
const OWN_GAP = /^\[…\]$/;

/** Within a line of code: a body that is an ellipsis. As a value, `{...}` is a table of Lua or a set of Python. */
const INLINE = /\{\s*\/\*\s*(?:\.{3}|…)\s*\*\/\s*\}|(?<!(?:[=(,]|\breturn)\s{0,9})\{\s*(?:\.{3}|…)\s*\}\s*$/;

/** What promises code in the place of it. */
const PROMISE =
	/^(?:todo|fixme|xxx)\b(?:\([^)]*\))?[\s:-]*(?:(?:implement|add|write|fill|complete|finish|put|code|insert|provide|define|replace|handle)\b.*)?$/;
/** Statements that do nothing, which leave a body with a promise as empty as it was. */
const DOES_NOTHING =
	/^(?:pass|\.{3}|return(?: (?:null|none|nil|undefined|0|false|""|'')|)|raise notimplementederror.*|throw new (?:error|notimplementedexception|unsupportedoperationexception|java\.lang\.unsupportedoperationexception)\(.*|todo!?\(.*\)|unimplemented!\(.*\)|panic!?\(.*\)|fatalerror\(.*\)|notimplemented\(.*\))\s*;?$/;

function commentText(line: string): string | null {
	const match = line.match(COMMENT);
	return match ? (match[1] ?? "").toLowerCase() : null;
}

function leavesOut(line: string): boolean {
	if (BARE.test(line) || OWN_GAP.test(line)) return true;
	const comment = commentText(line);
	if (comment === null) return !line.startsWith("*") && INLINE.test(line);
	return comment.length <= 200 && ELISION_PHRASES.some((phrase) => phrase.test(comment));
}

function opensBody(line: string | undefined): boolean {
	return line !== undefined && /(?:[{:]|\bdo|\bthen|=>|=)\s*$|^(?:def|function|fn|func)\b.*\)\s*$/.test(line);
}

function closesBody(line: string | undefined): boolean {
	return line === undefined || /^(?:\}|end\b|\)|fi\b|done\b)/.test(line);
}

/** Whether a promise is all that a body has. */
function isWholeBody(lines: readonly { text: string; indent: number }[], place: number): boolean {
	const own = lines[place];
	const before = lines[place - 1];
	if (!own || !opensBody(before?.text)) return false;
	let next = place + 1;
	while (lines[next] && commentText(lines[next]?.text ?? "") !== null) next++;
	if (lines[next] && DOES_NOTHING.test(lines[next]?.text.toLowerCase() ?? "")) next++;
	const following = lines[next];
	// By its braces, or by its indentation where it has none.
	return closesBody(following?.text) || (following?.indent ?? 0) < own.indent;
}

const MAX_FOUND = 10;

/**
 * The lines of a program that leave something out, at most ten. Only comments and lines of their own count: a string that
 * says so is what the program says.
 */
export function elisionsIn(content: string): Elision[] {
	const lines = content.split("\n").flatMap((raw, index) => {
		const text = raw.trim();
		return text === "" ? [] : [{ text, indent: raw.length - raw.trimStart().length, number: index + 1 }];
	});
	const found: Elision[] = [];
	for (const [place, { text, number }] of lines.entries()) {
		if (text.length > 400) continue;
		const comment = commentText(text);
		const isPromise = comment !== null && PROMISE.test(comment) && isWholeBody(lines, place);
		if (!isPromise && !leavesOut(text)) continue;
		found.push({ line: number, text: text.slice(0, 80) });
		if (found.length === MAX_FOUND) break;
	}
	return found;
}
