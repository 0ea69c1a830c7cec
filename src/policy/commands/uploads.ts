// Files that a command sends, by the roles of its words: `upload` and `body` in grammar.
import { type Effect, forbiddenEffect, type Invocation, readEffect, riskyEffect } from "./effects.ts";
import type { Argument } from "./grammar.ts";
import { locatePath, locatingWork } from "./locations.ts";
import { staysOnThisMachine } from "./programs/requests.ts";

/** The file that a word sends. Null where it sends none. */
function findUpload({ role, text }: Argument): string | null {
	if (role === "upload") return text;
	return role === "body" ? (/(?:^|=)[@<]([^;]+)/.exec(text)?.[1] ?? null) : null;
}

/** Whether a word sends the input as a file: `-T -`, `-F file=@-`. A body, `-d @-`, is often a question. */
const isSentInput = ({ role, text }: Argument) =>
	(role === "upload" && text === "-") || (role === "body" && /^[^@]{1,64}@-(?:;|$)/.test(text));

/** Finds what follows from the files that a command sends. */
export function findUploadEffects(command: Invocation, words: readonly Argument[]): readonly Effect[] {
	const { name, options, piped, input, work } = command;
	const files = words.flatMap((word) => findUpload(word) ?? []);
	if (files.length === 0 || !work.charge(locatingWork(files))) return [];
	const isLocal = staysOnThisMachine(options.operands.filter((word) => !files.includes(word)));
	const sendsPipe = piped && input === null && !isLocal && words.some(isSentInput);
	return [
		...(sendsPipe ? [riskyEffect(`${name} sends what it reads to another machine`)] : []),
		...files
			.filter((file) => file !== "-" && file !== ".")
			.flatMap((file) => {
				const location = locatePath(file);
				if (location !== "inside" && location !== "temporary")
					return [forbiddenEffect(`sends ${file}, which is outside the workspace`)];
				return [readEffect(file), ...(isLocal ? [] : [riskyEffect(`sends ${file} to another machine`)])];
			}),
	];
}
