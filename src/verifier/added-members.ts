// Names the members of a saved answer that the service's answers of its kind do not have: no proof covers what somebody added.
import { isJsonObject } from "../json.ts";

/**
 * The paths of members that a value has and its parsed form has not, with `[]` for any entry of a list.
 * @param parsed by a schema that leaves out what it does not know.
 */
export function findAddedMembers(value: unknown, parsed: unknown, path = ""): string[] {
	if (Array.isArray(value) && Array.isArray(parsed))
		return value.flatMap((entry, place) => findAddedMembers(entry, parsed[place], `${path}[]`));
	if (!isJsonObject(value) || !isJsonObject(parsed)) return [];
	return Object.entries(value).flatMap(([name, member]) => {
		const here = path === "" ? name : `${path}.${name}`;
		return Object.hasOwn(parsed, name) ? findAddedMembers(member, parsed[name], here) : [here];
	});
}
