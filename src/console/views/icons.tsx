// Icons as inline SVG, drawn on 24 by 24 in strokes of the text's colour. They say nothing that a text beside them does not.

/** Each as the data of one path. */
const PATHS = {
	overview: "M4 13h6V4H4zM14 20h6v-9h-6zM14 7h6V4h-6zM4 20h6v-3H4z",
	requests: "M4 8h13m0 0-3.5-3.5M17 8l-3.5 3.5M20 16H7m0 0 3.5-3.5M7 16l3.5 3.5",
	sessions: "M12 3 3 8l9 5 9-5zM3 12.5l9 5 9-5M3 17l9 5 9-5",
	models: "M7 7h10v10H7zM10 3v4M14 3v4M10 17v4M14 17v4M3 10h4M3 14h4M17 10h4M17 14h4",
	keys: "M14.5 9.5a5 5 0 1 1-3-3M11 9l9.5-6M16 6l2 3M8 13h.01",
	runs: "M5 4v16l14-8z",
	waiting: "M4 13V5h16v8M4 13v6h16v-6M4 13h5l1.5 2.5h3L15 13h5",
	workspaces:
		"M3 6.5A1.5 1.5 0 0 1 4.5 5H9l2 2.5h8.5A1.5 1.5 0 0 1 21 9v8.5a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 17.5z",
	policy: "M12 3l7.5 3v5.5c0 4.5-3 8-7.5 9.5-4.5-1.5-7.5-5-7.5-9.5V6zM8.5 12l2.5 2.5 4.5-5",
	audit: "M6 3h9l4 4v14H6zM14 3v5h5M9 12h7M9 16h7",
	playground: "M4 5h16v11H9l-5 4zM8.5 9.5h7M8.5 12.5h4",
	config: "M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5",
	menu: "M4 7h16M4 12h16M4 17h16",
	signOut: "M10 4H5v16h5M15 8l4 4-4 4M19 12H10",
	copy: "M9 9h11v11H9zM5 15H4V4h11v1",
	error: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M9.5 9.5l5 5M14.5 9.5l-5 5",
	warning: "M12 4 2.5 20h19zM12 10.5v4M12 17.4v.1",
	success: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M8.5 12.5l2.5 2.5 4.5-5.5",
	note: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 11v5.5M12 7.6v.1",
	up: "M12 19V6M6.5 11.5 12 6l5.5 5.5",
	down: "M12 5v13M6.5 12.5 12 18l5.5-5.5",
	pause: "M9 6v12M15 6v12",
	next: "M9 6l6 6-6 6",
	plus: "M12 5v14M5 12h14",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
	return (
		<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
			<path d={PATHS[name]} />
		</svg>
	);
}
