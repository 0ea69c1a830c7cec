// The recorded examples as a module of their own, which the Worker loads when the OpenAPI document is first asked for.
import type { EndpointExchanges } from "../http/openapi.ts";
import recorded from "./examples.json" with { type: "json" };

export const RECORDED_EXAMPLES: EndpointExchanges = recorded;
