// Verifies a chain inside workerd with the platform's WebCrypto. The rows are sent to it first.
import type { VerifiedPrefix } from "../../../src/ledger/chain.ts";
import { type ChainCase, verifyChainCase, verifySignaturesOnly } from "./verify.ts";

let chain: ChainCase | null = null;
let verified: VerifiedPrefix | null = null;

// biome-ignore lint/style/noDefaultExport: the Worker's entry.
export default {
	async fetch(request: Request): Promise<Response> {
		const { pathname } = new URL(request.url);
		if (pathname === "/chain") {
			chain = await request.json<ChainCase>();
			verified = null;
		}
		if (!chain || pathname === "/chain") return Response.json({ signatureChecks: 0 });
		const keys = chain.keys;
		if (pathname === "/signatures")
			return Response.json({ signatureChecks: await verifySignaturesOnly(chain.rows, keys) });
		const found = await verifyChainCase(chain, verified);
		verified = found.verified;
		return Response.json({ signatureChecks: found.signatureChecks });
	},
};
