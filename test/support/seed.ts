// Generated input is the same on every run, so that a landing fails for its own faults only. SEED chooses other input.
import fc from "fast-check";
import { inject } from "vitest";

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: inject("seed") });
