ALTER TABLE `usage` ADD `input_tokens` integer;--> statement-breakpoint
ALTER TABLE `usage_rollups` ADD `input_tokens` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
-- Rows of before: the receipt has the input of the call that served; what other calls read is in no table and counts as output.
UPDATE `usage` SET `input_tokens` = min(`tokens`, (SELECT json_extract(`receipt`, '$.prompt_tokens') FROM `receipts` WHERE `receipts`.`request_id` = `usage`.`request_id`));
--> statement-breakpoint
UPDATE `usage_rollups` SET `input_tokens` = (SELECT coalesce(sum(coalesce(`input_tokens`, `tokens`)), 0) FROM `usage` WHERE `usage`.`user_id` = `usage_rollups`.`user_id`) WHERE `dimension` = 'total';
--> statement-breakpoint
DROP TRIGGER `usage_rollup`;
--> statement-breakpoint
-- As before, with input tokens. A row that a meter of the version before still holds has none: all its tokens count as input, the cheaper kind.
CREATE TRIGGER `usage_rollup` AFTER INSERT ON `usage` BEGIN
	INSERT INTO `usage_rollups` (`user_id`, `dimension`, `name`, `requests`, `tokens`, `input_tokens`, `cost_nano_usd`)
	SELECT new.`user_id`, row.dimension, row.name, 1, row.tokens, coalesce(row.input_tokens, row.tokens), row.cost_nano_usd FROM (
		SELECT 'total' AS dimension, '' AS name, new.`tokens` AS tokens, new.`input_tokens` AS input_tokens, new.`cost_nano_usd` AS cost_nano_usd
		UNION ALL SELECT 'mode', new.`mode`, new.`tokens`, new.`input_tokens`, new.`cost_nano_usd`
		UNION ALL SELECT 'model', json_extract(value, '$.model'), json_extract(value, '$.tokens'), json_extract(value, '$.input_tokens'), json_extract(value, '$.cost_nano_usd') FROM json_each(new.`calls`)
		UNION ALL SELECT 'provider', json_extract(value, '$.provider'), json_extract(value, '$.tokens'), json_extract(value, '$.input_tokens'), json_extract(value, '$.cost_nano_usd') FROM json_each(new.`calls`)
	) AS row WHERE true
	ON CONFLICT (`user_id`, `dimension`, `name`) DO UPDATE SET
		`requests` = `requests` + excluded.`requests`, `tokens` = `tokens` + excluded.`tokens`,
		`input_tokens` = `input_tokens` + excluded.`input_tokens`, `cost_nano_usd` = `cost_nano_usd` + excluded.`cost_nano_usd`;
END;
