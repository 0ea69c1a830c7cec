ALTER TABLE `api_keys` ADD `made_by` text;--> statement-breakpoint
CREATE INDEX `agent_runs_waiting` ON `agent_runs` (`status`) WHERE status = 'requires_action';