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
CREATE UNIQUE INDEX `brain_shares_content` ON `brain_shares` (`user_id`,`content_digest`);--> statement-breakpoint
CREATE INDEX `brain_shares_user` ON `brain_shares` (`user_id`,`created_at`,`id`);