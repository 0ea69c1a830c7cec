// Every test file in workerd starts on a migrated database: all migrations in one transaction, on the file's own storage.
import { env } from "cloudflare:workers";
import type { D1Migration } from "@cloudflare/vitest-pool-workers";

const { TEST_MIGRATIONS } = env as unknown as { TEST_MIGRATIONS: D1Migration[] };

await env.DB.batch(TEST_MIGRATIONS.flatMap(({ queries }) => queries.map((query) => env.DB.prepare(query))));
