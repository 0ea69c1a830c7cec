// How a start asks the service that it has just started.

/**
 * Reads an address of the service on this machine. A runtime that works off what waited for it may close a connection that it kept
 * just as it is used again. Then the same is asked once more, on a connection of its own.
 * @throws what `fetch` throws where the second try fails, too.
 */
export async function readService(url: string, headers: Record<string, string> = {}): Promise<Response> {
	const ask = () => fetch(url, { headers: { ...headers, connection: "close" } });
	try {
		return await ask();
	} catch {
		return await ask();
	}
}
