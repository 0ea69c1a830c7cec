// What it means that a command writes, shows or removes a path: which factors that raises, and why.

import type { FactorId } from "../factors.ts";
import type { ProtectedPaths, Reach } from "../paths.ts";
import { LISTED, UNKNOWN } from "../placeholders.ts";
import { shorten } from "../shorten.ts";
import type { Effect } from "./effects.ts";
import { isPersistent, isSecret, placeOf, resolveIn } from "./places.ts";

/** An effect on a path. */
export type TouchingEffect = Extract<Effect, { kind: "write" | "read" | "remove" }>;

interface Finding {
	readonly factor: FactorId;
	readonly because: string;
}

const forbidden = (because: string): Finding => ({ factor: "forbidden_command", because });

const isGlob = (path: string) => /[*?[]/.test(path);

function judgeWrite(path: string, reach: Reach, folder: string, paths: ProtectedPaths): readonly Finding[] {
	if (path === "" || path === UNKNOWN || path.includes(LISTED)) return [];
	const place = placeOf(path, folder);
	// A wildcard in a temporary folder means what lies there, not what a pattern could mean.
	if (isGlob(path) && place === "temporary") return [];
	const full = resolveIn(folder, path);
	const pattern = paths.find(full, reach);
	return [
		...(pattern === undefined
			? []
			: [{ factor: "protected_path" as const, because: `${shorten(full)} is protected by ${shorten(pattern)}` }]),
		...(isPersistent(full) ? [forbidden(`writes ${shorten(full)}, which runs later unasked`)] : []),
		...(place === "system" ? [judgeSystem(full)] : []),
	];
}

/** Folders that nothing but an installer writes to, against those that merely lie outside the workspace. */
const VITAL =
	/^(?:\/(?:etc|bin|sbin|boot|lib\d*|sys|proc|system)(?:\/|$)|\/usr(?:\/(?!local\/|src\/)|$))|^[a-z]:[/\\]?windows/i;

function judgeSystem(path: string): Finding {
	if (VITAL.test(path)) return forbidden(`writes to the system: ${shorten(path)}`);
	return { factor: "risky_command", because: `writes outside the workspace: ${shorten(path)}` };
}

function judgeRead(path: string, folder: string): readonly Finding[] {
	const full = resolveIn(folder, path);
	if (isSecret(full)) return [forbidden(`shows or sends the credential ${shorten(full)}`)];
	const hidden = /^\.[^/]*[*?[]/.test(path.split("/").pop() ?? "");
	return hidden ? [{ factor: "risky_command", because: `may show a credential: ${shorten(full)}` }] : [];
}

function judgeRemoval(path: string, recursive: boolean, folder: string, paths: ProtectedPaths): readonly Finding[] {
	if (path === "") return [];
	const place = placeOf(path, folder);
	const because = `removes ${shorten(resolveIn(folder, path))}`;
	const written = judgeWrite(path, recursive ? "below" : "itself", folder, paths);
	if (place === "temporary") return written;
	const many = path.includes(LISTED);
	const deletion: Finding = { factor: "delete_action", because };
	const beyond = place === "everything" || place === "system" || (recursive && (place === "outside" || many));
	if (beyond) return [...written, recursive || place === "system" || !isGlob(path) ? forbidden(because) : deletion];
	return recursive || many || place === "outside" || isGlob(path) ? [...written, deletion] : written;
}

/** What an effect on a path raises, seen from one folder. Removing a folder removes what is protected in it. */
export function judgePath(effect: TouchingEffect, folder: string, paths: ProtectedPaths): readonly Finding[] {
	if (effect.kind === "write") return judgeWrite(effect.path, effect.reach, folder, paths);
	if (effect.kind === "read") return judgeRead(effect.path, folder);
	return judgeRemoval(effect.path, effect.recursive, folder, paths);
}
