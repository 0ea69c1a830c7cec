// Command-line clients of clouds, clusters, registries, queues, vaults and other services: read by their verbs.

import { type CommandModel, type Effect, forbid, type Invocation, raise, risky } from "../effects.ts";
import { entryOf } from "../entry.ts";
import { hasFlag } from "../options.ts";
import {
	BOOLEAN_FLAGS,
	CLIENTS,
	DEPLOYERS,
	DEPLOYS,
	DESTROYS,
	DESTROYS_COMPOUND,
	DRY,
	LOOKS,
	ONLY_DESTROYS,
	OWN_FLAGS,
	OWN_VERBS,
	PACKAGE_MANAGERS,
	REMOVES,
	REMOVES_FOR_GOOD,
	SYSTEM_PACKAGES,
} from "./resource-tables.ts";

/** Words of a client that could be its verb: not options, not paths, addresses or other values; the first few. */
function verbsOf(command: Invocation): readonly string[] {
	const verbs: string[] = [];
	let settled = false;
	for (const [at, word] of command.words.slice(0, 64).entries()) {
		const previous = command.words[at - 1] ?? "";
		const value = /^-./.test(previous) && !previous.includes("=") && !BOOLEAN_FLAGS.test(previous);
		// After the first word that is no option's value, only such words can be verbs.
		if (/^-./.test(word) || (value && settled)) continue;
		settled ||= !value;
		// The first word of aws is a service, and one is called logs.
		if (verbs.length === 5 || (LOOKS.test(word) && !(verbs.length === 0 && command.name === "aws"))) break;
		if (/^[a-z][a-z0-9_:.-]*$/i.test(word)) verbs.push(word.toLowerCase());
		else if (verbs.length > 0 && !/^[^ ]*[/:=][^ ]*$/.test(word)) break;
	}
	return verbs;
}

function destroys(name: string, verb: string): boolean {
	if (DESTROYS.test(verb) || DESTROYS_COMPOUND.test(verb)) return true;
	if (entryOf(OWN_VERBS, name)?.test(verb) === true) return true;
	return /:(?:delete|destroy|remove|drop|reset|purge)$/.test(verb);
}

/** Containers, images and volumes: with force, with volumes, or all of them. */
function removesForced(command: Invocation, verbs: readonly string[]): boolean {
	const all =
		hasFlag("docker", command.options, "--volumes") ||
		hasFlag("docker", command.options, "--all") ||
		hasFlag("docker", command.options, "--force");
	return verbs.includes("stack") || verbs.includes("volume") || verbs.includes("volumes") || all;
}

const client: CommandModel = (command) => {
	const first = command.options.operands[0] ?? "";
	if (command.options.flags.some((flag) => DRY.test(flag)) || (LOOKS.test(first) && command.name !== "aws")) return [];
	const verbs = verbsOf(command);
	const own = entryOf(OWN_FLAGS, command.name);
	const destroying =
		verbs.find((verb) => destroys(command.name, verb)) ??
		(own ? command.options.flags.find((flag) => own.test(flag)) : undefined);
	if (ONLY_DESTROYS.test(command.name)) return [forbid(`${command.name} destroys something`)];
	if (destroying !== undefined) return [forbid(`${command.name} ${destroying} destroys something`)];
	if (command.name === "aws" && command.words.some((word) => /"Action"\s*:\s*"DELETE"/i.test(word)))
		return [forbid("aws deletes a record")];
	const effects = [...apiCall(command), ...deploys(command, verbs), ...privileges(command, verbs)];
	const removing = verbs.find((verb) => REMOVES.test(verb));
	if (removing === undefined) return effects;
	if (/^(?:rm|remove)$/.test(removing) && REMOVES_FOR_GOOD.test(command.name))
		return [...effects, forbid(`${command.name} ${removing} removes something for good`)];
	if (/^(?:docker|podman|nerdctl|docker-compose|podman-compose)$/.test(command.name)) {
		const forced = /^(?:rm|remove|rmi|down|prune)$/.test(removing) && removesForced(command, verbs);
		return forced
			? [...effects, forbid(`${command.name} ${removing} removes containers, images or volumes by force`)]
			: effects;
	}
	return [...effects, risky(`${command.name} ${removing} takes something away or out of service`)];
};

