// Command-line clients of clouds, clusters, registries, queues, vaults and other services: read by their verbs.
import { type Act, type Effect, forbid, raise, risky, type Tool } from "../effects.ts";
import { hasFlag } from "../options.ts";

/** Clients whose words are `client resource verb …` or `client verb resource …`. */
export const CLIENTS: readonly string[] = [
	// Clouds and platforms.
	"aws",
	"aws-vault",
	"gcloud",
	"gsutil",
	"bq",
	"az",
	"azcopy",
	"doctl",
	"linode-cli",
	"hcloud",
	"ibmcloud",
	"oci",
	"aliyun",
	"scw",
	"exo",
	"vultr-cli",
	"openstack",
	"heroku",
	"fly",
	"flyctl",
	"vercel",
	"netlify",
	"railway",
	"render",
	"wrangler",
	"firebase",
	"supabase",
	"amplify",
	"eb",
	"sam",
	"cdk",
	"serverless",
	"sls",
	"sst",
	"copilot",
	"convox",
	"dokku",
	"cf",
	"eksctl",
	"kops",
	"s3cmd",
	"s5cmd",
	"mc",
	"planetscale",
	"pscale",
	"neonctl",
	"turso",
	"koyeb",
	"deployctl",
	"ngrok",
	"cloudflared",
	"flarectl",
	"fastly",
	"bunny",
	// Containers and clusters.
	"docker",
	"docker-compose",
	"podman",
	"podman-compose",
	"nerdctl",
	"buildah",
	"skopeo",
	"crictl",
	"ctr",
	"kubectl",
	"oc",
	"k",
	"helm",
	"helmfile",
	"kustomize",
	"k3d",
	"kind",
	"minikube",
	"k3s",
	"microk8s",
	"argocd",
	"flux",
	"velero",
	"istioctl",
	"linkerd",
	"vcluster",
	"rancher",
	"nomad",
	"consul",
	"vagrant",
	"multipass",
	"lxc",
	"virsh",
	"qm",
	"pct",
	"vboxmanage",
	"limactl",
	"colima",
	// Infrastructure as code and secrets.
	"terraform",
	"tofu",
	"terragrunt",
	"pulumi",
	"packer",
	"crossplane",
	"vault",
	"bao",
	"op",
	"bw",
	"doppler",
	"infisical",
	"chamber",
	"sops",
	"berglas",
	"teller",
	"akeyless",
	"cyberark",
	// Code hosts and pipelines.
	"gh",
	"glab",
	"hub",
	"circleci",
	"jenkins-cli",
	"jenkins-cli.jar",
	"travis",
	"buildkite-agent",
	"fly-cli",
	"drone",
	"tkn",
	"argo",
	"act",
	"codefresh",
	"tea",
	"bb",
	// Queues, streams and search.
	"kafka-topics",
	"kafka-topics.sh",
	"kafka-delete-records",
	"kafka-delete-records.sh",
	"kafka-consumer-groups",
	"kafka-consumer-groups.sh",
	"kafka-configs",
	"kafka-configs.sh",
	"kafka-acls",
	"kafka-acls.sh",
	"kafka-streams-application-reset",
	"kcat",
	"rpk",
	"confluent",
	"rabbitmqctl",
	"rabbitmqadmin",
	"nats",
	"pulsar-admin",
	"mqadmin",
	"elasticdump",
	"curator_cli",
	"curator",
	"opensearch-cli",
	"algolia",
	"meilisearch",
	"temporal",
	"tctl",
	"celery",
	// Backups and object stores.
	"restic",
	"borg",
	"borgmatic",
	"rclone",
	"kopia",
	"duplicity",
	"duplicacy",
	"tarsnap",
	"rdiff-backup",
	"wal-g",
	"pgbackrest",
	"barman",
	"zfs",
	"zpool",
	"btrfs",
	"lvm",
	// Traffic, flags, monitoring, payments, mail.
	"kong",
	"deck",
	"apigeecli",
	"apigee",
	"haproxy",
	"ldcli",
	"flipt",
	"unleash",
	"split",
	"launchdarkly",
	"datadog",
	"datadog-ci",
	"dog",
	"newrelic",
	"pd",
	"pagerduty",
	"promtool",
	"amtool",
	"splunk",
	"sentry-cli",
	"grafana-cli",
	"grafanactl",
	"stripe",
	"braintree",
	"square",
	"sendgrid",
	"mailgun",
	"postmark",
	"ses",
	"twilio",
	"traefik",
	"cli53",
	"octodns",
	"dnscontrol",
	// Databases by administration client.
	"dropdb",
	"dropuser",
	"mongocli",
	"atlas",
	"influx",
	"cockroach",
	"etcdctl",
	"cqlsh",
	"nodetool",
	"rails",
	"rake",
	"prisma",
	"drizzle-kit",
	"alembic",
	"flyway",
	"liquibase",
	"sequelize",
	"knex",
	"typeorm",
	"hasura",
	"artisan",
	"manage.py",
	"console",
	"dbmate",
	"goose",
	"migrate",
	"launchctl",
	"ollama",
	"huggingface-cli",
	"snap",
	"flatpak",
	"mas",
	"gitlab-rails",
	"gitlab-runner",
];

