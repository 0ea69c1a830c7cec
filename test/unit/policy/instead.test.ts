import { describe, expect, it } from "vitest";
import { analyse, parseAllowedCommands, parseForbiddenCommands } from "../../../src/policy/commands/analyse.ts";
import secrets from "../../../src/policy/commands/programs/secrets.json" with { type: "json" };
import unusual from "../../../src/policy/commands/programs/unusual.json" with { type: "json" };
import { decide } from "../../../src/policy/decide.ts";
import { compileProtectedPaths } from "../../../src/policy/paths.ts";
import { WorkBudget } from "../../../src/policy/work-budget.ts";
import { quoteShellWord } from "../../../src/text/shell-word.ts";

function check(command: string, allowedCommands: readonly string[] = []) {
	return decide(
		{ action: "Run", action_kind: "edit", files_affected: [], commands: [command] },
		{ protectedPaths: [], forbiddenCommands: [], allowedCommands, budgetUsd: Number.POSITIVE_INFINITY },
	);
}

/** A command, what its reason offers instead, and that form of the command. */
const OFFERS: readonly (readonly [command: string, instead: string, form: string])[] = [
	["git push --force origin topic", "git push --force-with-lease", "git push --force-with-lease origin topic"],
	["git push origin +topic", "git push --force-with-lease", "git push --force-with-lease origin topic"],
	["git push --force origin main", "git revert, and a push without force", "git revert HEAD; git push origin main"],
	["git push --force-with-lease origin main", "git revert, and a push without force", "git push origin main"],
	["kubectl get secret db -o yaml", "kubectl get secret without -o", "kubectl get secret db"],
	["kubectl view-secret db", "kubectl get secret, which only names them", "kubectl get secret db"],
	["oc extract secret/db --to=-", "oc get secret, which only names them", "oc get secret"],
	["kubectl config view --raw", "kubectl config view without --raw", "kubectl config view"],
	["terraform show -json", "terraform show without -json", "terraform show"],
	["netlify env:list --plain", "netlify env:list", "netlify env:list"],
	[
		"aws ssm get-parameter --name a --with-decryption",
		"the same without --with-decryption",
		"aws ssm get-parameter --name a",
	],
	["vault kv get secret/db", "vault kv metadata get", "vault kv metadata get secret/db"],
	["doppler secrets", "doppler secrets --only-names", "doppler secrets --only-names"],
	["chamber read shop key", "chamber list", "chamber list shop"],
	["terraform output -json", "terraform output without a name or option", "terraform output"],
	[
		"docker inspect -f '{{.Config.Env}}' web",
		"docker inspect -f '{{.State.Status}}'",
		"docker inspect -f '{{.State.Status}}' web",
	],
	["pass show mail", "pass ls", "pass ls"],
	["gcloud secrets versions access latest --secret db", "the verb that only lists them", "gcloud secrets list"],
	[
		"aws ec2 authorize-security-group-ingress --group-id sg-1 --protocol tcp --port 22 --cidr 0.0.0.0/0",
		"the same with the addresses that need it",
		"aws ec2 describe-security-groups",
	],
	["git reset --hard HEAD~1", "git stash", "git stash"],
	["git checkout -f main", "git stash", "git stash"],
	["git checkout -- src", "git stash", "git stash -- src"],
	["git restore src", "git stash", "git stash -- src"],
	["git switch --discard-changes main", "git stash", "git stash"],
	["git branch -D topic", "git branch -d", "git branch -d topic"],
	["git clean -fd", "git clean -n", "git clean -nd"],
	["git worktree remove --force ../topic", "git worktree remove", "git worktree remove ../topic"],
	["find . -name '*.log' -delete", "the same with -print", "find . -name '*.log' -print"],
	["find . -delete", "the same with -print", "find . -print"],
	["find .. -name '*.o' -exec rm -r {} +", "the same with -print", "find .. -name '*.o' -print"],
	["rsync -a --delete src/ dist/", "the same with --dry-run", "rsync -a --delete --dry-run src/ dist/"],
	["npm publish", "the same with --dry-run", "npm publish --dry-run"],
	["cargo publish", "the same with --dry-run", "cargo publish --dry-run"],
	["wrangler deploy", "the same with --dry-run", "wrangler deploy --dry-run"],
	["semantic-release", "the same with --dry-run", "semantic-release --dry-run"],
	["goreleaser release", "the same with --snapshot", "goreleaser release --snapshot"],
	["psql -c 'DELETE FROM a'", "the same with a WHERE", "psql -c 'DELETE FROM a WHERE id = 1'"],
	["psql -c 'UPDATE a SET b = 1'", "the same with a WHERE", "psql -c 'UPDATE a SET b = 1 WHERE id = 1'"],
	["ansible-playbook site.yml", "the same with --check", "ansible-playbook --check site.yml"],
	[
		"ansible all -m file -a 'path=/srv/a state=absent'",
		"the same with --check",
		"ansible all --check -m file -a 'path=/srv/a state=absent'",
	],
	["sudo ls src", "the same without sudo", "ls src"],
	["doas ls src", "the same without doas", "ls src"],
	["killall node", "kill PID", "kill 4711"],
	["nc -l 8000", "nc -l 127.0.0.1 PORT", "nc -l 127.0.0.1 8000"],
	["ncat -l 8000", "ncat -l 127.0.0.1 PORT", "ncat -l 127.0.0.1 8000"],
	["socat TCP-LISTEN:8000 STDOUT", "the same with bind=127.0.0.1", "socat TCP-LISTEN:8000,bind=127.0.0.1 STDOUT"],
	["Stop-Computer", "the same with -WhatIf", "Stop-Computer -WhatIf"],
	["npm install -g typescript", "the same without -g", "npm install typescript"],
	["yarn global add typescript", "yarn add --dev PACKAGE", "yarn add --dev typescript"],
	[
		"pip install --user black",
		"pip install PACKAGE in a virtual environment",
		". .venv/bin/activate; pip install black",
	],
	["pipx install black", "pipx run PROGRAM", "pipx run black"],
	["uv tool install ruff", "uvx PROGRAM", "uvx ruff"],
	["gem install rails", "bundle add GEM", "bundle add rails"],
	[
		"go install golang.org/x/tools/cmd/goimports@latest",
		"go run PACKAGE",
		"go run golang.org/x/tools/cmd/goimports@v0.30.0",
	],
	["dotnet tool install -g dotnet-ef", "the same without -g", "dotnet tool install dotnet-ef"],
	["git push https://git.example.com/a/b.git main", "git push origin", "git push origin main"],
	["git remote set-url origin https://git.example.com/a.git", "git remote -v", "git remote -v"],
	["ssh -R 80:localhost:8080 host.example.com", "the same without -R", "ssh host.example.com"],
	["aws configure set region eu-west-1", "aws --region REGION COMMAND", "aws --region eu-west-1 s3 ls"],
	[
		"gcloud config set project shop",
		"gcloud --project PROJECT COMMAND",
		"gcloud --project shop compute instances list",
	],
	["az account set -s shop", "az account show", "az account show"],
	["kubectl config use-context shop", "kubectl --context CONTEXT COMMAND", "kubectl --context shop get pods"],
	["docker context use shop", "docker --context CONTEXT COMMAND", "docker --context shop ps"],
	[
		"pip install --index-url https://packages.example.com/simple black",
		"the same without that address",
		"pip install black",
	],
	["history -c", "history", "history"],
	["deno install -g jsr:@a/b", "deno run PROGRAM", "deno run jsr:@a/b"],
	["nvm alias default 24", "nvm use VERSION", "nvm use 24"],
	["mise use -g node@24", "mise use without -g", "mise use node@24"],
	["xattr -c a.app", "xattr -l", "xattr -l a.app"],
	["tmux kill-server", "tmux kill-session -t NAME", "tmux kill-session -t web"],
	["su ann -c 'ls src'", "the command without it", "ls src"],
	["pyenv global 3.13", "the same with local instead of global", "pyenv local 3.13"],
	["crontab -e", "crontab -l", "crontab -l"],
	["drizzle-kit push", "drizzle-kit generate", "drizzle-kit generate"],
	["gsettings set org.gnome.a b 1", "gsettings get", "gsettings get org.gnome.a b"],
	["dconf write /a/b 1", "dconf dump", "dconf dump /a/"],
	["defaults write com.apple.dock a 1", "defaults read", "defaults read com.apple.dock a"],
	["setfacl -R -m u:ann:rw src", "getfacl", "getfacl src"],
	["launchctl stop web", "launchctl list", "launchctl list"],
	["supervisorctl restart web", "supervisorctl status", "supervisorctl status"],
	["pm2 restart web", "pm2 ls", "pm2 ls"],
	["nginx -s reload", "nginx -t", "nginx -t"],
	["apachectl restart", "apachectl configtest", "apachectl configtest"],
	["kafka-topics.sh --alter --topic a", "the same with --describe", "kafka-topics.sh --describe --topic a"],
];

