import { describe, expect, it } from "vitest";
import { hideSecrets } from "../../../src/policy/hidden-secrets.ts";

describe("a text in a reason", () => {
	it("shows no secret that was found, and none of a usual shape", () => {
		expect(hideSecrets("a b c", () => [{ start: 2, end: 3 }])).toBe("a [secret] c");
		expect(hideSecrets("curl -u ann:pw x", () => [])).toBe("curl -u ann:[secret] x");
		expect(hideSecrets("sshpass -p pw ssh web", () => [])).toBe("sshpass -p [secret] ssh web");
		expect(hideSecrets("git push https://ann:pw", () => [])).toBe("git push https://ann:[secret]");
		expect(hideSecrets("echo ghp_abcdefgh…", () => [])).toBe("echo [secret]…");
		expect(hideSecrets("curl http://localhost:8080", () => [])).toBe("curl http://localhost:8080");
	});

	it("is read in linear time", () => {
		for (const piece of ["a-", "://a:", "token", "mysql ", "--token ", "-u a:", "=", "bearer "]) {
			expect(hideSecrets(piece.repeat(100), () => []).length).toBeLessThan(3_000);
		}
	});
});
