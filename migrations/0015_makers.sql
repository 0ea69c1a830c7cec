ALTER TABLE `agent_runs` ADD `api_key_id` text;--> statement-breakpoint
CREATE INDEX `agent_runs_key` ON `agent_runs` (`user_id`,`api_key_id`,`created_at`,`id`);--> statement-breakpoint
ALTER TABLE `api_keys` ADD `own_only` integer;--> statement-breakpoint
ALTER TABLE `handoffs` ADD `owner` text;