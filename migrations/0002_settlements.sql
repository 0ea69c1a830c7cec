-- WITHOUT ROWID is written by hand: with a rowid the text key would be an index of its own, and every request one more row.
CREATE TABLE `settlements` (
	`request_id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`created_at` text NOT NULL,
	`kind` text NOT NULL,
	`model` text NOT NULL,
	`provider` text NOT NULL,
	`mode` text NOT NULL,
	`tokens` integer NOT NULL,
	`input_tokens` integer NOT NULL,
	`cost_nano_usd` integer NOT NULL,
	`estimated` integer NOT NULL,
	`outcome` text NOT NULL,
	`latency_ms` integer NOT NULL,
	`fallback` integer NOT NULL,
	`calls` text NOT NULL,
	`receipt` text NOT NULL,
	`proof_hash` text NOT NULL,
	`signature` text,
	`key_id` text,
	`settled_at` text NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `settlements_user_time` ON `settlements` (`user_id`,`created_at`,`request_id`);