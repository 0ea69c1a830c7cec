// Defines endpoints of this service. Their access decides the context of their handler.
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
	// The widening is sound: the mount validates with the same schemas, and its guards build the context by `access`.
	return definition as unknown as Endpoint;
}
