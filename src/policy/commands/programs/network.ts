// Commands that reach other machines: requests that change something there, uploads, downloads to files, open doors.
import { type CommandModel, type Effect, forbid, type Invocation, read, risky, write } from "../effects.ts";
import { placeOf, placingWork } from "../places.ts";
import { outputs } from "./files.ts";

/** Options of curl and wget whose value names a file that is sent. */
const UPLOADS = /^(?:-T|--upload-file|--post-file|--body-file)$/;
const SENT_AS = /^(?:-F|--form|-d|--data|--data-binary|--data-raw|--data-ascii|--data-urlencode|--json)$/;

/** Requests that a POST makes into a deletion, by what their path ends in. */
const DELETING_PATH =
	/\/(?:do)?(?:delete|destroy|purge|_delete_by_query|delete-by-query|delete-batch|wipeout|terminate)(?:[/?#]|$)/i;

/** The value of an option, attached, after `=` or in the next word. */
function valuesOf(words: readonly string[], option: RegExp): readonly string[] {
	return words.flatMap((word, at) => {
		if (option.test(word)) return [words[at + 1] ?? ""];
		const long = /^(--[a-z-]+)=(.*)$/s.exec(word);
		if (long && option.test(long[1] ?? "")) return [long[2] ?? ""];
		const short = /^(-[A-Za-z])(.+)$/s.exec(word);
		return short && !word.startsWith("--") && option.test(short[1] ?? "") ? [short[2] ?? ""] : [];
	});
}

function uploaded(command: Invocation): readonly string[] {
	const files = valuesOf(command.words, UPLOADS);
	const fields = valuesOf(command.words, SENT_AS).flatMap((value) => /(?:^|=)[@<]([^;]+)/.exec(value)?.[1] ?? []);
	const sent = [...files, ...fields].filter((file) => file !== "-" && file !== ".");
	return command.work.charge(placingWork(sent)) ? sent : [];
}

function sends(file: string): readonly Effect[] {
	const place = placeOf(file);
	if (place === "inside" || place === "temporary") return [read(file)];
	return [forbid(`sends ${file}, which is not the workspace's`)];
}

function request(command: Invocation): readonly Effect[] {
	const method = valuesOf(command.words, /^(?:-X|--request|--method)$/)[0]?.toUpperCase();
	const bare = /^(?:http|https|xh)$/.test(command.name) ? command.options.operands[0]?.toUpperCase() : undefined;
	if (method === "DELETE" || bare === "DELETE") return [forbid("sends a DELETE request")];
	const posts =
		method === "POST" || bare === "POST" || (method === undefined && command.words.some((word) => SENT_AS.test(word)));
	const deleting = posts && command.options.operands.some((word) => DELETING_PATH.test(word));
	return deleting ? [forbid("sends a request that deletes")] : [];
}

const curl: CommandModel = (command) => [
	...request(command),
	...uploaded(command).flatMap(sends),
	...outputs(command.name, command.words, ["-o", "--output"]),
	...valuesOf(command.words, /^(?:-K|--config)$/).map(() => risky("curl reads its options from a file")),
];

const wget: CommandModel = (command) => [
	...request(command),
	...uploaded(command).flatMap(sends),
	...outputs(command.name, command.words, ["-O", "--output-document"]),
];

const netcat: CommandModel = (command) =>
	command.options.letters.has("e") ||
	command.options.letters.has("c") ||
	command.options.flags.some((flag) => /^--(?:exec|sh-exec|lua-exec)$/.test(flag))
		? [forbid(`${command.name} connects a shell to the network`)]
		: [];

const socat: CommandModel = (command) =>
	command.words.some((word) => /^(?:exec|system|shell)[:,]/i.test(word))
		? [forbid("socat connects a command to the network")]
		: [];

/** Firewalls and routes: one wrong rule and the machine is gone. */
const firewall: CommandModel = (command) => {
	const flushes = command.words.some((word) => /^(?:-F|--flush|-X|--delete-chain|flush|reset|disable)$/.test(word));
	if (flushes) return [forbid(`${command.name} drops firewall rules`)];
	return command.words.some((word) => /^(?:-L|--list|-S|list|status|show)/.test(word)) || command.words.length === 0
		? []
		: [risky(`${command.name} changes firewall rules`)];
};

const ip: CommandModel = (command) =>
	command.options.operands.some((word) => /^(?:del|delete|flush|down)$/.test(word))
		? [forbid("takes network settings away")]
		: [];

export const NETWORK: Readonly<Record<string, CommandModel>> = {
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
	telnet: (command) => (command.piped ? [risky("sends what it reads over the network")] : []),
	ftp: (command) => command.options.operands.slice(1).map((path) => write(path)),
};
