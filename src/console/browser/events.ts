// Reads the `data:` lines of a stream of events.

export async function* readData(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
	const reader = body.getReader();
	const decoder = new TextDecoder();
	let rest = "";
	for (let next = await reader.read(); !next.done; next = await reader.read()) {
		const lines = (rest + decoder.decode(next.value, { stream: true })).split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) if (line.startsWith("data: ")) yield line.slice("data: ".length);
	}
}
