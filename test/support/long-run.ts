/** True for `npm test -- --long <files>`; CI runs the short versions of the tests. */
export const isLongRun = process.env["TEST_LONG"] === "1";

export const longRunReason = "runs only with --long";

/** The `skip` option of a test that runs only with `--long`. */
export const skipInShortRun: string | false = !isLongRun && longRunReason;
