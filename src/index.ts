// The Worker: its fetch handler and its Durable Object classes.
import { app } from "./app.ts";

export { AgentRun } from "./agents/run/agent-run.object.ts";
export { WorkspaceLedger } from "./ledger/workspace-ledger.object.ts";
export { AccountMeter } from "./meter/account-meter.object.ts";
export { RequestArchive } from "./meter/request-archive.object.ts";
export { StoredResponses } from "./responses/stored-responses.object.ts";
export { Metrics } from "./telemetry/metrics.object.ts";

export default { fetch: app.fetch } satisfies ExportedHandler<Env>;