/** First parts of a verb that take something away for good. */
const DESTROYS =
	/^(?:delete|del|destroy|destroys|terminate|purge|purge_queue|nuke|wipe|erase|decommission|deregister|uninstall|teardown|unregister|shred|forget|obliterate|drop|dropdatabase|flush|flushall|truncate|reset_queue|expire|rmb|rmdir|rmdirs|deletefile|schedule-key-deletion|cancel-key-deletion|force-delete|delete_vhost|delete_user|clear_permissions|purge-queue)$/;

/** The same as the first word of a hyphenated or underscored verb: `delete-bucket`, `remove-tags`, `clear_permissions`. */
const DESTROYS_COMPOUND =
	/^(?:delete|del|destroy|terminate|purge|remove|clear|deregister|drop|flush|batch-delete|force-delete|schedule-key-deletion|delete-objects|disassociate|detach|revoke|disable|deactivate|cancel|abort|reset|stop|reboot|release)[-_][a-z]/;

/** Verbs that destroy with some clients and only detach, stop or tidy with others. */
const OWN_VERBS: Readonly<Record<string, RegExp>> = {
	vault: /^(?:disable|revoke|unmount|rekey|seal|step-down)$/,
	bao: /^(?:disable|revoke|unmount|rekey|seal|step-down)$/,
	op: /^(?:remove|revoke|suspend)$/,
	aws: /^(?:rb|update-secret|put-secret-value|schedule-key-deletion|modify-db-instance|purge-queue)$/,
	gsutil: /^(?:rb|rm)$/,
	gcloud: /^(?:rm|disable|remove-iam-policy-binding|set-iam-policy|reset)$/,
	bq: /^(?:rm)$/,
	az: /^(?:remove|purge|deallocate|disable)$/,
	s3cmd: /^(?:rb|rm|expire)$/,
	s5cmd: /^(?:rb|rm)$/,
	mc: /^(?:rb|rm)$/,
	terraform: /^(?:taint|force-unlock)$/,
	tofu: /^(?:taint|force-unlock)$/,
	kubectl: /^(?:drain|evict)$/,
	oc: /^(?:drain|evict)$/,
	helm: /^(?:un|rollback)$/,
	rclone: /^(?:sync|move|moveto|cleanup|rmdir|rmdirs|bisync)$/,
	restic: /^(?:prune)$/,
	borg: /^(?:prune|compact)$/,
	kopia: /^(?:remove)$/,
	nats: /^(?:rm|remove)$/,
	velero: /^(?:remove|rm)$/,
	zfs: /^(?:rollback)$/,
	zpool: /^(?:labelclear|split)$/,
	nomad: /^(?:stop)$/,
	rabbitmqctl: /^(?:reset|force_reset|stop_app|stop|forget_cluster_node|clear_policy|close_all_connections)$/,
	etcdctl: /^(?:defrag|compact)$/,
	vagrant: /^(?:halt)$/,
	wrangler: /^(?:rollback)$/,
	supabase: /^(?:reset)$/,
	prisma: /^(?:reset)$/,
	flyway: /^(?:clean|undo)$/,
	circleci: /^(?:remove-secret)$/,
	fly: /^(?:remove)$/,
	flyctl: /^(?:remove)$/,
	heroku: /^(?:pg:reset|apps:destroy|addons:destroy|pg:drop)$/,
	firebase: /^(?:firestore:delete|database:remove|hosting:disable|projects:delete|functions:delete)$/,
	rails: /^(?:db:(?:drop|reset|purge|truncate_all|schema:load))(?::|$)/,
	rake: /^(?:db:(?:drop|reset|purge|truncate_all|schema:load))(?::|$)/,
	"manage.py": /^(?:flush|reset_db|sqlflush)$/,
	console: /^doctrine:(?:database|schema):drop$/,
	artisan: /^(?:migrate:(?:fresh|reset|refresh)|db:wipe)$/,
	pulumi: /^(?:cancel)$/,
	gh: /^(?:archive)$/,
	launchctl: /^(?:unload|bootout|remove)$/,
};

