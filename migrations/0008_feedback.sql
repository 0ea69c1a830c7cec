-- WITHOUT ROWID is written by hand, as for settlements: a row is looked up by its key alone.
CREATE TABLE `feedback` (
	`request_id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`score` integer NOT NULL,
	`reason` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL
) WITHOUT ROWID;
