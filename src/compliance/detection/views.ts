// Decodes a text: what it says once invisible characters are removed, and escapes, base64 and hexadecimal digits are decoded.

import { HTML_ENTITIES } from "../../text/html-entities.ts";
import { base64CodeAt, decodeBase64Codes, toBase64GroupView } from "./base64-groups.ts";
import { addDecoded } from "./decoded-run.ts";
import { foldCharacter, toFoldedView } from "./folding.ts";
import { MIN_READABLE, toHexView } from "./hex-view.ts";
import { toEvenView, toMailboxView, toRejoinedView, toSpelledView } from "./layout-views.ts";
import { toUnmarkedView } from "./mark-view.ts";
import { patternChars, type View, ViewBuilder } from "./view-builder.ts";

/** Nobody encodes what they mean to send more than three times. */
const MAX_DECODING_LAYERS = 3;

/** The total length of all decoded views, relative to the text. The first layer always fits; deeper ones as far as this goes. */
const MAX_DECODED_RATIO = 4;

/** Characters around an escape that are read with it: the name before a value, context words. */
const ESCAPE_CONTEXT_CHARS = 96;

const ESCAPES =
	/(?:=[0-9A-F]{2}){2,256}|=(?:3D|40|2E|2D|5F)|=20(?![0-9A-Za-z])|=\r?\n|(?:%[0-9a-f]{2}){1,256}|&(?:(?:#\d{1,7}|#x[0-9a-f]{1,6});?|(?:amp|lt|gt|quot|apos|nbsp|commat|period|colon|sol|equals|hyphen|dash|lowbar|num);)|\\u(?:[0-9a-f]{4}|\{[0-9a-f]{1,6}\})|\\[01][0-7]{2}|\\x[2-7][0-9a-f]|\\[nrt]/gi;
const utf8 = new TextDecoder();

/** Bytes as `%41` or `=41`. */
function decodeBytes(written: string): string {
	if (written.length === 3) {
		const code = Number.parseInt(written.slice(1), 16);
		return code < 128 ? String.fromCharCode(code) : "\ufffd";
	}
	const bytes = new Uint8Array(written.length / 3);
	for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(written.slice(3 * i + 1, 3 * i + 3), 16);
	return utf8.decode(bytes);
}

function decodeStringEscape(written: string): string {
	if (written.length === 2) return written.toLowerCase() === "\\t" ? "\t" : "\n";
	if (/\d/.test(written.charAt(1))) return String.fromCharCode(Number.parseInt(written.slice(1), 8));
	const code = Number.parseInt(written.slice(written.charAt(2) === "{" ? 3 : 2), 16);
	return code <= 0x10ffff ? foldCharacter(String.fromCodePoint(code)) : "";
}

function decodeEscape(written: string): string {
	// A soft line break of quoted-printable.
	if (written.startsWith("=") && written.endsWith("\n")) return "";
	if (/^[%=]/.test(written)) return decodeBytes(written);
	if (written.startsWith("\\")) return decodeStringEscape(written);
	if (!written.startsWith("&#")) return HTML_ENTITIES[written.slice(1, -1).toLowerCase()] ?? written;
	const isHex = written.charAt(2).toLowerCase() === "x";
	const code = Number.parseInt(written.slice(isHex ? 3 : 2), isHex ? 16 : 10);
	return code > 0 && code <= 0x10ffff ? foldCharacter(String.fromCodePoint(code)) : "";
}

/** Decodes URL escapes, HTML entities and string escapes, with the text around them; null if there are none. */
function toUnescapedView(view: View): View | null {
	const { text } = view;
	if (!/[%&\\]|=(?:[0-9A-F]{2}|\r?\n)/.test(text)) return null;
	const builder = new ViewBuilder(view);
	let copied = 0;
	for (const { 0: written, index } of text.matchAll(ESCAPES)) {
		if (index - copied > 2 * ESCAPE_CONTEXT_CHARS) {
			if (!builder.isEmpty) builder.copy(copied, copied + ESCAPE_CONTEXT_CHARS);
			builder.replace("\n\n", index - ESCAPE_CONTEXT_CHARS, index - ESCAPE_CONTEXT_CHARS);
			copied = index - ESCAPE_CONTEXT_CHARS;
		}
		builder.copy(copied, index);
		builder.replace(decodeEscape(written), index, index + written.length);
		copied = index + written.length;
	}
	if (builder.isEmpty) return null;
	builder.copy(copied, copied + ESCAPE_CONTEXT_CHARS);
	return builder.build();
}

/** Eleven bytes without padding. */
const MIN_BASE64 = 15;

/** Mail and PEM break base64 at 64 or 76 characters. */
const MIN_BASE64_LINE = 40;

/** Where the run of base64 ends that begins at an offset. It goes on in the next line after a line of whole groups. */
function findBase64End(text: string, start: number): number {
	let line = start;
	let end = start;
	for (;;) {
		while (end < text.length && base64CodeAt(text, end) >= 0) end++;
		const length = end - line;
		const next = text.startsWith("\r\n", end) ? end + 2 : text.charCodeAt(end) === 10 ? end + 1 : -1;
		if (next < 0 || length < MIN_BASE64_LINE || length % 4 !== 0 || base64CodeAt(text, next) < 0) return end;
		line = next;
		end = next;
	}
}

/** Decodes base64, a line for each run, without the text around it; null if there is none. */
function toBase64View(view: View): View | null {
	const { text } = view;
	const builder = new ViewBuilder(view);
	// A run of at least 15 covers every fifteenth place, so that only these are probed.
	for (let probe = MIN_BASE64 - 1; probe < text.length; probe += MIN_BASE64) {
		if (base64CodeAt(text, probe) < 0) continue;
		let start = probe;
		while (start > probe - MIN_BASE64 + 1 && base64CodeAt(text, start - 1) >= 0) start--;
		const end = findBase64End(text, start);
		if (end - start >= MIN_BASE64) {
			const decoded = decodeBase64Codes(text, start, end);
			if (decoded.length >= MIN_READABLE) addDecoded(builder, view, decoded, start, end);
		}
		while (probe + MIN_BASE64 < end) probe += MIN_BASE64;
	}
	return builder.isEmpty ? null : builder.build();
}

/** The views of a text in which the layout of values is evened: each by itself, and numbers once their mark-up is gone. */
function* evenedViews(plain: View, withValues: boolean): ViewSteps {
	const pause = patternChars(plain.text);
	yield toRejoinedView(plain) ?? pause;
	if (!withValues) return;
	const unmarked = toUnmarkedView(plain);
	yield unmarked ?? pause;
	for (const even of [toEvenView, toSpelledView, toMailboxView]) {
		yield pause;
		yield even(plain) ?? pause;
	}
	if (unmarked === null) return;
	yield pause;
	yield toEvenView(unmarked) ?? pause;
}

/** The views that are decoded from one, each with a pause before. */
function* decodedViews(view: View): ViewSteps {
	const pause = patternChars(view.text);
	for (const decode of [toUnescapedView, toBase64View]) {
		yield pause;
		yield decode(view) ?? pause;
	}
	for (const decode of [toBase64GroupView, toHexView]) {
		yield pause;
		yield (yield* decode(view)) ?? pause;
	}
}

/** Views, and pauses between them: the characters read since the last one. */
type ViewSteps = Generator<View | number, void>;

/**
 * All views of a text: the folded text first, layer by layer what is decoded from it, then values whose layout is evened. It ends when the views have
 * four times the length of the text, so that the work stays linear whatever is nested.
 * @param withValues false leaves out the views that are of values only, which come last.
 */
export function* decodeViewsInSteps(text: string, withValues = true): ViewSteps {
	const plain = toFoldedView(text);
	yield plain;
	let left = MAX_DECODED_RATIO * text.length;
	/** Whether there is room for the next view. */
	const take = (view: View) => {
		left -= view.text.length;
		return left > 0;
	};
	let layer = [plain];
	for (let depth = 0; depth < MAX_DECODING_LAYERS && layer.length > 0; depth++) {
		const next: View[] = [];
		for (const view of layer) {
			for (const step of decodedViews(view)) {
				yield step;
				if (typeof step === "number") continue;
				next.push(step);
				if (!take(step)) return;
			}
		}
		layer = next;
	}
	for (const step of evenedViews(plain, withValues)) {
		yield step;
		if (typeof step !== "number" && !take(step)) return;
	}
}

/** All views of a text, decoded without a pause. */
export function* decodeViews(text: string): Generator<View> {
	for (const step of decodeViewsInSteps(text)) if (typeof step !== "number") yield step;
}
