// Routing configs in D1: the JSON of their normal form. Pure.
import * as z from "zod";
import type { RoutingConfig } from "../routing/routing-config.ts";

const storedMembers = z.looseObject({ model: z.string(), blocked: z.array(z.string()), fallback: z.array(z.string()) });
/** Only this service writes the column, so a few members show that it holds a config. */
const configColumn = z.custom<RoutingConfig>((value) => storedMembers.safeParse(value).success);

export function parseStoredConfig(text: string): RoutingConfig {
	return configColumn.parse(JSON.parse(text));
}
