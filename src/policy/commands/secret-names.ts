// Which variables hold a secret, by their names.

const SECRET_VARIABLE =
	/(?:^|_)(?:SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|PRIVATE_KEY|ACCESS_KEY|API_KEY)(?:_|$)/i;

/** Whether a variable is named like a secret. */
export const isSecretVariable = (name: string): boolean => SECRET_VARIABLE.test(name);
