// Starts the targets of one part of the benchmark, each on a fresh state, and stops them at its end.
import { cpSync } from "node:fs";
import { join } from "node:path";
import type { LoadTarget } from "./load.ts";
import { startSvc } from "./svc-target.ts";
import { startBare, startBareStream, startFloor, startPortkey, startRelay, startUpstream } from "./targets.ts";

/** Folders of one run of the benchmark. */
export interface Workshop {
	tempDir: string;
	/** The Worker, as it would be deployed. */
	bundleDir: string;
	/** A state with all migrations applied and nothing in it. */
	emptyStateDir: string;
}

export interface SessionSvcOptions {
	/** Users with one key each. */
	users: number;
	/** The Worker to run, unless it is the deployed one. */
	bundleDir?: string;
	/** The folder for its state; the workshop's own by default. */
	stateRoot?: string;
	/** Whether V8's inspector listens. */
	inspected?: boolean;
}

/** Starts targets on a fresh state each. */
export interface Session {
	/** How many calls the upstream has answered so far. */
	countCalls(): Promise<number>;
	startBare(options?: Pick<SessionSvcOptions, "inspected">): Promise<LoadTarget>;
	startBareStream(): Promise<LoadTarget>;
	startRelay(): Promise<LoadTarget>;
	startFloor(options: Omit<SessionSvcOptions, "bundleDir">): Promise<LoadTarget>;
	startSvc(options: SessionSvcOptions): Promise<LoadTarget>;
	startPortkey(installation: string): Promise<LoadTarget>;
}

let states = 0;

/** Runs a part. What it started is stopped in reverse order, even if it fails. */
export async function inSession<T>(workshop: Workshop, part: (session: Session) => Promise<T>): Promise<T> {
	const running: { stop(): Promise<void> }[] = [];
	const keep = <S extends { stop(): Promise<void> }>(started: S): S => {
		running.unshift(started);
		return started;
	};
	const freshState = (stateRoot: string) => join(stateRoot, `state-${++states}`);
	try {
		const { url, countCalls } = keep(await startUpstream());
		return await part({
			countCalls,
			startBare: async (options) => keep(await startBare(url, options)),
			startBareStream: async () => keep(await startBareStream(url)),
			startRelay: async () => keep(await startRelay(url)),
			startFloor: async ({ users, stateRoot = workshop.tempDir, inspected }) =>
				keep(await startFloor(url, { stateDir: freshState(stateRoot), users, inspected })),
			startSvc: async ({ users, bundleDir = workshop.bundleDir, stateRoot = workshop.tempDir, inspected = false }) => {
				const stateDir = freshState(stateRoot);
				cpSync(workshop.emptyStateDir, stateDir, { recursive: true });
				return keep(await startSvc(url, { bundleDir, stateDir, users, inspected }));
			},
			startPortkey: async (installation) => keep(await startPortkey(url, installation)),
		});
	} finally {
		for (const target of running) await target.stop();
	}
}
