DROP INDEX `settlements_user_time`;--> statement-breakpoint
CREATE INDEX `settlements_user_kind` ON `settlements` (`user_id`,`kind`,`created_at`,`request_id`,`model`,`api_key_id`) WHERE "settlements"."kind" <> 'chat';--> statement-breakpoint
CREATE INDEX `settlements_user_time` ON `settlements` (`user_id`,`created_at`,`request_id`,`kind`,`model`,`api_key_id`);--> statement-breakpoint
CREATE INDEX `agent_runs_status` ON `agent_runs` (`user_id`,`status`,`created_at`,`id`);