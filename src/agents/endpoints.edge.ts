// The list of the endpoints of agent runs.
import type { Endpoint } from "../http/endpoint.ts";
import { cancelRunEndpoint, deleteRunEndpoint, resumeRunEndpoint } from "./control-endpoints.edge.ts";
import {
	getRunEndpoint,
	getStepEndpoint,
	getTrajectoryEndpoint,
	listRunsEndpoint,
	watchRunEndpoint,
} from "./read-endpoints.edge.ts";
import { resolveRunEndpoint } from "./resolve-endpoint.edge.ts";
import { startRunEndpoint } from "./start-endpoint.edge.ts";
import { verifyTrajectoryEndpoint } from "./verify.edge.ts";

export const agentEndpoints: readonly Endpoint[] = [
	startRunEndpoint,
	listRunsEndpoint,
	verifyTrajectoryEndpoint,
	getRunEndpoint,
	getTrajectoryEndpoint,
	getStepEndpoint,
	watchRunEndpoint,
	cancelRunEndpoint,
	resumeRunEndpoint,
	resolveRunEndpoint,
	deleteRunEndpoint,
];
