// Command-line clients of clouds, clusters, registries, queues, vaults and other services: read by their verbs.

import { type Act, type Effect, forbid, raise, risky, type Tool } from "../effects.ts";
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
	if (entryOf(OWN_VERBS, name)?.test(verb) === true) return true;
	return /:(?:delete|destroy|remove|drop|reset|purge)$/.test(verb);
}

/** Containers, images and volumes: with force, with volumes, or all of them. */
function removesForced(act: Act, verbs: readonly string[]): boolean {
	const all =
		hasFlag("docker", act.options, "--volumes") ||
		hasFlag("docker", act.options, "--all") ||
		hasFlag("docker", act.options, "--force");
	return verbs.includes("stack") || verbs.includes("volume") || verbs.includes("volumes") || all;
}

const client: Tool = (act) => {
	const first = act.options.operands[0] ?? "";
	if (act.options.flags.some((flag) => DRY.test(flag)) || (LOOKS.test(first) && act.name !== "aws")) return [];
	const verbs = verbsOf(act);
	const own = entryOf(OWN_FLAGS, act.name);
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

/** Puts something in front of others, or in place of what they use. */
function deploys(act: Act, verbs: readonly string[]): readonly Effect[] {
	if (act.options.operands.slice(0, 3).some((word) => LOOKS.test(word))) return [];
	const pattern = entryOf(DEPLOYERS, act.name);
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

export const RESOURCES: Readonly<Record<string, Tool>> = {
	...Object.fromEntries(CLIENTS.map((name) => [name, client])),
	...Object.fromEntries(PACKAGE_MANAGERS.map((name) => [name, packages])),
	...Object.fromEntries(SYSTEM_PACKAGES.map((name) => [name, systemPackages])),
	java,
};
