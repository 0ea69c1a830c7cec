// The nonce of prompts that tests and evaluations make.
export const NONCE = "0123456789abcdef";
