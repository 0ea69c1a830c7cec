// Which kind a pasted text is taken for.
import { expect, it } from "vitest";
import { guessKind, parseKind } from "../../../src/verifier/kinds.ts";

it("a text is told by its members", () => {
	expect(guessKind('{"object":"proof","proof_hash":"","receipt":{}}')).toBe("receipt");
	expect(guessKind('{"object":"agent.trajectory","verify_request":{},"proof":{}}')).toBe("trajectory");
	expect(guessKind('{"run_id":"agt_1","trajectory_proof":"sha256:"}')).toBe("trajectory");
	expect(guessKind('{"object":"handoff.chain","workspace_id":"a","data":[]}')).toBe("chain");
	expect(guessKind('[{"workspace_id":"a","data":[]}]')).toBe("chain");
	expect(guessKind('{"object":"handoff.proof","kind":"inclusion","leaf_hash":"","hashes":[]}')).toBe("tree-proof");
	expect(guessKind("svc.test/u/w\n0\nabc=\n\n— svc.test/u/w abc=\n")).toBe("checkpoint");
	for (const text of ["", "{}", "[]", "null", "7", '"data"', "hello"]) expect(guessKind(text)).toBeNull();
});

it("a word names a kind or none", () => {
	expect(["chain", "constructor", ""].map(parseKind)).toEqual(["chain", null, null]);
});
