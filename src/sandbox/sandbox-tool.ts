// A tool that the sandbox is offered, and a call of it, independent of the wire format.

export interface SandboxTool {
	name: string;
	description: string;
	parameters: Record<string, unknown>;
	/** A custom tool: its argument is one text. */
	input?: "text";
}

/** A call of a tool. A custom tool's text is the argument `input`. */
export interface SandboxCall {
	name: string;
	arguments: Record<string, unknown>;
	custom?: true;
}
