// The tables of secrets: what the keys of providers look like, and which settings hold a secret.
import type { SecretKind } from "./kinds.ts";
import hexadecimalKeyPrefixes from "./lists/hexadecimal-key-prefixes.json" with { type: "json" };
import { verbose } from "./verbose.ts";

/** A key with a prefix of its provider. */
export interface KeyShape {
	readonly kind: SecretKind;
	/** The shape is tried where a word begins so; empty for keys without a prefix. */
	readonly prefix: string;
	/** Sticky and bounded. */
	readonly shape: RegExp;
}

/** Published formats, many by way of gitleaks (MIT, cmd/generate/config/rules) and detect-secrets (Apache-2.0). */
export const KEY_SHAPES: readonly KeyShape[] = [
	...["AKIA", "ASIA", "ABIA", "ACCA"].map((prefix) => ({
		kind: "aws_access_key" as const,
		prefix,
		shape: /A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Za-z0-9])/y,
	})),
	{ kind: "github_pat", prefix: "ghp", shape: /ghp_[A-Za-z0-9]{36,40}/y },
	{ kind: "github_pat", prefix: "github", shape: /github_pat_\w{60,90}/y },
	...["gho", "ghu", "ghs", "ghr"].map((prefix) => ({
		kind: "github_app_token" as const,
		prefix,
		shape: /gh[ousr]_[A-Za-z0-9]{36,76}/y,
	})),
	...["glpat", "gldt", "glrt", "glptt", "glcbt", "glsoat", "glft", "glimt"].map((prefix) => ({
		kind: "gitlab_token" as const,
		prefix,
		shape: /gl(?:pat|dt|rt|ptt|cbt|soat|ft|imt)-[\w.-]{20,60}/y,
	})),
	{ kind: "slack_bot_token", prefix: "xoxb", shape: /xoxb-\d{8,14}-[\w-]{16,64}/y },
	{ kind: "slack_user_token", prefix: "xox", shape: /xox[pears]-(?:\d-)?\d{8,14}-[\w-]{16,160}/y },
	{ kind: "slack_app_token", prefix: "xapp", shape: /xapp-\d-[A-Z0-9]{8,14}-\d{8,16}-[a-z0-9]{32,72}/y },
	{
		kind: "slack_webhook",
		prefix: "hooks",
		shape: /hooks\.slack\.com\/(?:services|workflows|triggers)\/[\w/-]{40,70}/y,
	},
	{ kind: "anthropic_admin_key", prefix: "sk", shape: /sk-ant-admin\d\d-[\w-]{40,110}/y },
	{ kind: "anthropic_api_key", prefix: "sk", shape: /sk-ant-(?!admin)[a-z]{3,6}\d\d-[\w-]{40,120}/y },
	{ kind: "openai_api_key", prefix: "sk", shape: /sk-(?:proj|svcacct|admin|None)-[\w-]{40,200}/y },
	{ kind: "openai_api_key", prefix: "sk", shape: /sk-(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{32,60}/y },
	{ kind: "openai_api_key", prefix: "sk", shape: /sk-or-v1-[a-f0-9]{64}/y },
	{ kind: "stripe_key", prefix: "sk", shape: /sk_(?:live|test|prod)_[A-Za-z0-9]{10,120}/y },
	{ kind: "stripe_key", prefix: "rk", shape: /rk_(?:live|test|prod)_[A-Za-z0-9]{10,120}/y },
	{ kind: "stripe_key", prefix: "whsec", shape: /whsec_[A-Za-z0-9+/]{24,60}/y },
	{ kind: "svc_api_key", prefix: "svc", shape: /svc_sk_[A-Za-z0-9]{46}/y },
	{ kind: "gcp_api_key", prefix: "AIza", shape: /AIza[\w-]{35}/y },
	{ kind: "gcp_oauth_token", prefix: "ya29", shape: /ya29\.[\w-]{30,200}/y },
	{ kind: "gcp_oauth_token", prefix: "GOCSPX", shape: /GOCSPX-[\w-]{28}/y },
	{ kind: "sendgrid_key", prefix: "SG", shape: /SG\.[\w-]{16,32}\.[\w-]{32,64}/y },
	{ kind: "npm_token", prefix: "npm", shape: /npm_[A-Za-z0-9]{36}/y },
	{ kind: "pypi_token", prefix: "pypi", shape: /pypi-AgE[\w-]{50,200}/y },
	{ kind: "rubygems_token", prefix: "rubygems", shape: /rubygems_[a-f0-9]{48}/y },
	{ kind: "digitalocean_pat", prefix: "do", shape: /do[opr]_v1_[a-f0-9]{64}/y },
	{ kind: "groq_api_key", prefix: "gsk", shape: /gsk_[A-Za-z0-9]{40,64}/y },
	{ kind: "xai_api_key", prefix: "xai", shape: /xai-[A-Za-z0-9]{40,100}/y },
	{ kind: "perplexity_api_key", prefix: "pplx", shape: /pplx-[A-Za-z0-9]{40,64}/y },
	{ kind: "huggingface_token", prefix: "hf", shape: /hf_[A-Za-z0-9]{30,40}/y },
	{ kind: "huggingface_token", prefix: "api", shape: /api_org_[A-Za-z]{34}/y },
	{ kind: "shopify_token", prefix: "shp", shape: /shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}/y },
	{ kind: "square_token", prefix: "sq0", shape: /sq0(?:atp|csp|idp)-[\w-]{22,50}/y },
	{ kind: "square_token", prefix: "EAAA", shape: /EAAA[\w-]{56,64}/y },
	// An account and then its token, as they are passed to the client.
	{ kind: "twilio_key", prefix: "AC", shape: /AC[0-9a-f]{32}["',: ]{1,5}[0-9a-f]{32}(?![A-Za-z0-9])/y },
	{ kind: "twilio_key", prefix: "SK", shape: /SK[0-9a-f]{32}(?![A-Za-z0-9])/y },
	{ kind: "mailgun_key", prefix: "key", shape: /key-[a-f0-9]{32}(?![a-z0-9])/y },
	{ kind: "databricks_token", prefix: "dapi", shape: /dapi[a-f0-9]{32}(?:-\d)?/y },
	{ kind: "docker_token", prefix: "dckr", shape: /dckr_(?:pat|oat)_[\w-]{20,40}/y },
	{ kind: "doppler_token", prefix: "dp", shape: /dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,60}/y },
	{ kind: "grafana_token", prefix: "gl", shape: /gl(?:c|sa)_[A-Za-z0-9+/=_]{32,400}/y },
	{ kind: "heroku_api_key", prefix: "HRKU", shape: /HRKU-[\w-]{36,70}/y },
	{ kind: "linear_api_key", prefix: "lin", shape: /lin_(?:api|oauth)_[A-Za-z0-9]{40,64}/y },
	{ kind: "newrelic_key", prefix: "NR", shape: /NR(?:AK|AA|II|IQ|RA)-[A-Za-z0-9-]{20,50}/y },
	{ kind: "notion_token", prefix: "ntn", shape: /ntn_[A-Za-z0-9]{40,60}/y },
	{ kind: "planetscale_token", prefix: "pscale", shape: /pscale_(?:tkn|oauth|pw)_[\w.=-]{32,64}/y },
	{ kind: "postman_key", prefix: "PMAK", shape: /PMAK-[a-f0-9]{24}-[a-f0-9]{34}/y },
	{ kind: "sentry_token", prefix: "sntry", shape: /sntry[su]_[A-Za-z0-9+/=_]{60,400}/y },
	{ kind: "supabase_key", prefix: "sb", shape: /sb_secret_[\w-]{20,60}/y },
	{ kind: "supabase_key", prefix: "sbp", shape: /sbp_[a-f0-9]{40}/y },
	{ kind: "vault_token", prefix: "hvs", shape: /hv[sb]\.[\w-]{24,200}/y },
	{ kind: "atlassian_token", prefix: "ATATT3", shape: /ATATT3[\w=-]{100,220}/y },
	// Hexadecimal keys or keys of one case: without the prefix they would not be recognisable.
	...hexadecimalKeyPrefixes.map((prefix) => ({
		kind: "generic_secret" as const,
		prefix,
		shape: /[A-Za-z\d]{2,12}(?:[-_][a-z\d]{2,10}){0,2}[-_][A-Za-z\d-]{20,120}/y,
	})),
	{ kind: "generic_secret", prefix: "rzp", shape: /rzp_(?:live|test)_[A-Za-z\d]{14,24}/y },
	{ kind: "generic_secret", prefix: "EAA", shape: /EAA[A-Za-z\d]{60,300}/y },
	{ kind: "generic_secret", prefix: "LTAI", shape: /LTAI[A-Za-z\d]{16,26}(?![A-Za-z\d])/y },
	{ kind: "generic_secret", prefix: "EZ", shape: /EZ[AT]K[A-Za-z\d]{54}/y },
	{ kind: "slack_user_token", prefix: "xoxe", shape: /xoxe(?:\.xox[bp])?-\d-[\w-]{30,300}/y },
	{ kind: "generic_secret", prefix: "AGE", shape: /AGE-SECRET-KEY-1[A-Z\d]{58}/y },
	{ kind: "jwt", prefix: "eyJ", shape: /eyJ[\w-]{8,2000}\.(?:eyJ[\w-]{4,4000})\.[\w-]{8,1000}/y },
	{ kind: "mailchimp_key", prefix: "", shape: /[0-9a-f]{32}-us\d{1,2}(?!\w)/y },
	{ kind: "azure_client_secret", prefix: "", shape: /[A-Za-z0-9_~.]{3}\dQ~[\w~.-]{31,34}/y },
	{ kind: "terraform_token", prefix: "", shape: /[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}/y },
	{ kind: "telegram_bot_token", prefix: "", shape: /\d{8,10}:AA[\w-]{33}(?![\w-])/y },
	{ kind: "discord_token", prefix: "", shape: /[MNO][A-Za-z\d]{23,26}\.[\w-]{6}\.[\w-]{27,38}(?![\w-])/y },
];

