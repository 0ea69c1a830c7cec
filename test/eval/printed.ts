// Runs one file of the workers tests that prints what its cases came to, and leaves the service's log out.
// Usage: node test/eval/printed.ts FILE, from the repository's root
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

const [file = ""] = process.argv.slice(2);
const args = ["run", "--silent=false", "--project", "workers", file];
const tests = spawn("vitest", args, {
	stdio: ["ignore", "pipe", "inherit"],
	env: { ...process.env, NO_COLOR: "1" },
});
const ended = once(tests, "close");
for await (const line of createInterface({ input: tests.stdout })) {
	if (line.trim() !== "" && !line.startsWith("{") && !line.includes("stdout |")) console.log(line);
}
const [status] = await ended;
process.exitCode = status === 0 ? 0 : 1;
