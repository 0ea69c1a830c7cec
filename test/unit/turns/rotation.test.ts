import { describe, expect, it } from "vitest";
import { TurnRotation } from "../../../src/turns/rotation.ts";

describe("turns", () => {
	it("rotate over users, and keep the order within one", () => {
		const turns = new TurnRotation();
		const [a, b, c] = [Symbol("a"), Symbol("b"), Symbol("c")] as const;
		turns.join("ada", a);
		turns.join("ada", b);
		turns.join("eve", c);
		const order = [a, c, a, c];
		for (const scan of order) {
			expect(turns.current).toBe(scan);
			turns.pass();
		}
		turns.leave("ada", a);
		expect(turns.current).toBe(b);
		expect(turns.passed).toBe(4);
	});

	it("drop a scan that does not come", () => {
		const turns = new TurnRotation();
		const [a, b] = [Symbol("a"), Symbol("b")] as const;
		turns.join("ada", a);
		turns.join("ada", b);
		turns.dropCurrent();
		expect(turns.current).toBe(b);
		turns.leave("ada", b);
		expect(turns.current).toBeNull();
		turns.dropCurrent();
	});
});
