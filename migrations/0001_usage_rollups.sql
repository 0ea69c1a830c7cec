-- Rollups follow each usage row in its own statement, so that a row that is inserted again never counts again.
CREATE TRIGGER `usage_rollup` AFTER INSERT ON `usage` BEGIN
	INSERT INTO `usage_rollups` (`user_id`, `dimension`, `name`, `requests`, `tokens`, `cost_nano_usd`)
	VALUES (new.`user_id`, 'total', '', 1, new.`tokens`, new.`cost_nano_usd`), (new.`user_id`, 'mode', new.`mode`, 1, new.`tokens`, new.`cost_nano_usd`)
	ON CONFLICT (`user_id`, `dimension`, `name`) DO UPDATE SET
		`requests` = `requests` + excluded.`requests`, `tokens` = `tokens` + excluded.`tokens`, `cost_nano_usd` = `cost_nano_usd` + excluded.`cost_nano_usd`;
	INSERT INTO `usage_rollups` (`user_id`, `dimension`, `name`, `requests`, `tokens`, `cost_nano_usd`)
	SELECT new.`user_id`, 'model', json_extract(call.value, '$.model'), 1, json_extract(call.value, '$.tokens'), json_extract(call.value, '$.cost_nano_usd')
	FROM json_each(new.`calls`) AS call WHERE true
	ON CONFLICT (`user_id`, `dimension`, `name`) DO UPDATE SET
		`requests` = `requests` + excluded.`requests`, `tokens` = `tokens` + excluded.`tokens`, `cost_nano_usd` = `cost_nano_usd` + excluded.`cost_nano_usd`;
	INSERT INTO `usage_rollups` (`user_id`, `dimension`, `name`, `requests`, `tokens`, `cost_nano_usd`)
	SELECT new.`user_id`, 'provider', json_extract(call.value, '$.provider'), 1, json_extract(call.value, '$.tokens'), json_extract(call.value, '$.cost_nano_usd')
	FROM json_each(new.`calls`) AS call WHERE true
	ON CONFLICT (`user_id`, `dimension`, `name`) DO UPDATE SET
		`requests` = `requests` + excluded.`requests`, `tokens` = `tokens` + excluded.`tokens`, `cost_nano_usd` = `cost_nano_usd` + excluded.`cost_nano_usd`;
END;