/** A setting whose name says which provider its key belongs to. */
interface NamedSecret {
	readonly kind: SecretKind;
	/** Matched against the lower-cased name without separators. */
	readonly name: RegExp;
	/** Matches the whole value. */
	readonly value: RegExp;
}

export const NAMED_SECRETS: readonly NamedSecret[] = [
	{ kind: "aws_secret_key", name: /aws.*(?:secret|key)|secretaccesskey/, value: /^[A-Za-z0-9+/]{40}$/ },
	{ kind: "azure_storage_key", name: /accountkey|storagekey|sharedaccesskey/, value: /^[A-Za-z0-9+/]{43,86}={0,2}$/ },
	{ kind: "cloudflare_api_token", name: /cloudflare|^cf(?:api|token)/, value: /^(?:[\w-]{40}|[a-f0-9]{37})$/ },
	{ kind: "twilio_key", name: /twilio/, value: /^[a-f0-9]{32}$/ },
	{ kind: "heroku_api_key", name: /heroku/, value: /^[a-f0-9]{8}-(?:[a-f0-9]{4}-){3}[a-f0-9]{12}$/ },
];

/** Names whose value is a password, even a short one. */
export const PASSWORD_NAME =
	/pass(?:w(?:or)?d|wort|phrase|code)|pwd$|^pw$|^passe$|passwd|(?<!by|com|en|im|over|sur|tres|under)pass$|contrasena|clave$|kennwort|motdepasse|senha$|wachtwoord|haslo$/;

