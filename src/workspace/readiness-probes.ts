// What readiness tries a manifest's patterns on: paths and commands that stand for a kind. Data; nothing here decides.

/** Where repositories keep what nobody may read out of a commit. */
export const SECRET_PATHS: readonly string[] = [
	".env",
	".env.production",
	"config/.env.local",
	"secrets/production.yaml",
	".secrets/token",
	"config/secrets.yml",
	"config/master.key",
	"credentials.json",
	"config/credentials.yml.enc",
	"credentials/service-account.json",
	"keys/signing.key",
	"certs/server.pem",
	"vault/production.yml",
	".dev.vars",
	"terraform.tfvars",
];

/** Definitions that a CI system runs with the repository's own rights. */
export const CI_PATHS: readonly string[] = [
	".github/workflows/ci.yml",
	".gitlab-ci.yml",
	".circleci/config.yml",
	".buildkite/pipeline.yml",
	".woodpecker/build.yml",
	".drone.yml",
	".travis.yml",
	"azure-pipelines.yml",
	"bitbucket-pipelines.yml",
	"cloudbuild.yaml",
	"Jenkinsfile",
	"ci/pipeline.yml",
];

/** What changes machines or stored records when it is applied. */
export const INFRASTRUCTURE_PATHS: readonly string[] = [
	"infra/main.tf",
	"infrastructure/main.tf",
	"terraform/main.tf",
	"main.tf",
	"deploy/production.yaml",
	"deployment/production.yaml",
	"k8s/deployment.yaml",
	"kubernetes/deployment.yaml",
	"helm/values.yaml",
	"charts/app/values.yaml",
	"ansible/site.yml",
	"cdk.json",
	"serverless.yml",
	"wrangler.toml",
	"fly.toml",
	"Dockerfile",
	"docker-compose.yml",
	"migrations/0001_init.sql",
	"db/migrate/20260101000000_init.rb",
	"prisma/migrations/0001_init/migration.sql",
	"alembic/versions/0001_init.py",
];

/** Files that pin what gets installed. */
export const LOCK_PATHS: readonly string[] = [
	"package-lock.json",
	"pnpm-lock.yaml",
	"yarn.lock",
	"bun.lock",
	"Cargo.lock",
	"go.sum",
	"poetry.lock",
	"uv.lock",
	"Pipfile.lock",
	"Gemfile.lock",
	"composer.lock",
	"mix.lock",
	"gradle.lockfile",
	"packages.lock.json",
	"Package.resolved",
	"pubspec.lock",
	"flake.lock",
];

/** Ordinary files with nothing in common: an entry that protects all of them protects the whole repository. */
export const ORDINARY_PATHS: readonly string[] = [
	"README.md",
	"src/index.ts",
	"lib/orders/list.py",
	"tests/orders/list_test.go",
	"docs/guide/start.html",
];

/** Deletions that take files along which no commit holds. */
export const DELETING_COMMANDS: readonly string[] = [
	"rm -rf /",
	"rm -rf .",
	"rm -r src",
	"rm -f src/index.ts",
	"git clean -fdx",
	"git clean -f",
	"find . -delete",
	"shred -u notes.txt",
	"del /s /q src",
	"rmdir /s /q src",
	"Remove-Item -Recurse -Force src",
];

/** What takes commits, or uncommitted work, from others or from oneself. */
export const HISTORY_COMMANDS: readonly string[] = [
	"git push --force",
	"git push --force origin main",
	"git push --force-with-lease origin main",
	"git push --mirror",
	"git push --delete origin main",
	"git reset --hard",
	"git reset --hard HEAD~1",
	"git checkout -- .",
	"git rebase main",
	"git commit --amend",
	"git branch -D main",
	"git filter-branch",
	"git filter-repo",
	"git reflog expire --expire=now --all",
];

/** What destroys machines, clusters or stored records. */
export const DESTROYING_COMMANDS: readonly string[] = [
	"terraform destroy",
	"terraform apply",
	"tofu destroy",
	"pulumi destroy",
	"cdk destroy",
	"kubectl delete namespace production",
	"kubectl delete deployment web",
	"helm uninstall web",
	"docker system prune -a -f",
	"docker volume rm orders",
	"docker compose down -v",
	"aws s3 rm s3://orders --recursive",
	"gcloud projects delete orders",
	"az group delete --name orders",
	"dropdb production",
	"DROP TABLE orders",
	"DROP DATABASE orders",
	"TRUNCATE TABLE orders",
	'psql -c "DROP TABLE orders"',
	'mysql -e "DROP DATABASE orders"',
	"redis-cli FLUSHALL",
	"prisma migrate reset",
	"npx prisma migrate reset",
	"rails db:drop",
	"rake db:drop",
	"bin/rails db:drop",
	"wrangler d1 delete orders",
	"mkfs /dev/sda1",
	"mkfs.ext4 /dev/sda1",
	"dd if=/dev/zero of=/dev/sda",
];

/** What puts something before users, where it cannot be called back. */
export const PUBLISHING_COMMANDS: readonly string[] = [
	"npm publish",
	"npm publish --access public",
	"pnpm publish",
	"yarn publish",
	"yarn npm publish",
	"bun publish",
	"cargo publish",
	"twine upload dist/*",
	"uv publish",
	"poetry publish",
	"gem push orders.gem",
	"mvn deploy",
	"gradle publish",
	"./gradlew publish",
	"docker push orders",
	"gh release create v1",
	"git push --tags",
	"kubectl apply -f deploy.yaml",
	"helm upgrade web chart",
	"terraform apply",
	"wrangler deploy",
	"npx wrangler deploy",
	"npm run deploy",
	"make deploy",
	"vercel --prod",
	"vercel deploy",
	"netlify deploy --prod",
	"fly deploy",
	"flyctl deploy",
	"gcloud app deploy",
	"serverless deploy",
	"cdk deploy",
	"pulumi up",
	"cap production deploy",
];

/** Looking around, which no project has a reason to forbid: an entry that forbids one of these blocks all work. */
export const READING_COMMANDS: readonly string[] = [
	"ls",
	"ls -la src",
	"pwd",
	"cat README.md",
	"head -20 README.md",
	"git status",
	"git diff",
	"git log --oneline",
];
