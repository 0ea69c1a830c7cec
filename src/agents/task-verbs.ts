// Verbs by which a goal says what is to be done, in the imperative; a clause that begins with one is a task of its own.

export const TASK_VERBS: ReadonlySet<string> = new Set(
	`add analyse analyze answer apply assess build calculate categorize change check choose classify clean collect compare
	compile compose compute convert count create critique debug decide define derive describe design determine develop discuss
	document draft draw edit estimate evaluate examine explain explore extend extract find fix formulate gather generate give
	identify implement improve investigate list make measure merge migrate model name optimize organize outline plan prepare
	present prioritize produce propose prove provide publish rank rate read recommend refactor remove rename replace report
	research review revise rewrite run score search select send show simulate sketch solve sort split state structure study
	suggest summarise summarize tell test trace translate update validate verify visualize weigh write`.split(/\s+/),
);
