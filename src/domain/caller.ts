import type { Role } from "./policy.ts";

export interface Person {
  id: string;
  name: string;
  email: string | null;
}

export const scopes = ["studio:read", "studio:write", "studio:publish"] as const;
export type Scope = (typeof scopes)[number];

/** What a request was authenticated with. Every transaction checks that it is still valid. */
export type Credential =
  | { kind: "session"; tokenHash: string }
  | { kind: "grant"; grantId: string }
  /** `grantId`: the grant that created the link; null if a user created it in the web app. */
  | { kind: "uploadLink"; linkId: string; grantId: string | null }
  /** A guest of a review link. The grant is as above. */
  | { kind: "reviewLink"; linkId: string; grantId: string | null };

/** A signed-in user, before a studio is chosen. */
export interface SignedInUser {
  user: Person;
  credential: Credential;
}

/** The operator, on the server's own machine: may call the operator verbs and is not a member of any studio. */
export interface Operator {
  operator: true;
}

/** What runs without a caller, such as the publishing worker and the sweepers. */
export interface Job {
  job: string;
}

/** Who acts, in which studio, with which role and scopes. Resolved again for every call. */
export interface Caller extends SignedInUser {
  studio: { id: string; name: string };
  role: Role;
  scopes: readonly Scope[];
  /** The AI client that acts for the user; absent for calls from the web app. */
  client?: { id: string; name: string };
}

/** The grant that an AI client acts under; null for calls from the web app and through upload links. */
export function getGrantId({ credential }: Pick<Caller, "credential">): string | null {
  return credential.kind === "grant" ? credential.grantId : null;
}
