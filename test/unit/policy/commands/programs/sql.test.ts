import { describe, expect, it } from "vitest";
import { findSqlEffects } from "../../../../../src/policy/commands/programs/sql.ts";

/** The factors that a text raises, and its effects on files and shells as `kind path`. */
function findings(text: string): readonly string[] {
	return [...findSqlEffects(text)].flatMap((effect) => {
		if (effect.kind === "raise") return [effect.factor];
		if (effect.kind === "read" || effect.kind === "write" || effect.kind === "word")
			return [`${effect.kind} ${effect.path}`];
		return effect.kind === "script" ? [`script ${effect.text}`] : [];
	});
}

describe("SQL that loses tables, rows or rights", () => {
	it.each([
		"DROP TABLE users",
		"drop /* really */ table users",
		"/*!50000 DROP*/ TABLE users",
		"/*M!100100 DROP TABLE users */",
		"SELECT 1; -- nothing\nTRUNCATE users",
		"TRUNCATE TABLE a, b RESTART IDENTITY CASCADE",
		"WITH gone AS (DELETE FROM users RETURNING *) SELECT count(*) FROM gone",
		"WITH gone AS MATERIALIZED (\n  DELETE FROM users\n) SELECT 1",
		"EXPLAIN (ANALYZE, BUFFERS) DELETE FROM users",
		"explain analyze update users set role = 1",
		"DO $$ BEGIN EXECUTE 'DROP TABLE users'; END $$;",
		"DO $body$ BEGIN IF true THEN DELETE FROM users; END IF; END $body$",
		"EXEC('DROP ' + 'TABLE users')",
		"EXEC sp_executesql N'DROP TABLE users'",
		"EXECUTE IMMEDIATE 'DROP TABLE users'",
		"PREPARE x FROM 'DELETE FROM users'",
		"BEGIN TRANSACTION DELETE FROM users COMMIT",
		"BEGIN; UPDATE users SET role = 'admin'; COMMIT",
		"UPDATE users SET role = $$admin$$",
		"DELETE FROM users WHERE 1=1",
		"DELETE FROM users WHERE 'a' = 'a'",
		"DELETE FROM users WHERE id = id AND TRUE",
		"DELETE FROM users WHERE id = 3 OR 1",
		"DELETE FROM users WHERE name LIKE '%'",
		"DELETE FROM users WHERE 1 <> 2 RETURNING id",
		"DELETE FROM users ORDER BY id LIMIT 10",
		"ALTER TABLE users DROP COLUMN email",
		"ALTER TABLE users ADD a int, DROP b",
		"CREATE TABLE t AS SELECT 1; DROP SCHEMA public CASCADE",
		"SELECT 'it\\'; DROP TABLE users; -- '",
		'SELECT "a;b"; DROP TABLE users',
		"use app\nGO\nDROP TABLE users\nGO\n",
		"PURGE BINARY LOGS BEFORE '2026-01-01'",
	])("is denied: %s", (text) => {
		expect(findings(text)).toContain("forbidden_command");
	});

	it.each([
		["DELETE FROM users WHERE id = 3", "delete_action"],
		["DELETE FROM users WHERE created < now() - interval '1 year'", "delete_action"],
		["MERGE INTO a USING b ON a.id = b.id WHEN MATCHED THEN DELETE", "delete_action"],
		["GRANT ALL ON t TO x", "risky_command"],
		["CREATE ROLE admin SUPERUSER", "risky_command"],
		["ALTER TABLE t ALTER COLUMN a DROP NOT NULL", "risky_command"],
		["SELECT pg_terminate_backend(12)", "risky_command"],
		["EXECUTE IMMEDIATE 'SELECT * FROM ' || name", "exec_action"],
		["SELECT 'DROP TABLE ' || t FROM tables \\gexec", "exec_action"],
	])("or changes them narrowly: %s raises %s", (text, factor) => {
		expect(findings(text)).toEqual([factor]);
	});
});

describe("SQL that reads, adds or only mentions a dangerous word", () => {
	it.each([
		"SELECT 'drop table users'",
		"-- DROP TABLE users\nSELECT 1",
		"/* DELETE FROM users */ SELECT 1",
		"EXPLAIN DELETE FROM users",
		"SELECT * FROM jobs WHERE id = 1 FOR UPDATE SKIP LOCKED",
		"CREATE TABLE a (id int REFERENCES b ON DELETE CASCADE ON UPDATE SET NULL)",
		"INSERT INTO t VALUES ('a;b', 'DELETE FROM users') ON CONFLICT (id) DO UPDATE SET a = 1",
		"INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = 1",
		"MERGE INTO a USING b ON a.id = b.id WHEN MATCHED THEN UPDATE SET x = 1",
		"UPDATE users SET role = 'x' WHERE id = 3",
		"ALTER TABLE users ADD COLUMN dropped_at timestamp",
		"SELECT dropped, truncate_at FROM deletes",
		'SELECT "drop" FROM t',
		"DROP TEMPORARY TABLE scratch",
		"BEGIN; SELECT 1; ROLLBACK",
		"\\dt",
		".tables",
		"\\timing on",
		".schema users",
	])("%s", (text) => {
		expect(findings(text).filter((found) => !found.startsWith("write on"))).toEqual([]);
	});
});

describe("SQL that reaches beyond the database", () => {
	it.each([
		["COPY t TO PROGRAM 'rm -rf /'", ["forbidden_command", "script rm -rf /"]],
		["EXEC xp_cmdshell 'del x'", ["forbidden_command", "script del x"]],
		["SELECT LOAD_FILE('/etc/passwd')", ["read /etc/passwd"]],
		["SELECT 1 INTO OUTFILE '/var/www/x.php'", ["write /var/www/x.php"]],
		["COPY t FROM '/root/x.csv'", ["read /root/x.csv"]],
		["VACUUM INTO '/tmp/copy.db'", ["write /tmp/copy.db"]],
		["\\! rm -rf ~", ["script rm -rf ~"]],
		["SELECT 1;\n\\! ls", ["script ls"]],
		["!ls", ["script ls"]],
		[".shell rm -rf /", ["script rm -rf /"]],
		["system rm -rf /", ["script rm -rf /"]],
		["\\copy t to program 'gzip > x'", ["script gzip > x"]],
		["\\copy t from 'a.csv' csv", ["read a.csv"]],
		["\\o |sh", ["script sh"]],
		[".once '|sh'", ["script sh"]],
		["\\i wipe.sql", ["word wipe.sql"]],
		["@wipe.sql", ["word wipe.sql"]],
		[".output .env", ["write .env"]],
	])("has its files and programs judged: %s", (text, expected) => {
		expect(findings(text)).toEqual(expected);
	});

	it("is read up to the 300th statement, and the 300th text in a statement", () => {
		expect(findings(`${"SELECT 1;\n".repeat(300)}DROP TABLE users`)).toEqual(["forbidden_command"]);
		expect(findings(`SELECT ${"'a', ".repeat(300)}load_file('/etc/shadow')`)).toEqual(["read /etc/shadow"]);
	});

	it("counts as too large where a statement holds more than the check follows", () => {
		expect(findings(`${"(DELETE FROM a WHERE b = 1) ".repeat(70)}`)).toContain("oversize_command");
		const blocks = Array.from({ length: 20 }, (_, at) => `$b${at}$`);
		expect(findings(blocks.reduce((inner, tag) => `DO ${tag} ${inner} ${tag}`, "SELECT 1"))).toContain(
			"oversize_command",
		);
	});
});
