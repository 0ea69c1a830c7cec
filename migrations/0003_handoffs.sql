CREATE TABLE `handoffs` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`seq` integer NOT NULL,
	`objective` text NOT NULL,
	`from_tool` text,
	`to_tool` text,
	`files_touched` text NOT NULL,
	`constraints` text NOT NULL,
	`risks` text NOT NULL,
	`validation` text NOT NULL,
	`recommended_next_action` text,
	`action_kind` text NOT NULL,
	`est_cost` text,
	`risk_score` integer NOT NULL,
	`risk_tier` text NOT NULL,
	`risk_factors` text NOT NULL,
	`prev_handoff_id` text,
	`prev_hash` text,
	`prev_signature` text,
	`created_at` text NOT NULL,
	`subject` text NOT NULL,
	`hash` text NOT NULL,
	`leaf_hash` text NOT NULL,
	`signature` text,
	`key_id` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `handoffs_chain` ON `handoffs` (`user_id`,`workspace_id`,`seq`);--> statement-breakpoint
-- By hand: entries are only ever added. A row that is inserted again is skipped, so that a flush may be repeated. Another row in
-- its place is refused, also by INSERT OR REPLACE.
CREATE TRIGGER `handoffs_insert` BEFORE INSERT ON `handoffs` BEGIN
	SELECT RAISE(IGNORE) WHERE EXISTS (SELECT 1 FROM `handoffs` WHERE `id` = new.`id`);
	SELECT RAISE(ABORT, 'handoffs are append-only: another entry has this place') WHERE EXISTS (
		SELECT 1 FROM `handoffs` WHERE `user_id` = new.`user_id` AND `workspace_id` = new.`workspace_id` AND `seq` = new.`seq`
	);
END;
--> statement-breakpoint
CREATE TRIGGER `handoffs_update` BEFORE UPDATE ON `handoffs` BEGIN
	SELECT RAISE(ABORT, 'handoffs are append-only');
END;
--> statement-breakpoint
CREATE TRIGGER `handoffs_delete` BEFORE DELETE ON `handoffs` BEGIN
	SELECT RAISE(ABORT, 'handoffs are append-only');
END;