describe("what a reason offers instead", () => {
	it.each(OFFERS)("is safer than %s", (command, instead, form) => {
		const asked = check(command);
		expect(asked.reason).toContain(`instead: ${instead}`);
		expect(check(form).risk_score, form).toBeLessThan(asked.risk_score);
	});

	it("is tried here for each row of the tables of unusual commands and of secrets", () => {
		const tables: readonly Readonly<Record<string, readonly { because: string; instead?: string }[]>>[] = [
			unusual.programs,
			secrets.programs,
		];
		const rows = tables.flatMap((table) => Object.values(table).flat());
		const offered = rows.flatMap(({ instead }) => (instead === undefined ? [] : [instead]));
		expect(offered.length).toBeGreaterThan(15);
		for (const instead of offered)
			expect(
				OFFERS.some(([, tried]) => instead.includes(tried)),
				instead,
			).toBe(true);
	});

	it("stands only with what denies, where something denies", () => {
		expect(check("sudo reboot").reason).not.toContain("instead");
		expect(check("sudo git push --force").reason).toMatch(/instead: git push --force-with-lease/);
		expect(check("sudo git push --force").reason).not.toContain("without sudo");
	});

	it("is a dry run only where the program has one", () => {
		for (const command of [
			"docker push a/b",
			"twine upload dist/a.whl",
			"gem push a.gem",
			"gh pr merge 3",
			"mvn deploy",
		])
			expect(check(command).reason).toMatch(/changes what others use\)\.$/);
	});
});

