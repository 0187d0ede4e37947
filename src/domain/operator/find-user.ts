import { AppError, notFound } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import { foldAddress } from "../access/address.ts";
import type { User } from "../access/ports.ts";
import type { Deps } from "../deps.ts";

/** The user an operator means: by id, or by an address that only one of them has. */
export async function findUser(deps: Pick<Deps, "users">, who: string): Promise<User> {
  const known = isId("user", who) ? await deps.users.find(who) : undefined;
  if (known) return known;
  if (!who.includes("@")) throw notFound("user");
  const alike = await deps.users.list({ search: who, limit: 100 });
  const [user, ...others] = alike.filter(({ email }) => email !== null && foldAddress(email) === foldAddress(who));
  if (!user) throw notFound("user");
  if (others.length === 0) return user;
  const ids = [user, ...others].map(({ id }) => id).join(", ");
  throw new AppError("invalid_input:ambiguous_email", { count: others.length + 1, ids });
}
