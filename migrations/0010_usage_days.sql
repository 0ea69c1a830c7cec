-- WITHOUT ROWID is written by hand: with a rowid the primary key would be an index of its own, and every row two.
CREATE TABLE `usage_days` (
	`user_id` text NOT NULL,
	`day` text NOT NULL,
	`api_key_id` text NOT NULL,
	`model` text NOT NULL,
	`requests` integer NOT NULL,
	`model_requests` integer NOT NULL,
	`calls` integer NOT NULL,
	`tokens` integer NOT NULL,
	`input_tokens` integer NOT NULL,
	`cost_nano_usd` integer NOT NULL,
	PRIMARY KEY(`user_id`, `day`, `api_key_id`, `model`)
) WITHOUT ROWID;
--> statement-breakpoint
-- Written by hand: the rows of every settlement so far. The first half of `part` counts requests, the second their calls.
INSERT INTO `usage_days`
SELECT `user_id`, `day`, `api_key_id`, `model`, sum(`requests`), count(DISTINCT `caller`), sum(`calls`), sum(`tokens`),
	sum(`input_tokens`), sum(`cost_nano_usd`)
FROM (
	SELECT `user_id`, substr(`created_at`, 1, 10) AS `day`, coalesce(`api_key_id`, '') AS `api_key_id`, `model`, 1 AS `requests`,
		NULL AS `caller`, 0 AS `calls`, 0 AS `tokens`, 0 AS `input_tokens`, 0 AS `cost_nano_usd`
	FROM `settlements`
	UNION ALL
	SELECT `user_id`, substr(`created_at`, 1, 10), coalesce(`api_key_id`, ''), value ->> 'model', 0, `request_id`,
		coalesce(value ->> 'requests', 1), value ->> 'tokens', value ->> 'input_tokens', value ->> 'cost_nano_usd'
	FROM `settlements`, json_each(`settlements`.`calls`)
) AS `part`
GROUP BY 1, 2, 3, 4;
--> statement-breakpoint
-- Written by hand. A settlement without a key is one that a Worker from before keys were recorded made, and perhaps inserts after
-- this migration. The Worker counts those with a key itself, in the statement before their insert.
CREATE TRIGGER `usage_days_keyless` AFTER INSERT ON `settlements` WHEN new.`api_key_id` IS NULL BEGIN
	INSERT INTO `usage_days`
	SELECT new.`user_id`, substr(new.`created_at`, 1, 10), '', `model`, sum(`requests`), max(`model_requests`), sum(`calls`),
		sum(`tokens`), sum(`input_tokens`), sum(`cost_nano_usd`)
	FROM (
		SELECT new.`model` AS `model`, 1 AS `requests`, 0 AS `model_requests`, 0 AS `calls`, 0 AS `tokens`, 0 AS `input_tokens`,
			0 AS `cost_nano_usd`
		UNION ALL
		SELECT value ->> 'model', 0, 1, coalesce(value ->> 'requests', 1), value ->> 'tokens', value ->> 'input_tokens',
			value ->> 'cost_nano_usd'
		FROM json_each(new.`calls`)
	) AS `part`
	WHERE true GROUP BY `model`
	ON CONFLICT (`user_id`, `day`, `api_key_id`, `model`) DO UPDATE SET `requests` = `requests` + excluded.`requests`,
		`model_requests` = `model_requests` + excluded.`model_requests`, `calls` = `calls` + excluded.`calls`,
		`tokens` = `tokens` + excluded.`tokens`, `input_tokens` = `input_tokens` + excluded.`input_tokens`,
		`cost_nano_usd` = `cost_nano_usd` + excluded.`cost_nano_usd`;
END;
