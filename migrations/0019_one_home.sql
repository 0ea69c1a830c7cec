DROP TRIGGER IF EXISTS `usage_days_keyless`;
--> statement-breakpoint
DROP TABLE `settlements`;
--> statement-breakpoint
DROP TABLE `feedback`;
--> statement-breakpoint
DROP TABLE `usage_days`;
--> statement-breakpoint
-- WITHOUT ROWID is written by hand: with a rowid the primary key would be an index of its own, and every row two.
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
