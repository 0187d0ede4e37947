/** True for `npm test -- --long <files>`; CI runs the short versions of the tests. */
export const isLongRun = process.env["TEST_LONG"] === "1";