/** The commands that the reasons of two factors name, as patterns of `allowed_commands`. */
function listedCommands(command: string): readonly string[] {
	const work = new WorkBudget();
	const rules = { protectedPaths: compileProtectedPaths([], work), forbidden: parseForbiddenCommands([], work) };
	const { reasons } = analyse([command], { ...rules, allowed: parseAllowedCommands([], work) }, work);
	const found = [...(reasons.get("risky_command") ?? []), ...(reasons.get("exec_action") ?? [])];
	return found.flatMap(({ place }) => (place ? [place.words.map(quoteShellWord).join(" ")] : []));
}

describe("allowed_commands", () => {
	it.each([
		"apt install jq",
		"sudo apt-get install jq",
		"aws s3 cp a s3://b/",
		"systemctl restart web",
		"git commit --no-verify -m x",
		"nginx -s reload",
		"python -c 'import ctypes'",
		"python -c 'eval(input())'",
		"awk '{ system($0) }' a",
		"chmod 777 a.sh",
		"env",
		"frobnicate 'rm -rf /'",
		"npm install https://packages.example.com/a.tgz",
		"cd src && systemctl restart web",
	])("are named where they would let the command pass: %s", (command) => {
		const asked = check(command);
		expect(asked.reason).toContain("in allowed_commands.");
		expect(check(command, listedCommands(command)).decision).toBe("allow");
	});

	it.each([
		"cat a.txt | sh",
		"/tmp/run.sh",
		"sh ../run.sh",
		"make -C ../other",
		"$CMD a",
		'eval "$TEXT"',
		"echo x > ~/notes.txt",
		"echo x >> ../other/a",
		"PATH=/tmp:$PATH ls",
		"LD_PRELOAD=./a.so ls",
		"telnet host.example.com < a",
	])("are not named where they would not help: %s", (command) => {
		const asked = check(command);
		expect(asked.decision).toBe("confirm");
		expect(asked.reason).not.toContain("allowed_commands");
		expect(check(command, listedCommands(command)).decision).toBe("confirm");
	});
});

describe("why a command fired", () => {
	it.each([
		["rm -rf ~", "matches the forbidden command rm -rf ~"],
		["rm -rf /", "matches the forbidden command rm -rf /"],
		["rm -r .", ". is, or contains, a path that .git/ protects"],
		["sed -i 's/a/b/' .env", ".env is protected by .env"],
		["rm *", "* can mean a path that"],
		["ls | xargs rm -rf", "removes whatever a list names"],
		["psql -c 'DELETE FROM a'", "deletes every row: DELETE FROM a"],
		["cp a /usr/local/bin/a", "writes outside the workspace: /usr/local/bin/a"],
		["frobnicate /etc/shadow", "uses /etc/shadow in a system folder"],
		["frobnicate 'git push --force'", "a command that would be denied: git push overwrites what others have"],
		["net user ann /delete", "net /delete changes or removes what the machine relies on"],
		["sudo -u ann ls", "runs with another user's rights"],
	])("is said of %s", (command, because) => {
		expect(check(command).reason).toContain(because);
	});

	it("is said of the kind and of the description of an action", () => {
		const rules = { protectedPaths: [], forbiddenCommands: [], budgetUsd: 10 };
		const action = { action: "Delete the old table", files_affected: [], commands: [] };
		expect(decide(action, rules).reason).toContain("Deletes something (the description of the action says so).");
		expect(decide({ ...action, action_kind: "deploy", estimated_cost_usd: 12.5 }, rules).reason).toMatch(
			/Costs more than the budget \(12\.5 USD, with a budget of 10 USD\)\. Deploys or publishes \(the action is of kind deploy\)\.$/,
		);
	});
});

describe("the place of a reason", () => {
	it("shows the redirect that is to blame", () => {
		expect(check("echo x >> ~/.bashrc").reason).toContain("(`echo x >> ~/.bashrc`: ");
		expect(check("> a.txt").reason).toContain("(`> a.txt`: empties a.txt)");
		expect(check("echo x > '../a b'").reason).toContain("`echo x > '../a b'`");
	});

	it("shows no redirect where the words are to blame", () => {
		expect(check("systemctl restart web > out.txt").reason).toContain("(`systemctl restart web`: ");
		expect(check("cat .env > out.txt").reason).toContain("`cat .env`: ");
	});
});