/** Clients that do nothing else. */
const ONLY_DESTROYS = /^(?:dropdb|dropuser|kafka-delete-records(?:\.sh)?|kafka-streams-application-reset(?:\.sh)?)$/;

/** Options that destroy whatever the verb is. */
const OWN_FLAGS: Readonly<Record<string, RegExp>> = {
	aws: /^--(?:delete|force-delete-without-recovery|skip-final-snapshot)$/,
	gsutil: /^-d$/,
	rclone: /^--delete-/,
	"kafka-topics": /^--delete$/,
	"kafka-topics.sh": /^--delete$/,
	"kafka-consumer-groups": /^--(?:delete|delete-offsets|reset-offsets)$/,
	"kafka-consumer-groups.sh": /^--(?:delete|delete-offsets|reset-offsets)$/,
	"kafka-configs": /^--delete-config$/,
	"kafka-configs.sh": /^--delete-config$/,
	"kafka-acls": /^--remove$/,
	"kafka-acls.sh": /^--remove$/,
	terraform: /^-destroy$/,
	tofu: /^-destroy$/,
	kubectl: /^--prune$/,
	restic: /^--prune$/,
	argocd: /^--prune$/,
	celery: /^--purge$/,
};

/** Options that only show what would happen. */
const DRY = /^(?:--dry-run|--dryrun|--what-if|--check|--noop|--preview|--help|-h)$/;

/** Words that only look: what follows them is the name of something. */
const LOOKS =
	/^(?:get|list|ls|describe|show|inspect|logs|log|status|search|help|version|explain|lookup|view|info|diff|plan|validate|whoami|history|top|events|cat|read|dump|snapshots|check|config-get|images|ps)$/;

/** Options that take no value, whatever the client. */
const BOOLEAN_FLAGS =
	/^(?:--(?:quiet|silent|debug|verbose|recursive|force|yes|all|json|no-[a-z-]+|only-show-errors|non-interactive|confirm)|-[myqv])$/;

/** Words of a client that could be its verb: not options, not paths, addresses or other values; the first few. */
function verbsOf(act: Act): readonly string[] {
	const verbs: string[] = [];
	let settled = false;
	for (const [at, word] of act.words.slice(0, 64).entries()) {
		const previous = act.words[at - 1] ?? "";
		const value = /^-./.test(previous) && !previous.includes("=") && !BOOLEAN_FLAGS.test(previous);
		// After the first word that is no option's value, only such words can be verbs.
		if (/^-./.test(word) || (value && settled)) continue;
		settled ||= !value;
		// The first word of aws is a service, and one is called logs.
		if (verbs.length === 5 || (LOOKS.test(word) && !(verbs.length === 0 && act.name === "aws"))) break;
		if (/^[a-z][a-z0-9_:.-]*$/i.test(word)) verbs.push(word.toLowerCase());
		else if (verbs.length > 0 && !/^[^ ]*[/:=][^ ]*$/.test(word)) break;
	}
	return verbs;
}

function destroys(name: string, verb: string): boolean {
	if (DESTROYS.test(verb) || DESTROYS_COMPOUND.test(verb)) return true;
	if (OWN_VERBS[name]?.test(verb) === true) return true;
	return /:(?:delete|destroy|remove|drop|reset|purge)$/.test(verb);
}

/** `rm` and `remove` take away something named, but not always something that cannot be had again. */
const REMOVES = /^(?:rm|remove|rmi|down|prune|unlink|unset|disable|archive|stop|kill|scale)$/;