/** `gh api -X DELETE`, `aws … --method DELETE`. */
function apiCall(command: Invocation): readonly Effect[] {
	const method = command.words.findIndex((word) => /^(?:-X|--method|--request)$/.test(word));
	const given =
		method < 0
			? command.words.find((word) => /^(?:-X|--method=)[A-Za-z]+$/.test(word))?.replace(/^(?:-X|--method=)/, "")
			: command.words[method + 1];
	return given !== undefined && /^delete$/i.test(given) ? [forbid("sends a DELETE request")] : [];
}

/** Puts something in front of others, or in place of what they use. */
function deploys(command: Invocation, verbs: readonly string[]): readonly Effect[] {
	if (command.options.operands.slice(0, 3).some((word) => LOOKS.test(word))) return [];
	const pattern = entryOf(DEPLOYERS, command.name);
	const verb = pattern ? verbs.find((word) => pattern.test(word)) : undefined;
	if (command.name === "gh" && verbs[0] === "release" && /^(?:create|edit)$/.test(verbs[1] ?? "")) {
		return [raise("deploy_action", "gh release publishes")];
	}
	const plain =
		verb ??
		(/^(?:fly|flyctl|vercel|netlify|firebase|heroku|railway|serverless|sls|sst|cdk|sam|eb|cf|gcloud|az|amplify|supabase|argocd|convox|copilot|deployctl|nomad|kamal)$/.test(
			command.name,
		)
			? verbs.find((word) => DEPLOYS.test(word))
			: undefined);
	if (plain === undefined && !(command.name === "vercel" && command.options.flags.includes("--prod"))) return [];
	return [raise("deploy_action", `${command.name} ${plain ?? "--prod"} deploys`)];
}

/** A container that is given the host. */
function privileges(command: Invocation, verbs: readonly string[]): readonly Effect[] {
	if (!/^(?:docker|podman|nerdctl)$/.test(command.name) || !/^(?:run|exec|create)$/.test(verbs[0] ?? "")) return [];
	const mounts = command.words.some(
		(word) =>
			/^(?:\/|\/etc|\/root|\/home|\/var\/run\/docker\.sock):/.test(word.replace(/^(?:-v|--volume=)/, "")) ||
			/(?:source|src)=\/(?:,|$)/.test(word),
	);
	const flags = command.words.some((word) =>
		/^--(?:privileged(?:=true)?|pid=host|cap-add=(?:all|sys_admin)|security-opt=.*unconfined)$/i.test(word),
	);
	return mounts || flags ? [forbid(`${command.name} gives a container the host`)] : [];
}

/** `java -jar client.jar …` is the client. */
const java: CommandModel = (command) => {
	const at = command.words.indexOf("-jar");
	return at < 0 ? [] : [{ kind: "run", fields: command.words.slice(at + 1) }];
};

/** Package managers: publishing, taking back, removing packages others rely on. */
const packages: CommandModel = (command) => {
	const verb = command.options.operands[0] ?? "";
	if (/^(?:unpublish|yank)$/.test(verb)) return [forbid(`${command.name} ${verb} takes a published package away`)];
	const publishes =
		verb === "publish" ||
		(verb === "push" && /^(?:gem|nuget|twine)$/.test(command.name)) ||
		(command.name === "twine" && verb === "upload");
	if (publishes && !command.options.flags.some((flag) => DRY.test(flag)))
		return [raise("deploy_action", `${command.name} ${verb} publishes a package`)];
	if (/^(?:run|run-script|task)$/.test(verb) && /^(?:deploy|release|publish)/.test(command.options.operands[1] ?? ""))
		return [raise("deploy_action", `${command.name} runs ${command.options.operands[1]}`)];
	return /^(?:deprecate|owner|token|adduser|login|access)$/.test(verb)
		? [risky(`${command.name} ${verb} changes what others see`)]
		: [];
};

const systemPackages: CommandModel = (command) => {
	const removing =
		command.options.operands.find((word) => /^(?:remove|purge|autoremove|erase|uninstall|rm)$/.test(word)) ??
		command.options.flags.find((flag) => /^-R[a-z]*$|^-e$/.test(flag));
	if (removing !== undefined)
		return [
			command.options.operands.includes("purge")
				? forbid(`${command.name} ${removing} removes packages with their settings`)
				: risky(`${command.name} ${removing} removes packages`),
		];
	return [];
};

export const RESOURCES: Readonly<Record<string, CommandModel>> = {
	...Object.fromEntries(CLIENTS.map((name) => [name, client])),
	...Object.fromEntries(PACKAGE_MANAGERS.map((name) => [name, packages])),
	...Object.fromEntries(SYSTEM_PACKAGES.map((name) => [name, systemPackages])),
	java,
};
