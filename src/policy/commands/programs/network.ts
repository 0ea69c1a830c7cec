// Commands that reach other machines: requests that change something there, uploads, downloads to files, open ports.
import {
	type Effect,
	forbiddenEffect,
	type Invocation,
	type ProgramRule,
	readEffect,
	riskyEffect,
	writeEffect,
} from "../effects.ts";
import { locatePath, locatingWork } from "../locations.ts";
import { findOutputFiles } from "./files.ts";
import { findMethodEffects } from "./requests.ts";

/** Options of curl and wget whose value names a file to send, and options whose value is sent and may name one. */
const UPLOAD_OPTIONS = /^(?:-T|--upload-file|--post-file|--body-file)$/;
const BODY_OPTIONS = /^(?:-F|--form|-d|--data|--data-binary|--data-raw|--data-ascii|--data-urlencode|--json)$/;

/** Paths to which a POST is a deletion. */
const DELETING_PATH =
	/\/(?:do)?(?:delete|destroy|purge|_delete_by_query|delete-by-query|delete-batch|wipeout|terminate)(?:[/?#]|$)/i;

/** Finds the values of an option: attached, after `=`, or in the next word. */
function findOptionValues(words: readonly string[], option: RegExp): readonly string[] {
	return words.flatMap((word, at) => {
		if (option.test(word)) return [words[at + 1] ?? ""];
		const long = /^(--[a-z-]+)=(.*)$/s.exec(word);
		if (long && option.test(long[1] ?? "")) return [long[2] ?? ""];
		const short = /^(-[A-Za-z])(.+)$/s.exec(word);
		return short && !word.startsWith("--") && option.test(short[1] ?? "") ? [short[2] ?? ""] : [];
	});
}

function findUploads(command: Invocation): readonly string[] {
	const files = findOptionValues(command.words, UPLOAD_OPTIONS);
	const fields = findOptionValues(command.words, BODY_OPTIONS).flatMap(
		(value) => /(?:^|=)[@<]([^;]+)/.exec(value)?.[1] ?? [],
	);
	const paths = [...files, ...fields].filter((file) => file !== "-" && file !== ".");
	return command.work.charge(locatingWork(paths)) ? paths : [];
}

function uploadEffects(file: string): readonly Effect[] {
	const location = locatePath(file);
	if (location === "inside" || location === "temporary") return [readEffect(file)];
	return [forbiddenEffect(`sends ${file}, which is not the workspace's`)];
}

/** The method behind a bundle of letters: `-sXDELETE`, `-sX DELETE`. */
function findBundledMethod({ words }: Invocation): string | undefined {
	const at = words.findIndex((word) => /^-[A-Za-z#]*X[A-Za-z]*$/.test(word));
	return at < 0 ? undefined : (/X([A-Za-z]+)$/.exec(words[at] ?? "")?.[1] ?? words[at + 1]);
}

function requestEffects(command: Invocation): readonly Effect[] {
	const method = (
		findOptionValues(command.words, /^(?:-X|--request|--method)$/)[0] ?? findBundledMethod(command)
	)?.toUpperCase();
	const methodOperand = /^(?:http|https|xh)$/.test(command.name) ? command.options.operands[0]?.toUpperCase() : null;
	if (method === "DELETE" || methodOperand === "DELETE") return findMethodEffects("DELETE", command.options.operands);
	const posts =
		method === "POST" ||
		methodOperand === "POST" ||
		(method === undefined && command.words.some((word) => BODY_OPTIONS.test(word)));
	const isDeletion = posts && command.options.operands.some((word) => DELETING_PATH.test(word));
	return isDeletion ? [forbiddenEffect("sends a request that deletes")] : [];
}

const curl: ProgramRule = (command) => [
	...requestEffects(command),
	...findUploads(command).flatMap(uploadEffects),
	...findOutputFiles(command.words, ["-o", "--output"]),
	...findOptionValues(command.words, /^(?:-K|--config)$/).map(() => riskyEffect("curl reads its options from a file")),
];

const wget: ProgramRule = (command) => [
	...requestEffects(command),
	...findUploads(command).flatMap(uploadEffects),
	...findOutputFiles(command.words, ["-O", "--output-document"]),
];

const netcat: ProgramRule = (command) =>
	command.options.letters.has("e") ||
	command.options.letters.has("c") ||
	command.options.flags.some((flag) => /^--(?:exec|sh-exec|lua-exec)$/.test(flag))
		? [forbiddenEffect(`${command.name} connects a shell to the network`)]
		: [];

const socat: ProgramRule = (command) =>
	command.words.some((word) => /^(?:exec|system|shell)[:,]/i.test(word))
		? [forbiddenEffect("socat connects a command to the network")]
		: [];

/** Firewalls and routes. One wrong rule makes the machine unreachable. */
const firewall: ProgramRule = (command) => {
	const flushes = command.words.some((word) => /^(?:-F|--flush|-X|--delete-chain|flush|reset|disable)$/.test(word));
	if (flushes) return [forbiddenEffect(`${command.name} drops firewall rules`)];
	return command.words.some((word) => /^(?:-L|--list|-S|list|status|show)/.test(word)) || command.words.length === 0
		? []
		: [riskyEffect(`${command.name} changes firewall rules`)];
};

const ip: ProgramRule = (command) =>
	command.options.operands.some((word) => /^(?:del|delete|flush|down)$/.test(word))
		? [forbiddenEffect("takes network settings away")]
		: [];

export const NETWORK_COMMANDS: Readonly<Record<string, ProgramRule>> = {
	curl,
	wget,
	http: curl,
	https: curl,
	xh: curl,
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
	telnet: (command) => (command.piped ? [riskyEffect("sends what it reads over the network")] : []),
	ftp: (command) => command.options.operands.slice(1).map((path) => writeEffect(path)),
};
