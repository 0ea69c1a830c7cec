ALTER TABLE `audit_events` ADD `agent` text;--> statement-breakpoint
ALTER TABLE `audit_events` ADD `session_id` text;--> statement-breakpoint
ALTER TABLE `audit_events` ADD `directory` text;--> statement-breakpoint
ALTER TABLE `audit_events` ADD `permission_mode` text;--> statement-breakpoint
CREATE INDEX `audit_events_session` ON `audit_events` (`user_id`,`session_id`,`created_at`,`id`) WHERE "audit_events"."session_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `audit_events_agent` ON `audit_events` (`user_id`,`agent`,`created_at`,`id`) WHERE "audit_events"."agent" IS NOT NULL;