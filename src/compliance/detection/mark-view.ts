// Takes mark-up out of values: emphasis, tags, escapes of Markdown, strings that are put together, characters written one by one.
import { replaceWithin } from "./layout-views.ts";
import { verbose } from "./verbose.ts";
import type { View } from "./view-builder.ts";

/** Tags that stand within a line. Others end a value. */
const INLINE_TAG =
	/^<\/?(?:a|b|i|u|s|q|em|strong|span|wbr|code|font|mark|su[bp]|small|tt|kbd|samp|big|del|ins|abbr|bdo)\b|^<!/i;

const MARKUP = new RegExp(
	verbose`
		</?[a-z][a-z0-9]{0,9}(?:[\x20\t][^<>\n]{0,80})?/?>|<!--[^\n]{0,80}?-->
		|(?<=[\p{L}\p{N}@.+:-]|\p{N}[ ])(?:\*{1,3}|_{2,3}|\u0060{1,3}|~~)(?=[\p{L}\p{N}@.+-]|[ ]\p{N})
		|\\(?=[-@.+_~*#!()[\]\u0060{}|:&=]|\d(?!\d\d))
		|(?<=[\p{L}\p{N}@.+-][ ]?)["'][ ]?[+.&]?[ ]?["'](?=[ ]?[\p{L}\p{N}@.+-])
		|["'][^"'\s]["'](?:,[ ]?["'][^"'\n]["']){5,200}
		|(?<![^\s.,:])[\p{L}\p{N}+](?:[ ][^\s]){6,200}(?!\S)
	`,
	"giu",
);

/** Whether a text has any of the signs, or characters one by one. */
const MAY_HAVE_MARKS = /[<*\\\u0060~"']|__|\S \S \S \S \S/;

function unmark(written: string): string {
	if (/^(?:["'][^"'\s]["'],)/.test(written)) return written.replace(/["'](.)["'],? ?/gsu, "$1");
	if (written.startsWith("<")) return INLINE_TAG.test(written) ? "" : " ";
	return /^[\p{L}\p{N}+] /u.test(written) ? written.replaceAll(" ", "") : "";
}

/** Values without the mark-up in them, with what is around them; null if nothing changes. */
export function toUnmarkedView(view: View): View | null {
	if (!MAY_HAVE_MARKS.test(view.text)) return null;
	const unmarked = replaceWithin(view, MARKUP, ([written]) => unmark(written));
	return unmarked && { ...unmarked, isValuesOnly: true };
}
