// What a text for PowerShell or cmd does. Its statements are commands of windows.ts and of the shell.
import { type Effect, forbiddenEffect, guessedScriptEffect } from "../effects.ts";
import { decodeHiddenScripts, joinStrings } from "./code-search.ts";

/** Finds what a text for PowerShell or cmd does. Its statements are read as commands, with the aliases of both. */
export function findPowershellEffects(text: string): readonly Effect[] {
	const effects: Effect[] = [];
	if (
		/\b(?:iex|invoke-expression)\b/i.test(text) &&
		/\b(?:iwr|invoke-webrequest|downloadstring|curl|wget|irm|invoke-restmethod)\b/i.test(text)
	)
		effects.push(forbiddenEffect("runs what it downloads"));
	if (/\b(?:stop-computer|restart-computer|clear-recyclebin|remove-partition|disable-windowsdefender)\b/i.test(text))
		effects.push(forbiddenEffect("stops the machine or removes what it relies on"));
	if (/\bProcess\]?::Start\b|\bStart-Process\b/i.test(text))
		for (const line of joinStrings(text)) effects.push(guessedScriptEffect(line));
	if (/FromBase64String/i.test(text) && /\b(?:iex|invoke-expression|scriptblock)\b|&\s?[(]/i.test(text))
		for (const effect of decodeHiddenScripts(text)) effects.push(effect);
	return [...effects, guessedScriptEffect(text.replaceAll("\\", "/"))];
}
