// Characters that stand in a text for what the check cannot know. Neither can be passed to a shell, nor occurs in a path.

/** Text that is only known when the command runs. */
export const UNKNOWN = "\u0000";

/** A name from a list that is only known when the command runs: what xargs, parallel or `find -exec` fill in. */
export const LISTED = "\u0001";
