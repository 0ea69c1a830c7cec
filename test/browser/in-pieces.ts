// A slow line between a browser and the service: pages come in pieces.
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

const PIECE_BYTES = 4_000;
/** Longer than a browser takes to paint. */
const PAUSE_MS = 40;

/** Cuts a page; anything else is one piece. */
function* cut(body: Buffer, type = ""): Generator<Buffer> {
	if (!type.startsWith("text/html")) return yield body;
	for (let start = 0; start < body.length; start += PIECE_BYTES) yield body.subarray(start, start + PIECE_BYTES);
}

/** @param origin whose answers are passed on, without a trailing slash. */
export function serveInPieces(origin: string): Server {
	return createServer(async (asked, answer) => {
		const sent = request(`${origin}${asked.url}`, { method: asked.method, headers: asked.headers });
		asked.pipe(sent);
		const [received] = (await once(sent, "response")) as [IncomingMessage];
		const { "content-length": _length, "transfer-encoding": _encoding, ...headers } = received.headers;
		const body = await buffer(received);
		answer.writeHead(received.statusCode ?? 502, headers);
		for (const piece of cut(body, headers["content-type"])) {
			answer.write(piece);
			await sleep(PAUSE_MS);
		}
		answer.end();
	});
}
