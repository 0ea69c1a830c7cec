// The field of a request that holds a compliance policy. Its JSON Schema shows the normal form; policy.ts parses more. Pure.
import * as z from "zod";
import { DATA_CLASSES } from "./vocabulary.ts";

/** A null says nothing, as an absent member does. */
const POLICY_WORDS = { type: ["array", "null"], items: { type: "string" } };

const PROPERTIES = {
	provider_allowlist: POLICY_WORDS,
	provider_denylist: POLICY_WORDS,
	jurisdiction: { ...POLICY_WORDS, description: "ISO codes, EU." },
	data_residency: POLICY_WORDS,
	frameworks: POLICY_WORDS,
	certifications: POLICY_WORDS,
	block_data_classes: { type: ["array", "null"], items: { type: "string", enum: [...DATA_CLASSES] } },
	mask_data_classes: POLICY_WORDS,
	allow_unread: POLICY_WORDS,
	require_zero_retention: { type: ["boolean", "null"] },
	detect: { type: ["string", "null"] },
};

/** A policy as a client sends it. */
export function policyField() {
	return z.record(z.string(), z.unknown()).meta({ properties: PROPERTIES });
}

/** A routing config of which only the policy is read. */
export function policyConfigField() {
	return z
		.record(z.string(), z.unknown())
		.meta({ properties: { compliance: { type: "object", properties: PROPERTIES } } });
}