/** Clients whose `rm` and `remove` lose what nothing else keeps. */
const REMOVES_FOR_GOOD =
	/^(?:aws|gsutil|bq|s3cmd|s5cmd|mc|rclone|nats|vercel|netlify|wrangler|terraform|tofu|pulumi|fly|flyctl|heroku|firebase|supabase|serverless|sls|sst|railway|argocd|doctl)$/;

/** Containers, images and volumes: with force, with volumes, or all of them. */
function removesForced(act: Act, verbs: readonly string[]): boolean {
	const all =
		hasFlag("docker", act.options, "--volumes") ||
		hasFlag("docker", act.options, "--all") ||
		hasFlag("docker", act.options, "--force");
	return verbs.includes("volume") || verbs.includes("volumes") || all;
}

const client: Tool = (act) => {
	const first = act.options.operands[0] ?? "";
	if (act.options.flags.some((flag) => DRY.test(flag)) || (LOOKS.test(first) && act.name !== "aws")) return [];
	const verbs = verbsOf(act);
	const own = OWN_FLAGS[act.name];
	const destroying =
		verbs.find((verb) => destroys(act.name, verb)) ??
		(own ? act.options.flags.find((flag) => own.test(flag)) : undefined);
	if (ONLY_DESTROYS.test(act.name)) return [forbid(`${act.name} destroys something`)];
	if (destroying !== undefined) return [forbid(`${act.name} ${destroying} destroys something`)];
	if (act.name === "aws" && act.words.some((word) => /"Action"\s*:\s*"DELETE"/i.test(word)))
		return [forbid("aws deletes a record")];
	const effects = [...apiCall(act), ...deploys(act, verbs), ...privileges(act, verbs)];
	const removing = verbs.find((verb) => REMOVES.test(verb));
	if (removing === undefined) return effects;
	if (/^(?:rm|remove)$/.test(removing) && REMOVES_FOR_GOOD.test(act.name))
		return [...effects, forbid(`${act.name} ${removing} removes something for good`)];
	if (/^(?:docker|podman|nerdctl|docker-compose|podman-compose)$/.test(act.name)) {
		const forced = /^(?:rm|remove|rmi|down|prune)$/.test(removing) && removesForced(act, verbs);
		return forced
			? [...effects, forbid(`${act.name} ${removing} removes containers, images or volumes by force`)]
			: effects;
	}
	return [...effects, risky(`${act.name} ${removing} takes something away or out of service`)];
};

/** `gh api -X DELETE`, `aws … --method DELETE`. */
function apiCall(act: Act): readonly Effect[] {
	const method = act.words.findIndex((word) => /^(?:-X|--method|--request)$/.test(word));
	const given =
		method < 0
			? act.words.find((word) => /^(?:-X|--method=)[A-Za-z]+$/.test(word))?.replace(/^(?:-X|--method=)/, "")
			: act.words[method + 1];
	return given !== undefined && /^delete$/i.test(given) ? [forbid("sends a DELETE request")] : [];
}

const DEPLOYS = /^(?:deploy|apply|publish|release|rollout|upgrade|promote|up|install|launch|migrate|push)$/;
const DEPLOYERS: Readonly<Record<string, RegExp>> = {
	terraform: /^(?:apply|import)$/,
	tofu: /^(?:apply|import)$/,
	terragrunt: /^(?:apply|run-all)$/,
	pulumi: /^(?:up|update)$/,
	kubectl: /^(?:apply|create|replace|patch|set|rollout|scale|edit|cordon)$/,
	oc: /^(?:apply|create|replace|patch|rollout)$/,
	helm: /^(?:install|upgrade)$/,
	wrangler: /^(?:deploy|publish|secret|put|versions)$/,
	docker: /^push$/,
	podman: /^push$/,
	gh: /^(?:merge|upload)$/,
	prisma: /^deploy$/,
};

/** Puts something in front of others, or in place of what they use. */
function deploys(act: Act, verbs: readonly string[]): readonly Effect[] {
	if (act.options.operands.slice(0, 3).some((word) => LOOKS.test(word))) return [];
	const pattern = DEPLOYERS[act.name];
	const verb = pattern ? verbs.find((word) => pattern.test(word)) : undefined;
	if (act.name === "gh" && verbs[0] === "release" && /^(?:create|edit)$/.test(verbs[1] ?? "")) {
		return [raise("deploy_action", "gh release publishes")];
	}
	const plain =
		verb ??
		(/^(?:fly|flyctl|vercel|netlify|firebase|heroku|railway|serverless|sls|sst|cdk|sam|eb|cf|gcloud|az|amplify|supabase|argocd|convox|copilot|deployctl|nomad|kamal)$/.test(
			act.name,
		)
			? verbs.find((word) => DEPLOYS.test(word))
			: undefined);
	if (plain === undefined && !(act.name === "vercel" && act.options.flags.includes("--prod"))) return [];
	return [raise("deploy_action", `${act.name} ${plain ?? "--prod"} deploys`)];
}

