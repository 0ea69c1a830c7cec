CREATE TABLE `restores` (
	`backup_id` text PRIMARY KEY NOT NULL,
	`log_origin` text NOT NULL,
	`backed_up_at` text NOT NULL,
	`started_at` text NOT NULL,
	`finished_at` text
);
