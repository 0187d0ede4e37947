/** True for the long form of a suite, `npm test -- --long <files>`; CI runs the short one. */
export const isLongRun = process.env["TEST_LONG"] === "1";
