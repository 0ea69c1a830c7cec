// What holds without a manifest, and beneath every manifest: protected paths and forbidden commands, as patterns.

/** Paths that need elevated approval before anything writes to them. Examples and templates of secrets files do not. */
export const DEFAULT_PROTECTED_PATHS: readonly string[] = [
	// Version control: history, hooks and configuration that runs commands.
	".git/",
	// Secrets by name.
	".env",
	".env.*",
	"!.env.example",
	"!.env.sample",
	"!.env.template",
	"!.env.dist",
	".envrc",
	".dev.vars",
	".netrc",
	".pgpass",
	".npmrc",
	".pypirc",
	".git-credentials",
	".htpasswd",
	"credentials.json",
	"service-account*.json",
	"secrets.json",
	"secrets.yaml",
	"secrets.yml",
	"secrets.toml",
	"*.tfvars",
	// Keys and key stores.
	"*.pem",
	"*.key",
	"*.p12",
	"*.pfx",
	"*.jks",
	"*.keystore",
	"*.kdbx",
	"id_rsa*",
	"id_dsa*",
	"id_ecdsa*",
	"id_ed25519*",
	"!*.pub",
	// Folders that tools keep credentials in.
	".ssh/",
	".gnupg/",
	".aws/",
	".azure/",
	".kube/",
	".docker/config.json",
	".config/gcloud/",
	".config/gh/",
	// What a shell or an agent runs or follows the next time it starts.
	".bashrc",
	".bash_profile",
	".bash_login",
	".bash_logout",
	".profile",
	".zshrc",
	".zshenv",
	".zprofile",
	".zlogin",
	".config/fish/",
	".claude/",
	".cursor/",
	".codex/",
	".vscode/",
	".idea/",
	".mcp.json",
	// State that infrastructure cannot be rebuilt without.
	"*.tfstate",
	"*.tfstate.backup",
];

/**
 * Forbidden without a manifest, as patterns. They name what everyone knows; what commands do beyond these words, and in
 * which other ways the same is done, commands/programs/ describes, and that holds always.
 */
export const DEFAULT_FORBIDDEN_COMMANDS: readonly string[] = [
	// The whole file system or the whole home.
	"rm -rf /",
	"rm -rf ~",
	// Work that no reflog brings back, and history that others have.
	"git reset --hard",
	"git push --force",
	// Everything in a database.
	"DROP DATABASE",
	"DROP SCHEMA",
	"FLUSHALL",
	// Everything that a configuration describes.
	"terraform destroy",
	"pulumi destroy",
];
