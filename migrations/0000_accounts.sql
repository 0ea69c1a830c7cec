CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`digest` text NOT NULL,
	`last4` text NOT NULL,
	`created_at` text NOT NULL,
	`revoked_at` text,
	`rotated_from` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_digest` ON `api_keys` (`digest`);--> statement-breakpoint
CREATE INDEX `api_keys_user` ON `api_keys` (`user_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `receipts` (
	`request_id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`kind` text NOT NULL,
	`receipt` text NOT NULL,
	`proof_hash` text NOT NULL,
	`signature` text,
	`key_id` text,
	`created_at` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `usage` (
	`request_id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`created_at` text NOT NULL,
	`kind` text NOT NULL,
	`model` text NOT NULL,
	`provider` text NOT NULL,
	`mode` text NOT NULL,
	`tokens` integer NOT NULL,
	`cost_nano_usd` integer NOT NULL,
	`estimated` integer NOT NULL,
	`outcome` text NOT NULL,
	`latency_ms` integer NOT NULL,
	`fallback` integer NOT NULL,
	`calls` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `usage_user_time` ON `usage` (`user_id`,`created_at`,`request_id`);--> statement-breakpoint
CREATE TABLE `usage_rollups` (
	`user_id` text NOT NULL,
	`dimension` text NOT NULL,
	`name` text NOT NULL,
	`requests` integer NOT NULL,
	`tokens` integer NOT NULL,
	`cost_nano_usd` integer NOT NULL,
	PRIMARY KEY(`user_id`, `dimension`, `name`)
);
--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`plan` text NOT NULL,
	`created_at` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_name` ON `users` (`name`);