-- All tables, as drizzle-kit generates them from src/db/schema.ts, in its order. What it cannot express is marked "By hand": WITHOUT ROWID,
-- and the triggers of append-only tables. From the first release on, this file stays as it is, and changes are files of their own.
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`plan` text NOT NULL,
	`created_at` text NOT NULL,
	`number` integer NOT NULL,
	`stored_bytes` integer,
	`stored_at` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_name` ON `users` (`name`);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_number` ON `users` (`number`);
--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`digest` text NOT NULL,
	`last4` text NOT NULL,
	`created_at` text NOT NULL,
	`revoked_at` text,
	`rotated_from` text,
	`version` integer DEFAULT 1 NOT NULL,
	`name` text,
	`role` text DEFAULT 'owner' NOT NULL,
	`expires_at` text,
	`rpm` integer,
	`daily_requests` integer,
	`models` text,
	`brain_config` text,
	`tags` text DEFAULT '[]' NOT NULL,
	`budget_nano_usd` integer,
	`budget_period` text,
	`budget_key_id` text,
	`alert_webhook` text,
	`own_only` integer,
	`log_texts` integer DEFAULT false NOT NULL,
	`default_max_tokens` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_digest` ON `api_keys` (`digest`);
--> statement-breakpoint
CREATE INDEX `api_keys_user` ON `api_keys` (`user_id`,`created_at`);
--> statement-breakpoint
-- By hand: WITHOUT ROWID. With a rowid the primary key would be an index of its own, and every row two.
CREATE TABLE `usage_days` (
	`user_id` text NOT NULL,
	`day` text NOT NULL,
	`api_key_id` text NOT NULL,
	`model` text NOT NULL,
	`requests` integer NOT NULL,
	`model_requests` integer NOT NULL,
	`calls` integer NOT NULL,
	`tokens` integer NOT NULL,
	`input_tokens` integer NOT NULL,
	`cost_nano_usd` integer NOT NULL,
	`revision` integer NOT NULL,
	PRIMARY KEY(`user_id`, `day`, `api_key_id`, `model`)
) WITHOUT ROWID;
--> statement-breakpoint
-- By hand: WITHOUT ROWID, as above.
CREATE TABLE `request_archives` (
	`user_id` text NOT NULL,
	`nth` integer NOT NULL,
	PRIMARY KEY(`user_id`, `nth`)
) WITHOUT ROWID;
--> statement-breakpoint
-- By hand: WITHOUT ROWID, as above.
CREATE TABLE `stranded_settlements` (
	`request_id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`settlement` text NOT NULL,
	`proof_hash` text NOT NULL,
	`stranded_at` text NOT NULL,
	`taken_at` text
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `stranded_settlements_user` ON `stranded_settlements` (`user_id`,`taken_at`);
--> statement-breakpoint
CREATE TABLE `handoffs` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`seq` integer NOT NULL,
	`objective` text NOT NULL,
	`from_tool` text,
	`to_tool` text,
	`files_touched` text NOT NULL,
	`constraints` text NOT NULL,
	`risks` text NOT NULL,
	`validation` text NOT NULL,
	`recommended_next_action` text,
	`action_kind` text NOT NULL,
	`est_cost` text,
	`risk_score` integer NOT NULL,
	`risk_tier` text NOT NULL,
	`risk_factors` text NOT NULL,
	`prev_handoff_id` text,
	`prev_hash` text,
	`prev_signature` text,
	`created_at` text NOT NULL,
	`subject` text NOT NULL,
	`hash` text NOT NULL,
	`leaf_hash` text NOT NULL,
	`signature` text,
	`key_id` text,
	`owner` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `handoffs_chain` ON `handoffs` (`user_id`,`workspace_id`,`seq`);
--> statement-breakpoint
-- By hand: entries are only ever added. A row that is inserted again is skipped, so that a flush may be repeated. Another row in
-- its place is refused, also by INSERT OR REPLACE.
CREATE TRIGGER `handoffs_insert` BEFORE INSERT ON `handoffs` BEGIN
	SELECT RAISE(IGNORE) WHERE EXISTS (SELECT 1 FROM `handoffs` WHERE `id` = new.`id`);
	SELECT RAISE(ABORT, 'handoffs are append-only: another entry has this place') WHERE EXISTS (
		SELECT 1 FROM `handoffs` WHERE `user_id` = new.`user_id` AND `workspace_id` = new.`workspace_id` AND `seq` = new.`seq`
	);
