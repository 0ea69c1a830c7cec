// Loads the module of telemetry, which stands beside the bundle. Who puts the Worker together says where it is: it must be imported by the
// path that it has in `src`, from a file in `src` itself (wrangler.toml).
import type { Telemetry } from "./module.ts";

type LoadTelemetry = () => Promise<Telemetry>;

let load: LoadTelemetry | null = null;
let loading: Promise<Telemetry> | null = null;

/** Says how the module is loaded. */
export function provideTelemetry(how: LoadTelemetry): void {
	load = how;
}

/** The module. @throws where it is missing from the deployment; the next call tries again. */
export function loadTelemetry(): Promise<Telemetry> {
	if (!load) throw new Error("nobody has said where the module of telemetry is");
	loading ??= load().catch((error: unknown) => {
		loading = null;
		throw error;
	});
	return loading;
}
