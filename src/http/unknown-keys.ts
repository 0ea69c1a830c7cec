// Suggests the member that an unknown one of a request stands for. Which members an object may have is read from its zod schema. Pure.
import type * as z from "zod";
import { isJsonObject } from "../json.ts";
import { allowedSlips, areWithinSlips, foldName, quoteInput } from "../suggest.ts";

type AnySchema = z.core.$ZodType;
type AnyDef = z.core.$ZodTypes["_zod"]["def"];

/** Longer names get no suggestion. */
const MAX_NAME_CHARS = 64;
/** A shorter name is as near to many others as to the one that was meant. */
const MIN_NAME_CHARS = 4;

/** The branches of a union that a value may be meant for: of a union with a discriminator, those that take its. */
function branchesFor(def: z.core.$ZodUnionDef, value: unknown): readonly AnySchema[] {
	if (!("discriminator" in def) || !isJsonObject(value)) return def.options;
	const name = String(def.discriminator);
	const isMeant = (option: AnySchema) => option._zod.propValues?.[name]?.has(value[name] as z.core.util.Primitive);
	return def.options.filter(isMeant);
}

/** The schemas that stand behind one that only wraps others; null for one that wraps none. */
function unwrapped(def: AnyDef, value: unknown): readonly AnySchema[] | null {
	switch (def.type) {
		case "lazy":
			return [def.getter()];
		case "optional":
		case "nullable":
		case "default":
		case "prefault":
		case "nonoptional":
		case "readonly":
		case "catch":
			return [def.innerType];
		case "pipe":
			return [def.in._zod.def.type === "transform" ? def.out : def.in];
		case "union":
			return branchesFor(def, value);
		case "intersection":
			return [def.left, def.right];
		default:
			return null;
	}
}

/** The schema of a container's member or entry; null where it has none. */
function memberOf(def: AnyDef, step: PropertyKey): AnySchema | null {
	switch (def.type) {
		case "object":
			return def.shape[String(step)] ?? null;
		case "array":
			return def.element;
		case "record":
			return def.valueType;
		default:
			return null;
	}
}

/** The members of the objects that a schema allows at a path, by object. */
function shapesAt(schema: AnySchema, path: readonly PropertyKey[], value: unknown): string[][] {
	const { def } = schema._zod as z.core.$ZodTypes["_zod"];
	const inner = unwrapped(def, value);
	if (inner) return inner.flatMap((each) => shapesAt(each, path, value));
	const [step, ...rest] = path;
	if (step === undefined) return def.type === "object" ? [Object.keys(def.shape)] : [];
	const member = memberOf(def, step);
	return member ? shapesAt(member, rest, Object(value)[step]) : [];
}

/** The member whose name an unknown one is a slip away from; null where there is none. */
function findIntended(key: string, names: readonly string[]): string | null {
	if (key.length > MAX_NAME_CHARS) return null;
	const folded = foldName(key);
	const alike = names.find((name) => foldName(name) === folded);
	if (alike !== undefined || folded.length < MIN_NAME_CHARS) return alike ?? null;
	const isNear = (name: string, slips: number) => areWithinSlips(folded, foldName(name), slips);
	const near = names.filter((name) => name.length >= MIN_NAME_CHARS);
	return near.find((name) => isNear(name, 1)) ?? near.find((name) => isNear(name, allowedSlips(name))) ?? null;
}

/**
 * Words to put behind the message of an issue about unknown members: `; did you mean "effects"?`, or nothing where none is near.
 * @param value what the schema refused. What it has already is not suggested.
 */
export function suggestMembers(
	schema: z.ZodType,
	{ path, keys }: z.core.$ZodIssueUnrecognizedKeys,
	value: unknown,
): string {
	const holder = path.reduce<unknown>((at, step) => Object(at)[step], value);
	const present = new Set(Object.keys(Object(holder)));
	const shapes = shapesAt(schema, path, value);
	const intended = keys.flatMap((key) => {
		const names = shapes.filter((shape) => !shape.includes(key)).flat();
		const found = findIntended(
			key,
			names.filter((name) => !present.has(name)),
		);
		return found === null ? [] : quoteInput(found);
	});
	return intended.length === 0 ? "" : `; did you mean ${[...new Set(intended)].join(", ")}?`;
}
