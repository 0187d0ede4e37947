import { AppError, notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import { normalizeEmail } from "../access/address.ts";
import type { User } from "../access/ports.ts";
import type { Deps } from "../deps.ts";

/** The user an operator means: by id, or by an address that only one of them has. */
export async function getUser(deps: Pick<Deps, "users">, idOrEmail: string): Promise<User> {
  const userById = isId("user", idOrEmail) ? await deps.users.find(idOrEmail) : undefined;
  if (userById) return userById;
  if (!idOrEmail.includes("@")) throw notFoundError("user");
  const candidates = await deps.users.list({ search: idOrEmail, limit: 100 });
  const [user, ...others] = candidates.filter(
    ({ email }) => email !== null && normalizeEmail(email) === normalizeEmail(idOrEmail),
  );
  if (!user) throw notFoundError("user");
  if (others.length === 0) return user;
  const ids = [user, ...others].map(({ id }) => id).join(", ");
  throw new AppError("invalid_input:ambiguous_email", { count: others.length + 1, ids });
}
