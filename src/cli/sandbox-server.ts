// Serves the sandbox upstream on this machine.
import { createServer, type Server } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { createSandbox } from "../sandbox/app.ts";

interface SandboxServer {
	/** Origin; a provider's base URL is `<url>/<provider id>`. */
	url: string;
	stop(): Promise<void>;
}

function listen(server: Server, port: number): Promise<void> {
	return new Promise((resolve, reject) => {
		server.once("error", reject);
		server.listen(port, "127.0.0.1", () => {
			server.off("error", reject);
			resolve();
		});
	});
}

/**
 * Starts the sandbox on `port`, or on a free port when that is taken.
 * @param onRequest called for every request that is answered as a model would.
 */
export async function startSandbox(port: number, onRequest?: (provider: string) => void): Promise<SandboxServer> {
	const server = createServer(getRequestListener(createSandbox(onRequest).fetch));
	await listen(server, port).catch(() => listen(server, 0));
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("the sandbox has no port");
	return {
		url: `http://127.0.0.1:${address.port}`,
		stop: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}
