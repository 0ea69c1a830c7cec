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
