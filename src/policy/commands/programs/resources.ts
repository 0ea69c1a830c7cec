// Command-line clients of clouds, clusters, registries, queues, vaults and other services, judged by their verbs.

import {
	type Effect,
	forbiddenEffect,
	type Invocation,
	type ProgramRule,
	raiseEffect,
	riskyEffect,
} from "../effects.ts";
import { hasFlag } from "../options.ts";
import { setsBySpelling } from "../program-tables.ts";
import { findDanger, findOpening, findPrintedSecrets } from "./dangers.ts";
import {
	findGroups,
	findPlatformEffects,
	isGroupBefore,
	isGroupThatLooks,
	normalizeVerb,
	OPTIONS_WITHOUT_VALUE,
	staysOnLocalTarget,
} from "./platforms.ts";
import { CHANGES_FOR_OTHERS } from "./publishing.ts";
import resourcesFile from "./resources.json" with { type: "json" };

/** Verbs that take something away for good. */
const DESTROYING_VERBS: ReadonlySet<string> = new Set(resourcesFile.destroying_verbs);
/** The same as the first word of a hyphenated or underscored verb: `delete-bucket`, `remove-tags`, `clear_permissions`. */
const DESTROYING_COMPOUND =
	/^(?:[a-z]{1,16}[-_])?(?:delete|del|destroy|terminate|purge|remove|clear|deregister|drop|flush|batch-delete|force-delete|schedule-key-deletion|wipe|erase)[-_][a-z]/;
/** The same behind the name of a thing: `apps:destroy`. */
const DESTROYING_TASK = /:(?:delete|destroy|remove|drop|reset|purge)$/;

/** Verbs that destroy with some clients. With others they only detach, stop or tidy. */
const OWN_DESTROYING_VERBS = setsBySpelling(resourcesFile.own_destroying_verbs);
/** Options of a client that destroy whatever its verb is. */
const OWN_DESTROYING_OPTIONS = setsBySpelling(resourcesFile.own_destroying_options);
/** Clients that do nothing but destroy. */
const DESTROYING_CLIENTS: ReadonlySet<string> = new Set(resourcesFile.destroying_clients);

/** Clients of databases, whose `-h` names the host. */
const HOST_OPTION_CLIENTS: ReadonlySet<string> = new Set(resourcesFile.host_option_clients);

/** Verbs that take something away, but not always something that cannot be had again. */
const REMOVING_VERBS: ReadonlySet<string> = new Set(resourcesFile.removing_verbs);
const REMOVING_COMPOUND =
	/^(?:disassociate|detach|revoke|disable|deactivate|cancel|abort|reset|stop|reboot|release)[-_][a-z]/;
/** Clients whose `rm` and `remove` lose what nothing else keeps. */
const CLIENTS_REMOVING_FOR_GOOD: ReadonlySet<string> = new Set(resourcesFile.clients_removing_for_good);

/** Verbs that publish something, and the clients with which they do nothing else. */
const DEPLOYING_VERBS: ReadonlySet<string> = new Set(resourcesFile.deploying_verbs);
const DEPLOYING_CLIENTS: ReadonlySet<string> = new Set(resourcesFile.deploying_clients);
const OWN_DEPLOYING_VERBS = setsBySpelling(resourcesFile.own_deploying_verbs);

/** Verbs that only look. What follows one is the name of something. */
const LOOKING_VERBS: ReadonlySet<string> = new Set(resourcesFile.reading_verbs);
/** Options that only show what would happen. */
const DRY_RUN_OPTIONS: ReadonlySet<string> = new Set(resourcesFile.dry_run_options);
function takesNoValue(option: string): boolean {
	return OPTIONS_WITHOUT_VALUE.has(option) || /^--no-[a-z-]+$/.test(option);
}

/** Finds the first few words of a client that may be its verb: no options, paths, addresses or other values. */
function findVerbs(command: Invocation): readonly string[] {
	const verbs: string[] = [];
	let hasOperand = false;
	for (const [at, word] of command.words.entries()) {
		const previous = command.words[at - 1] ?? "";
		const isOptionValue = /^-./.test(previous) && !previous.includes("=") && !takesNoValue(previous);
		// After the first word that is surely no option's value, only such words can be verbs.
		if (/^-./.test(word) || (isOptionValue && hasOperand)) continue;
		hasOperand ||= !isOptionValue;
		// The first word of aws is a service, and one service is called logs.
		if (verbs.length === 5 || isReadingVerb(command, at, verbs.length === 0)) break;
		if (/^[a-z][a-z0-9_:.-]*$/i.test(word)) verbs.push(normalizeVerb(word));
		else if (verbs.length > 0 && !/^[^ ]*[/:=][^ ]*$/.test(word)) break;
	}
	return verbs;
}

