// Why a factor fired, as a person reads it: which command did, what it does, and what would pass instead. When a factor
// fires is left to the rules.
import { shortenForReason } from "./placeholders.ts";

/** The simple command that a finding concerns. */
export interface CommandPlace {
	/** The command of the check that it is part of, counted from 1. */
	readonly command: number;
	/** Its words as they were expanded. */
	readonly words: readonly string[];
}

/** Why a factor fired. */
export interface FactorReason {
	readonly because: string;
	/** A short text of what would pass. */
	readonly instead?: string | undefined;
	/** Absent where no command is to blame. */
	readonly place?: CommandPlace | undefined;
}

/** Characters of words that are joined for a reason, which shows fewer. */
const MAX_JOINED_CHARS = 400;

/** The words of a command, cut to one short line. */
export function shortenWords(words: readonly string[]): string {
	let line = "";
	for (const word of words) {
		if (line.length > MAX_JOINED_CHARS) break;
		line += `${line === "" ? "" : " "}${word.slice(0, MAX_JOINED_CHARS)}`;
	}
	return shortenForReason(line);
}

/**
 * Renders a reason: "command 2, `git push -f`: overwrites what others have; instead: git push --force-with-lease".
 * @param isOne The check has one command, so its number says nothing.
 */
export function renderReason({ because, instead, place }: FactorReason, isOne: boolean): string {
	const text = place && shortenWords(place.words).replaceAll("`", "'");
	const quoted = text ? `\`${text}\`` : "";
	const at = place ? [isOne ? "" : `command ${place.command}`, quoted].filter((part) => part !== "").join(", ") : "";
	const better = instead === undefined ? "" : `; instead: ${instead}`;
	return `${at === "" ? "" : `${at}: `}${because}${better}`;
}
