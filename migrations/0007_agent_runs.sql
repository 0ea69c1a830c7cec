CREATE TABLE `agent_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`created_at` text NOT NULL,
	`revision` integer NOT NULL,
	`status` text NOT NULL,
	`summary` text NOT NULL,
	`run` text
);
--> statement-breakpoint
CREATE INDEX `agent_runs_user` ON `agent_runs` (`user_id`,`created_at`,`id`);