/** Names whose value is a key or token. */
export const KEY_NAME = new RegExp(verbose`
	secretkeybase$
	|(?:
		api|access|secret|private|signing|encryption|master|account|auth|service|client|shared|license|deploy|session
		|webhook|jwt|hmac|app|admin
	)key$
	|secret(?:key|value|token|accesskey|id)?$
	|token$
	|accesstoken
	|credentials?$
	|^auth$
	|authorization$
	|apikey
	|authtoken$
`);

/** Names whose value is a key if it is random, and may be anything otherwise. */
export const POSSIBLE_KEY_NAME =
	/(?<!public|primary|foreign|site|cache|sort|partition|object|idempotency|publishable|row|group|item|host|range)(?:key|pat|salt|seed|sig|signature|cookie|sid|sessionid|session)$/;

/** Names of something about a secret: its length, its file, its name, its public half. */
export const ATTRIBUTE_NAME = new RegExp(verbose`
	(?:
		length|file|path|name|type|hash|policy|url|uri|endpoint|expiry|expires(?:in|at)?|ttl|id|count|limit|size|field
		|label|hint|regex|pattern|strength|reset|digest|alias|arn|age|version|csrftoken|xsrftoken|maxtokens?|publickey
		|nexttoken|pagetoken|continuationtoken|synctoken
	)$
`);
