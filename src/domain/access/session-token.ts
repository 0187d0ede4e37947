import { createHash } from "node:crypto";
import { days } from "#lib/clock.ts";

/** Counted from the sign-in; using a session does not lengthen it. */
export const sessionLifetime = days(14);

/** Cookies are kept as digests: whoever reads the database cannot use them. */
export const hashSessionToken = (token: string): string => createHash("sha256").update(token).digest("hex");
