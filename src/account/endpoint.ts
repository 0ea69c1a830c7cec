// Endpoints of this service: the context of a handler follows from who may call it.
import type { z } from "zod";
import type { Access, AccessDefinition, Definition, Endpoint, ObjectSchema } from "../http/endpoint.ts";
import type { KeyContext, ServiceContext } from "./context.ts";

/** Defines an endpoint; the handler's arguments are typed by its schemas and its access. */
export function endpoint<
	Result extends z.ZodType,
	A extends Access,
	Params extends ObjectSchema | undefined = undefined,
	Query extends ObjectSchema | undefined = undefined,
	Body extends z.ZodType | undefined = undefined,
>(
	definition: Definition<Params, Query, Body, Result, A extends "key" ? KeyContext : ServiceContext> &
		AccessDefinition<A>,
): Endpoint {
	// The mount validates with the same schemas and its gates build the context by `access`, which makes this widening true.
	return definition as unknown as Endpoint;
}
