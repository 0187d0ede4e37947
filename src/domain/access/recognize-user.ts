import type { Deps } from "../deps.ts";
import type { Identity, User } from "./ports.ts";

/** The user behind an identity: known by issuer and subject alone, never by email. */
export async function recognizeUser(deps: Pick<Deps, "users" | "newId" | "clock">, identity: Identity): Promise<User> {
  return deps.users.upsert(deps.newId("user"), identity, deps.clock());
}
