// `npm run svc -- COMMAND`, and the `svc` of the client's package.
import { runCommandLine } from "./svc/main.ts";
import { processTerminal } from "./svc/terminal.ts";

// Not process.exit: what was written to a pipe is still on its way.
process.exitCode = await runCommandLine(process.argv.slice(2), processTerminal());
