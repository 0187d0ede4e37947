import type { Role } from "./policy.ts";

export interface Person {
  id: string;
  name: string;
  email: string | null;
}

export const scopes = ["studio:read", "studio:write", "studio:publish"] as const;
export type Scope = (typeof scopes)[number];

/** A signed-in user, before a studio is chosen. */
export interface SignedInUser {
  user: Person;
}

/** The operator, on the server's own machine: may call the operator verbs and is not a member of any studio. */
export interface Operator {
  operator: true;
}

/** Who acts, in which studio, with which role and scopes. Resolved again for every call. */
export interface Caller extends SignedInUser {
  studio: { id: string; name: string };
  role: Role;
  scopes: readonly Scope[];
  /** The AI client that acts for the user; absent for calls from the web app. */
  client?: { id: string; name: string };
  /** The grant that the client acts under. */
  grantId?: string;
}
