// What the receipt of a Messages request says of it (docs/proofs.md). Pure.
import type { CallOptions } from "../inference/plan.ts";
import { hashObject } from "../proof/hash.ts";
import { configDigest } from "../routing-config/config.ts";
import { deliverToolUse } from "./tool-use-input.ts";

/** The members of a body that its input hash covers, as the client sent them. Absent ones are left out. */
const HASHED_MEMBERS = ["system", "messages"] as const;

/** The purpose of a request. The input hash covers system and messages before validation, which fills in and leaves out. */
export function toMessagesPurpose(rawBody: unknown, { config }: Pick<CallOptions, "config">) {
	const received = rawBody as Readonly<Record<string, unknown>>;
	const body = Object.fromEntries(
		HASHED_MEMBERS.flatMap((name) => (received[name] === undefined ? [] : [[name, received[name]]])),
	);
	return {
		inputHash: hashObject({ type: "svc.input.v2", entrance: "messages", body }),
		configDigest: config ? configDigest(config.config) : null,
		skillId: null,
		deliverCall: deliverToolUse,
	};
}
