// Keys in answers. Pure.
import * as z from "zod";
import { KEY_ROLES } from "../http/endpoint.ts";
import { configSchema, toConfigFields } from "../routing-config/config-input.ts";
import type { ApiKey } from "./key.ts";

/** The members that operators and owners see of a key. */
const keyMembers = () => ({
	key_id: z.string(),
	name: z.string().nullable(),
	role: z.enum(KEY_ROLES),
	last4: z.string(),
	expires_at: z.string().nullable(),
	rpm: z.int().nullable().describe("Null where the plan's limit holds."),
	daily_requests: z.int().nullable(),
	models: z.array(z.string()).nullable().describe("Null where it may call all of the plan's."),
	brain_config: configSchema.unwrap().nullable(),
	tags: z.array(z.string()),
	created_at: z.string(),
	rotated_from: z.string().nullable().describe("The key that it replaced."),
});

export const keySchema = z.lazy(() => z.object({ object: z.literal("key"), ...keyMembers() }));

/** A key with the key itself. */
export const madeKeySchema = z.lazy(() =>
	keySchema.unwrap().extend({ key: z.string().describe("The key itself, which is shown this once.") }),
);

export const rotatedKeySchema = z.lazy(() =>
	madeKeySchema.unwrap().extend({ previous_ends_at: z.string().describe("When the old key ends, or has ended.") }),
);

/** A key among those of all users. */
export const operatorKeySchema = z.lazy(() =>
	z.object({
		...keyMembers(),
		user_id: z.string(),
		user: z.string(),
		plan: z.string(),
		revoked_at: z.string().nullable(),
	}),
);

export function toKeyMembers({ id, last4, createdAt, rotatedFrom, options }: ApiKey) {
	return {
		key_id: id,
		name: options.name,
		role: options.role,
		last4,
		expires_at: options.expiresAt,
		rpm: options.rpm,
		daily_requests: options.dailyRequests,
		models: options.models,
		brain_config: options.config && toConfigFields(options.config),
		tags: options.tags,
		created_at: createdAt,
		rotated_from: rotatedFrom,
	};
}

/** A key as its owner sees it. */
export function toKeyView(key: ApiKey): z.output<typeof keySchema> {
	return { object: "key", ...toKeyMembers(key) };
}