/** A container that is given the host. */
function privileges(act: Act, verbs: readonly string[]): readonly Effect[] {
	if (!/^(?:docker|podman|nerdctl)$/.test(act.name) || !/^(?:run|exec|create)$/.test(verbs[0] ?? "")) return [];
	const mounts = act.words.some(
		(word) =>
			/^(?:\/|\/etc|\/root|\/home|\/var\/run\/docker\.sock):/.test(word.replace(/^(?:-v|--volume=)/, "")) ||
			/(?:source|src)=\/(?:,|$)/.test(word),
	);
	const flags = act.words.some((word) =>
		/^--(?:privileged(?:=true)?|pid=host|cap-add=(?:all|sys_admin)|security-opt=.*unconfined)$/i.test(word),
	);
	return mounts || flags ? [forbid(`${act.name} gives a container the host`)] : [];
}

/** `java -jar client.jar …` is the client. */
const java: Tool = (act) => {
	const at = act.words.indexOf("-jar");
	return at < 0 ? [] : [{ kind: "run", fields: act.words.slice(at + 1) }];
};

/** Package managers: publishing, taking back, removing packages others rely on. */
const packages: Tool = (act) => {
	const verb = act.options.operands[0] ?? "";
	if (/^(?:unpublish|yank)$/.test(verb)) return [forbid(`${act.name} ${verb} takes a published package away`)];
	const publishes =
		verb === "publish" ||
		(verb === "push" && /^(?:gem|nuget|twine)$/.test(act.name)) ||
		(act.name === "twine" && verb === "upload");
	if (publishes && !act.options.flags.some((flag) => DRY.test(flag)))
		return [raise("deploy_action", `${act.name} ${verb} publishes a package`)];
	if (/^(?:run|run-script|task)$/.test(verb) && /^(?:deploy|release|publish)/.test(act.options.operands[1] ?? ""))
		return [raise("deploy_action", `${act.name} runs ${act.options.operands[1]}`)];
	return /^(?:deprecate|owner|token|adduser|login|access)$/.test(verb)
		? [risky(`${act.name} ${verb} changes what others see`)]
		: [];
};

const systemPackages: Tool = (act) => {
	const removing =
		act.options.operands.find((word) => /^(?:remove|purge|autoremove|erase|uninstall|rm)$/.test(word)) ??
		act.options.flags.find((flag) => /^-R[a-z]*$|^-e$/.test(flag));
	if (removing !== undefined)
		return [
			act.options.operands.includes("purge")
				? forbid(`${act.name} ${removing} removes packages with their settings`)
				: risky(`${act.name} ${removing} removes packages`),
		];
	return [];
};

const PACKAGE_MANAGERS = [
	"npm",
	"pnpm",
	"yarn",
	"bun",
	"cargo",
	"gem",
	"twine",
	"poetry",
	"uv",
	"hatch",
	"flit",
	"nuget",
	"dotnet",
	"mvn",
	"gradle",
	"gradlew",
	"deno",
	"jsr",
	"mix",
	"stack",
	"cabal",
	"vsce",
	"ovsx",
	"make",
	"just",
	"task",
];
const SYSTEM_PACKAGES = [
	"apt",
	"apt-get",
	"aptitude",
	"dnf",
	"yum",
	"rpm",
	"dpkg",
	"pacman",
	"zypper",
	"apk",
	"brew",
	"port",
	"emerge",
	"nix-env",
	"choco",
	"winget",
	"scoop",
];

export const RESOURCES: Readonly<Record<string, Tool>> = {
	...Object.fromEntries(CLIENTS.map((name) => [name, client])),
	...Object.fromEntries(PACKAGE_MANAGERS.map((name) => [name, packages])),
	...Object.fromEntries(SYSTEM_PACKAGES.map((name) => [name, systemPackages])),
	java,
};
