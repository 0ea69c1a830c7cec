ALTER TABLE `api_keys` ADD `budget_nano_usd` integer;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `budget_period` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `budget_key_id` text;