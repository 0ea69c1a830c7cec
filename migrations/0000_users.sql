CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`plan` text NOT NULL,
	`created_at` text NOT NULL,
	`number` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_name` ON `users` (`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `users_number` ON `users` (`number`);