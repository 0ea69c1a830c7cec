// The client's types: generated from the list of endpoints, and as current as it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { renderClientTypes } from "../../../src/cli/client-types.ts";
import { loadEndpoints } from "../../../src/cli/endpoint-list.ts";

it('the client has the types of today\'s endpoints ("npm run types:client" writes them)', async () => {
	const file = join(import.meta.dirname, "../../../src/client/endpoint-types.ts");
	expect(readFileSync(file, "utf8")).toBe(renderClientTypes(await loadEndpoints()));
});