END;
--> statement-breakpoint
CREATE TRIGGER `handoffs_update` BEFORE UPDATE ON `handoffs` BEGIN
	SELECT RAISE(ABORT, 'handoffs are append-only');
END;
--> statement-breakpoint
CREATE TRIGGER `handoffs_delete` BEFORE DELETE ON `handoffs` BEGIN
	SELECT RAISE(ABORT, 'handoffs are append-only');
END;
--> statement-breakpoint
CREATE TABLE `audit_events` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`workspace_id` text,
	`event_type` text NOT NULL,
	`actor` text NOT NULL,
	`decision` text,
	`risk_score` integer,
	`risk_tier` text,
	`payload` text NOT NULL,
	`created_at` text NOT NULL,
	`agent` text,
	`session_id` text,
	`directory` text,
	`permission_mode` text
);
--> statement-breakpoint
CREATE INDEX `audit_events_user` ON `audit_events` (`user_id`,`created_at`,`id`);
--> statement-breakpoint
CREATE INDEX `audit_events_workspace` ON `audit_events` (`user_id`,`workspace_id`,`created_at`,`id`);
--> statement-breakpoint
CREATE INDEX `audit_events_type` ON `audit_events` (`user_id`,`event_type`,`created_at`,`id`);
--> statement-breakpoint
CREATE INDEX `audit_events_decision` ON `audit_events` (`user_id`,`decision`,`created_at`,`id`) WHERE "audit_events"."decision" IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `audit_events_session` ON `audit_events` (`user_id`,`session_id`,`created_at`,`id`) WHERE "audit_events"."session_id" IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `audit_events_agent` ON `audit_events` (`user_id`,`agent`,`created_at`,`id`) WHERE "audit_events"."agent" IS NOT NULL;
--> statement-breakpoint
-- By hand: events are only ever added. A row that is inserted again is skipped, so that a flush may be repeated.
CREATE TRIGGER `audit_events_insert` BEFORE INSERT ON `audit_events` BEGIN
	SELECT RAISE(IGNORE) WHERE EXISTS (SELECT 1 FROM `audit_events` WHERE `id` = new.`id`);
END;
--> statement-breakpoint
CREATE TRIGGER `audit_events_update` BEFORE UPDATE ON `audit_events` BEGIN
	SELECT RAISE(ABORT, 'audit events are append-only');
END;
--> statement-breakpoint
CREATE TRIGGER `audit_events_delete` BEFORE DELETE ON `audit_events` BEGIN
	SELECT RAISE(ABORT, 'audit events are append-only');
END;
--> statement-breakpoint
CREATE TABLE `workspace_manifests` (
	`user_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`version` integer NOT NULL,
	`digest` text NOT NULL,
	`manifest` text NOT NULL,
	`created_at` text NOT NULL,
	`same_as` integer,
	PRIMARY KEY(`user_id`, `workspace_id`, `version`)
);
--> statement-breakpoint
CREATE TABLE `brain_shares` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`title` text,
	`brain_md` text,
	`config` text NOT NULL,
	`config_digest` text NOT NULL,
	`errors` text NOT NULL,
	`content_digest` text NOT NULL,
	`created_at` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `brain_shares_content` ON `brain_shares` (`user_id`,`content_digest`);
--> statement-breakpoint
CREATE INDEX `brain_shares_user` ON `brain_shares` (`user_id`,`created_at`,`id`);
--> statement-breakpoint
CREATE TABLE `agent_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`created_at` text NOT NULL,
	`revision` integer NOT NULL,
	`status` text NOT NULL,
	`summary` text NOT NULL,
	`run` text,
	`api_key_id` text,
	`stored_bytes` integer
);
--> statement-breakpoint
CREATE INDEX `agent_runs_key` ON `agent_runs` (`user_id`,`api_key_id`,`created_at`,`id`);
--> statement-breakpoint
CREATE INDEX `agent_runs_stored` ON `agent_runs` (`user_id`,`stored_bytes`);
--> statement-breakpoint
CREATE INDEX `agent_runs_user` ON `agent_runs` (`user_id`,`created_at`,`id`);
--> statement-breakpoint
CREATE INDEX `agent_runs_status` ON `agent_runs` (`user_id`,`status`,`created_at`,`id`);
--> statement-breakpoint
CREATE TABLE `restores` (
	`backup_id` text PRIMARY KEY NOT NULL,
	`log_origin` text NOT NULL,
	`backed_up_at` text NOT NULL,
	`started_at` text NOT NULL,
	`finished_at` text
);
