import { AppError } from "#lib/errors.ts";
import type { Deps } from "../deps.ts";
import type { Identity, User } from "./ports.ts";

/** The user behind an identity: known by issuer and subject alone, never by email. Throws for one who was shut out. */
export async function resolveUser(deps: Pick<Deps, "users" | "newId" | "clock">, identity: Identity): Promise<User> {
  const user = await deps.users.upsert(deps.newId("user"), identity, deps.clock());
  if (user.disabledAt === null) return user;
  throw new AppError("forbidden:account_disabled");
}