/** Whether a word only looks. The first word of aws is a service, and one service is called logs. */
function isReadingVerb({ name, words }: Invocation, at: number, isFirst: boolean): boolean {
	const word = words[at] ?? "";
	if (!LOOKING_VERBS.has(word) || (isFirst && name === "aws")) return false;
	return !isGroupBefore(name, word, words[at + 1]);
}

function isDestroyingVerb(client: string, verb: string): boolean {
	if (DESTROYING_VERBS.has(verb) || DESTROYING_COMPOUND.test(verb) || DESTROYING_TASK.test(verb)) return true;
	const own = OWN_DESTROYING_VERBS.get(client);
	// `db:drop:primary` drops one of several databases.
	const task = /^(?:rails|rake)$/.test(client) && [...(own ?? [])].some((name) => verb.startsWith(`${name}:`));
	return task || own?.has(verb) === true;
}

function isDestroyingOption(client: string, option: string): boolean {
	if (client === "rclone" && option.startsWith("--delete-")) return true;
	return OWN_DESTROYING_OPTIONS.get(client)?.has(option) === true;
}

function isRemovingVerb(verb: string): boolean {
	return REMOVING_VERBS.has(verb) || REMOVING_COMPOUND.test(verb);
}

/** Names of containers that are made to be thrown away: `test-db`, `e2e_redis`, `pg-tmp`. */
const DISPOSABLE_NAME = /^(?:[a-z0-9]+[-_])*(?:test|tests|testing|tmp|temp|e2e|scratch)(?:[-_][a-z0-9]+)*$/;
const KEPT_NAME = /(?:^|[-_])(?:prod|production|live|prd|staging|backup)(?:[-_]|$)/;

/** Whether only containers are removed that are made to be thrown away, and no volumes with them: `docker rm -f test-db`. */
function removesDisposable({ name, words }: Invocation): boolean {
	const isPlain =
		/^(?:docker|podman|nerdctl)$/.test(name) && words[0] === "rm" && /^(?:-f|--force)$/.test(words[1] ?? "");
	const names = words.slice(2);
	return isPlain && names.length > 0 && names.every((word) => DISPOSABLE_NAME.test(word) && !KEPT_NAME.test(word));
}

function isCompose({ name, words }: Invocation): boolean {
	return /-compose$/.test(name) || words[0] === "compose";
}

/** Whether containers, images or volumes are removed by force, with their volumes, or all of them. */
function removesByForce(command: Invocation, verbs: readonly string[]): boolean {
	const all =
		hasFlag("docker", command.options, "--volumes") ||
		hasFlag("docker", command.options, "--all") ||
		// `-f` of compose names a file.
		(!isCompose(command) && hasFlag("docker", command.options, "--force"));
	return verbs.includes("stack") || verbs.includes("volume") || verbs.includes("volumes") || all;
}

const serviceClient: ProgramRule = (command) => [
	...(command.options.flags.some((flag) => /^--help$|^-h$/.test(flag))
		? []
		: findPrintedSecrets(command, findGroups(command))),
	...clientEffects(command),
];

function clientEffects(command: Invocation): readonly Effect[] {
	if (staysOnLocalTarget(command)) return [];
	const [first = "", next] = command.options.operands;
	const looks = LOOKING_VERBS.has(first) && command.name !== "aws" && !isGroupBefore(command.name, first, next);
	const isHost = (flag: string) => flag === "-h" && HOST_OPTION_CLIENTS.has(command.name);
	if (command.options.flags.some((flag) => DRY_RUN_OPTIONS.has(flag) && !isHost(flag)) || looks) return [];
	const verbs = findVerbs(command);
	const destroyingWord =
		verbs.find((verb) => isDestroyingVerb(command.name, verb)) ??
		command.options.flags.find((flag) => isDestroyingOption(command.name, flag));
	if (DESTROYING_CLIENTS.has(command.name)) return [forbiddenEffect(`${command.name} destroys something`)];
	if (destroyingWord !== undefined) return [forbiddenEffect(`${command.name} ${destroyingWord} destroys something`)];
	if (command.name === "aws" && command.words.some((word) => /"Action"\s*:\s*"DELETE"/i.test(word)))
		return [forbiddenEffect("aws deletes a record")];
	const effects = [
		...apiCallEffects(command),
		...deploymentEffects(command, verbs),
		...containerEffects(command, verbs),
	];
	const { operands } = command.options;
	const removingVerb = verbs.find(
		(verb) => isRemovingVerb(verb) && !isGroupThatLooks(verb, operands[operands.indexOf(verb) + 1]),
	);
	if (removingVerb === undefined) return effects.length > 0 ? effects : findPlatformEffects(command);
	if (/^(?:rm|remove)$/.test(removingVerb) && CLIENTS_REMOVING_FOR_GOOD.has(command.name))
		return [...effects, forbiddenEffect(`${command.name} ${removingVerb} removes something for good`)];
	if (/^(?:docker|podman|nerdctl|docker-compose|podman-compose)$/.test(command.name)) {
		const isForced = /^(?:rm|remove|rmi|down|prune)$/.test(removingVerb) && removesByForce(command, verbs);
		if (removesDisposable(command)) return effects;
		return isForced
			? [...effects, forbiddenEffect(`${command.name} ${removingVerb} removes containers, images or volumes for good`)]
			: effects;
	}
	return [...effects, riskyEffect(`${command.name} ${removingVerb} removes something or takes it out of service`)];
}

