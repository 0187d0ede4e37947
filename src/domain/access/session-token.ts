import { days } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";

/** Counted from the sign-in; using a session does not lengthen it. */
export const sessionLifetime = days(14);

/** Cookies are kept as digests: whoever reads the database cannot use them. */
export const hashSessionToken = sha256;
