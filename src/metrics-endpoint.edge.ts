// GET /metrics: what the deployment has counted, as Prometheus reads it.
import * as z from "zod";
import { endpoint } from "./account/endpoint.ts";
import { StorageUnavailableError } from "./failure.ts";
import { metricsObject } from "./telemetry/metrics-client.edge.ts";

/** Prometheus' text format (https://prometheus.io/docs/instrumenting/exposition_formats/). */
const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export const metricsEndpoint = endpoint({
	id: "metrics",
	method: "GET",
	path: "/metrics",
	access: "metrics",
	mediaType: "text/plain",
	cacheControl: "no-store",
	summary:
		"Metrics of the whole deployment in Prometheus' text format: requests, tokens, cost, latency, calls, errors.",
	description:
		"What users' requests came to is counted within a minute of their end. Counters begin with the first request that is counted, and again at zero after a restore.",
	result: z.string().describe("Prometheus' text format 0.0.4."),
	async handle({ context }) {
		let text: string;
		try {
			text = await metricsObject(context.env).prometheus();
		} catch (cause) {
			throw new StorageUnavailableError("the object of metrics did not answer", { cause });
		}
		return { ok: true, response: new Response(text, { headers: { "content-type": CONTENT_TYPE } }) };
	},
});
