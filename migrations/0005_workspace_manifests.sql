CREATE TABLE `workspace_manifests` (
	`user_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`version` integer NOT NULL,
	`digest` text NOT NULL,
	`manifest` text NOT NULL,
	`created_at` text NOT NULL,
	PRIMARY KEY(`user_id`, `workspace_id`, `version`)
);