/** `gh api -X DELETE`, `aws … --method DELETE`. */
function apiCallEffects(command: Invocation): readonly Effect[] {
	const methodAt = command.words.findIndex((word) => /^(?:-X|--method|--request)$/.test(word));
	const methodName =
		methodAt < 0
			? command.words
					.find((word) => /^(?:-X|--(?:method|request)=)[A-Za-z]+$/.test(word))
					?.replace(/^(?:-X|--[a-z]+=)/, "")
			: command.words[methodAt + 1];
	return methodName !== undefined && /^delete$/i.test(methodName) ? [forbiddenEffect("sends a DELETE request")] : [];
}

/** What publishes something, or replaces what others use. */
function deploymentEffects(command: Invocation, verbs: readonly string[]): readonly Effect[] {
	const { operands } = command.options;
	if (operands.some((word, at) => isGroupThatLooks(word, operands[at + 1]))) return [];
	const ownVerbs = OWN_DEPLOYING_VERBS.get(command.name);
	const ownVerb = ownVerbs && verbs.find((word) => ownVerbs.has(word));
	if (command.name === "gh" && verbs[0] === "release" && /^(?:create|edit)$/.test(verbs[1] ?? "")) {
		return [raiseEffect("deploy_action", CHANGES_FOR_OTHERS)];
	}
	const deployingVerb =
		ownVerb ?? (DEPLOYING_CLIENTS.has(command.name) ? verbs.find((word) => DEPLOYING_VERBS.has(word)) : undefined);
	if (deployingVerb === undefined && !(command.name === "vercel" && command.options.flags.includes("--prod")))
		return [];
	// `kubectl create clusterrolebinding`: what is made says more than that it is made.
	const danger = /^(?:create|patch|annotate|label|set|edit)$/.test(deployingVerb ?? "")
		? findDanger(verbs, command.words)
		: findOpening(verbs, command.words);
	return [raiseEffect("deploy_action", danger?.because ?? CHANGES_FOR_OTHERS, danger?.instead)];
}

const OPENING_OPTION = /^--(?:privileged(?:=true)?|pid=host|cap-add=(?:all|sys_admin)|security-opt=.*unconfined)$/i;

/** Options that give a container access to the host. */
function containerEffects(command: Invocation, verbs: readonly string[]): readonly Effect[] {
	if (!/^(?:docker|podman|nerdctl)$/.test(command.name) || !/^(?:run|exec|create)$/.test(verbs[0] ?? "")) return [];
	const mounts = command.words.some(
		(word) =>
			/^(?:\/|\/etc|\/root|\/home|\/var\/run\/docker\.sock):/.test(word.replace(/^(?:-v|--volume=)/, "")) ||
			/(?:source|src)=\/(?:,|$)/.test(word),
	);
	const flags = command.words.some(
		(word, at) => OPENING_OPTION.test(word) || OPENING_OPTION.test(`${word}=${command.words[at + 1]}`),
	);
	return mounts || flags ? [forbiddenEffect(`${command.name} gives a container access to the host`)] : [];
}

/** `java -jar client.jar …` runs the client. */
const java: ProgramRule = (command) => {
	const at = command.words.indexOf("-jar");
	return at < 0 ? [] : [{ kind: "run", fields: command.words.slice(at + 1) }];
};

const systemPackageManager: ProgramRule = (command) => {
	const removingWord =
		command.options.operands.find((word) => /^(?:remove|purge|autoremove|erase|uninstall|rm)$/.test(word)) ??
		command.options.flags.find((flag) => /^-R[a-z]*$|^-e$/.test(flag));
	if (removingWord !== undefined)
		return [
			command.options.operands.includes("purge")
				? forbiddenEffect(`${command.name} ${removingWord} removes packages with their settings`)
				: riskyEffect(`${command.name} ${removingWord} removes packages`),
		];
	return [];
};

export const SERVICE_CLIENTS: Readonly<Record<string, ProgramRule>> = {
	...Object.fromEntries(
		Object.values(resourcesFile.clients).flatMap((names) => names.map((name) => [name, serviceClient])),
	),
	...Object.fromEntries(resourcesFile.system_package_managers.map((name) => [name, systemPackageManager])),
	java,
};
