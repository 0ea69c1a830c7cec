// Who sends traces and metrics. Pure.
import type { BaseSettings } from "../settings.ts";
import type { TelemetryResource, TelemetryScope } from "./span.ts";

export const TELEMETRY_SCOPE: TelemetryScope = { name: "svc", version: "0.1.0" };

/** The deployment, as a resource of the conventions. */
export function telemetryResource({
	logOrigin,
	deployment,
}: Pick<BaseSettings, "logOrigin" | "deployment">): TelemetryResource {
	return {
		attributes: {
			"service.name": "svc",
			"service.version": TELEMETRY_SCOPE.version,
			"service.instance.id": logOrigin,
			...(deployment.platform === "cloudflare"
				? { "cloud.provider": "cloudflare", "cloud.platform": "cloudflare.workers" }
				: {}),
		},
	};
}
