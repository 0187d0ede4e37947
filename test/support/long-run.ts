/** True for `npm test -- --long <files>`; CI runs the short form. */
export const isLongRun = process.env["TEST_LONG"] === "1";
