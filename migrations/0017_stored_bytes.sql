ALTER TABLE `agent_runs` ADD `stored_bytes` integer;--> statement-breakpoint
CREATE INDEX `agent_runs_stored` ON `agent_runs` (`user_id`,`stored_bytes`);--> statement-breakpoint
ALTER TABLE `users` ADD `stored_bytes` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `stored_at` text;--> statement-breakpoint
ALTER TABLE `workspace_manifests` ADD `same_as` integer;