/** Whether this run has the time for all of it: `npm test -- --long`. */
export const isLong = process.env["TEST_LONG"] === "1";
