// Makes calls of objects as quick as they are in the service. @cloudflare/vitest-pool-workers 0.19 slows them twice:
//
// - With each object that is made it wraps the class's prototype once more, so that reading a property takes longer with each
//   (cloudflare/workers-sdk#15092).
// - With each call it imports the Worker, which asks the process that runs the tests where it is: a millisecond when that is idle,
//   and it seldom is.
import { DurableObject, WorkerEntrypoint } from "cloudflare:workers";

/** What is used of vitest's module runner. */
interface ModuleRunner {
	import(specifier: string): Promise<unknown>;
	evaluatedModules: { getModuleById(id: string): { evaluated: boolean; promise?: Promise<unknown> } | undefined };
}

type Class = new (...parameters: unknown[]) => object;

/** Takes modules that are there from where they are. Those that `vi.resetModules` dropped are imported anew. */
function importOnce(runner: ModuleRunner): void {
	const importModule = runner.import.bind(runner);
	runner.import = async (specifier) => {
		const known = runner.evaluatedModules.getModuleById(specifier);
		return known?.evaluated && known.promise ? known.promise : importModule(specifier);
	};
}

/** Gives each class of objects the prototype back that it had for its first one. */
function wrapPrototypesOnce(): void {
	const prototypes = new WeakMap<Class, object>();
	Reflect.construct = new Proxy(Reflect.construct, {
		apply(construct, _, [base, parameters, made = base]: [Class, unknown[], Class?]) {
			if (base === DurableObject || base === WorkerEntrypoint) {
				made.prototype = prototypes.get(made) ?? made.prototype;
				prototypes.set(made, made.prototype);
			}
			return construct(base, parameters, made);
		},
	});
}

const { moduleRunner } = Reflect.get(globalThis, "__vitest_mocker__") as { moduleRunner: ModuleRunner };
// Files that share a runtime each run this.
if (!Object.hasOwn(moduleRunner, "import")) {
	importOnce(moduleRunner);
	wrapPrototypesOnce();
}
