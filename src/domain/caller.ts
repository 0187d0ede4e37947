import type { Role } from "./policy.ts";

export interface Person {
  id: string;
  name: string;
  email: string | null;
}

export const scopes = ["studio:read", "studio:write"] as const;
export type Scope = (typeof scopes)[number];

/** A person who signed in, before any studio is chosen. */
export interface SignedInUser {
  user: Person;
}

/** Whoever runs the service, at its own machine: may do what the operator's verbs do, and is a member of nothing. */
export interface Operator {
  operator: true;
}

/** Who acts, in which studio, with what right. Read afresh for every call. */
export interface Caller extends SignedInUser {
  studio: { id: string; name: string };
  role: Role;
  scopes: readonly Scope[];
  /** The AI client that acts for the person; absent when the person acts in the web app. */
  client?: { id: string; name: string };
  /** The approval under which that client acts. */
  grantId?: string;
}
