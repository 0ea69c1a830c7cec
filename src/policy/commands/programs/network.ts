// Commands that reach other machines: requests that change something there, uploads, downloads to files, open ports.
import { type Effect, forbiddenEffect, type Invocation, type ProgramRule, riskyEffect } from "../effects.ts";
import { parseArguments } from "../grammar.ts";
import { findChangingRequest, findMethodEffects, staysOnThisMachine } from "./requests.ts";

/** Paths to which a POST is a deletion. */
const DELETING_PATH =
	/\/(?:do)?(?:delete|destroy|purge|_delete_by_query|delete-by-query|delete-batch|wipeout|terminate)(?:[/?#]|$)/i;

/** Clients whose operands are a method, an address and fields: `http POST host name=value`. */
const METHOD_FIRST_CLIENTS: ReadonlySet<string> = new Set(["http", "https", "xh", "xhs", "curlie"]);

const CHANGING_METHOD = /^(?:POST|PUT|PATCH)$/;

/** A field of httpie's body. `name==value` is of the query, `name:value` a header. */
const BODY_FIELD = /^[A-Za-z_][A-Za-z0-9_.[\]-]*(?::?=(?!=)|@)/;

/** Options with which a body is sent as a query, or nothing but the head is asked for. */
const ASKING_OPTIONS: ReadonlySet<string> = new Set(["-G", "--get", "-I", "--head", "--spider", "--offline"]);

/** The method that a request names. */
function findGivenMethod(command: Invocation): string | undefined {
	const [first = ""] = command.options.operands;
	return (
		parseArguments(command).find(({ role }) => role === "method")?.text ??
		(METHOD_FIRST_CLIENTS.has(command.name) && /^[A-Za-z]{3,7}$/.test(first) ? first : undefined)
	);
}

/** The method of a request, as it is given or as the body implies it. */
function findMethod(command: Invocation): string {
	const { name, options } = command;
	const given = findGivenMethod(command);
	if (given !== undefined) return given.toUpperCase();
	if (options.flags.some((flag) => ASKING_OPTIONS.has(flag)) || options.letters.has("G")) return "GET";
	const hasBody =
		parseArguments(command).some(({ role }) => role === "body" || role === "upload") ||
		(METHOD_FIRST_CLIENTS.has(name) && options.operands.slice(1).some((word) => BODY_FIELD.test(word)));
	return hasBody ? "POST" : "GET";
}

function requestEffects(command: Invocation): readonly Effect[] {
	const { operands } = command.options;
	const method = findMethod(command);
	// `http --auth user:word DELETE host`: the method stands behind an option's value.
	const isDelete = method === "DELETE" || (METHOD_FIRST_CLIENTS.has(command.name) && operands.includes("DELETE"));
	if (isDelete) return findMethodEffects("DELETE", operands);
	if (method === "POST" && operands.some((word) => DELETING_PATH.test(word)))
		return [forbiddenEffect("sends a request that deletes")];
	if (command.options.flags.includes("--offline")) return [];
	// A body alone is often a question or a hook's text. A method that is named says that something is to change.
	const named = METHOD_FIRST_CLIENTS.has(command.name) ? operands : [];
	const changes = [findGivenMethod(command)?.toUpperCase() ?? "", ...named].some((word) => CHANGING_METHOD.test(word));
	return changes ? findChangingRequest(operands) : [];
}

/** Options with which a client talks to whoever answers. */
const UNCHECKED_OPTIONS: ReadonlySet<string> = new Set(["--insecure", "--no-check-certificate", "--verify=no"]);

function uncheckedEffects({ name, words, options }: Invocation): readonly Effect[] {
	const isUnchecked =
		(name === "curl" && options.letters.has("k")) || words.some((word) => UNCHECKED_OPTIONS.has(word));
	return isUnchecked && !staysOnThisMachine(options.operands)
		? [riskyEffect(`${name} does not check the certificate of the server`)]
		: [];
}

/** Where clouds tell a machine its own credentials, by their addresses and names. */
const METADATA_HOST =
	/^(?:https?:\/\/)?(?:169\.254\.169\.254|169\.254\.170\.2|100\.100\.100\.200|\[fd00:ec2::254\]|metadata\.google\.internal\.?)(?=[:/?]|$)/i;

/** What a machine of a cloud is asked for its own credentials. */
function metadataEffects({ options }: Invocation): readonly Effect[] {
	return options.operands.some((word) => METADATA_HOST.test(word))
		? [riskyEffect("asks the cloud for what this machine knows, its credentials among it")]
		: [];
}

const request: ProgramRule = (command) => [
	...metadataEffects(command),
	...requestEffects(command),
	...uncheckedEffects(command),
];

/** What only this machine reaches. */
const LOOPBACK = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1)$/;

/** What is piped into a program that sends what it reads. */
const sendsInput = (program: string): Effect => riskyEffect(`${program} sends its input to another machine`);

const netcat: ProgramRule = ({ name, options, piped }) => {
	const connectsShell =
		options.letters.has("e") ||
		options.letters.has("c") ||
		options.flags.some((flag) => /^--(?:exec|sh-exec|lua-exec)$/.test(flag));
	if (connectsShell) return [forbiddenEffect(`${name} connects a shell to the network`)];
	if (options.operands.some((word) => LOOPBACK.test(word))) return [];
	const listens = options.letters.has("l") || options.flags.includes("--listen");
	return [
		...(listens ? [riskyEffect(`${name} listens for other machines`, `${name} -l 127.0.0.1 PORT`)] : []),
		...(piped ? [sendsInput(name)] : []),
	];
};

const socat: ProgramRule = ({ words, piped }) => {
	if (words.some((word) => /^(?:exec|system|shell)[:,]/i.test(word)))
		return [forbiddenEffect("socat connects a command to the network")];
	const listens = words.some(
		(word) =>
			/^(?:tcp|udp|sctp|openssl|ssl)[46]?-(?:l|listen|recv|recvfrom):/i.test(word) &&
			!/,bind=(?:localhost|127\.)/i.test(word),
	);
	const sends =
		piped &&
		words.some((word) =>
			/^(?:tcp|udp|sctp|openssl|ssl)[46]?(?:-(?:connect|sendto|datagram))?:(?!localhost:|127\.)/i.test(word),
		);
	return [
		...(listens ? [riskyEffect("socat listens for other machines", "the same with bind=127.0.0.1")] : []),
		...(sends ? [sendsInput("socat")] : []),
	];
};

/** What keeps or unpacks its input on the other host: a redirect, or a program that reads what it is sent. */
const KEEPS_INPUT =
	/>|(?:^|[\s;&|/(])(?:tee|dd|cpio|sponge|psql|mysql|mariadb|mongorestore|pg_restore|rsync|(?:docker|podman) load)(?=\s|$)|(?:^|[\s;&|/(])(?:bsd)?tar\s+-?[A-Za-z]*x/;

/**
 * `ssh -R` lets the other machine in. What it reads is sent there; it is a file's where it is not known. A loop may read hosts, so
 * the remote command must be one that keeps its input.
 */
const ssh: ProgramRule = (command) => {
	const found = parseArguments(command);
	const opens = found.some(
		({ option, text }) => option === "-R" || (option === "-o" && /^\s*remoteforward\b/i.test(text)),
	);
	const remote = found.filter(({ role }) => role === "shell" || role === "line" || role === "run");
	const isLocal = command.options.operands.some((word) => LOOPBACK.test(word.replace(/^.*@/, "")));
	const sends =
		command.piped && command.input === null && !isLocal && remote.some(({ text }) => KEEPS_INPUT.test(text));
	return [
		...(opens ? [riskyEffect("ssh -R opens this machine to another one", "the same without -R")] : []),
		...(sends ? [riskyEffect("ssh sends what it reads to another host")] : []),
	];
};

/** Firewalls and routes. One wrong rule makes the machine unreachable. */
const firewall: ProgramRule = (command) => {
	const flushes = command.words.some((word) => /^(?:-F|--flush|-X|--delete-chain|flush|reset|disable)$/.test(word));
	if (flushes) return [forbiddenEffect(`${command.name} removes firewall rules`)];
	return command.words.some((word) => /^(?:-L|--list|-S|list|status|show)/.test(word)) || command.words.length === 0
		? []
		: [riskyEffect(`${command.name} changes firewall rules`)];
};

const ip: ProgramRule = (command) =>
	command.options.operands.some((word) => /^(?:del|delete|flush|down)$/.test(word))
		? [forbiddenEffect("turns the network off or removes its settings")]
		: [];

export const NETWORK_COMMANDS: Readonly<Record<string, ProgramRule>> = {
	curl: request,
	wget: request,
	http: request,
	https: request,
	xh: request,
	xhs: request,
	curlie: request,
	nc: netcat,
	ncat: netcat,
	netcat,
	socat,
	iptables: firewall,
	ip6tables: firewall,
	nft: firewall,
	ufw: firewall,
	pfctl: firewall,
	"firewall-cmd": firewall,
	ip,
	ifconfig: ip,
	route: ip,
	nmcli: ip,
	telnet: (command) => (command.piped ? [sendsInput("telnet")] : []),
	ssh,
	slogin: ssh,
	autossh: ssh,
};
