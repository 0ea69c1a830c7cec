// The mark that a command's operand comes from a list nobody sees: of xargs, find, parallel.

/** Stands for such a name. The letter never occurs in a path people write. */
export const FED = "\u0001";
