// Where Node keeps what it compiled, for the processes that tests start: without it, each of them compiles a hundred files anew.
// Not for copies of the sources, whose paths differ from run to run.
import { join } from "node:path";

/** Variables of such a process. */
export const COMPILE_CACHE = {
	NODE_COMPILE_CACHE:
		process.env["NODE_COMPILE_CACHE"] ?? join(import.meta.dirname, "../../node_modules/.cache/node-compile-cache"),
};
