// A text with its faults, each below the line that it names.
import { placeFaults } from "../config-faults.ts";
import { Notice } from "./parts.tsx";

interface FaultyTextProps {
	/** What the text is: `config`. */
	name: string;
	text: string;
	faults: readonly string[];
}

export function FaultyText({ name, text, faults }: FaultyTextProps) {
	const { lines, unplaced } = placeFaults(text, faults);
	return (
		<>
			<Notice kind="error" title={faults.length === 1 ? "One error" : `${faults.length} errors`}>
				{unplaced.length === 0 ? (
					<p>Each stands at its line below.</p>
				) : (
					<ul>
						{unplaced.map((fault) => (
							<li>{fault}</li>
						))}
					</ul>
				)}
			</Notice>
			<section class="code" tabindex={0} aria-label={`The ${name} with its errors`}>
				<ol class="lines">
					{lines.map(({ text: line, faults: here }) => (
						<li class={here.length > 0 ? "faulty" : undefined}>
							<code>{line}</code>
							{here.map((fault) => (
								<span class="error">{fault}</span>
							))}
						</li>
					))}
				</ol>
			</section>
		</>
	);
}
