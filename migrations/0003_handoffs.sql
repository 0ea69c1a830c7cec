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
	`created_at` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_events_user` ON `audit_events` (`user_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `audit_events_workspace` ON `audit_events` (`user_id`,`workspace_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `audit_events_type` ON `audit_events` (`user_id`,`event_type`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `audit_events_decision` ON `audit_events` (`user_id`,`decision`,`created_at`,`id`) WHERE "audit_events"."decision" IS NOT NULL;--> statement-breakpoint
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
	`key_id` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `handoffs_chain` ON `handoffs` (`user_id`,`workspace_id`,`seq`);--> statement-breakpoint
-- Entries and events are only ever added. A row that is inserted again is skipped, so that a flush may be repeated;
-- another row in its place is refused, also by INSERT OR REPLACE.
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
