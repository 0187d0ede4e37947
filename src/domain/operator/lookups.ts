import { toIsoTime } from "#lib/clock.ts";
import { AppError, notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import { normalizeEmail, type User } from "../model/user.ts";
import { callHistoryDays, type GrantView, toDayNumber, toGrantView } from "../model/grant.ts";
import type { Operator } from "../caller.ts";
import type { OperatorGrantFilter, OperatorPage, OperatorSearch } from "../ports/access.ts";
import type { Deps } from "../ports/deps.ts";
import type { Role } from "../policy.ts";

/** Finds a user by id or email; throws if several users have the email. */
export async function getUser(deps: Pick<Deps, "users">, idOrEmail: string): Promise<User> {
  const userById = isId("user", idOrEmail) ? await deps.users.find(idOrEmail) : undefined;
  if (userById) return userById;
  if (!idOrEmail.includes("@")) throw notFoundError("user");
  const [user, ...others] = await listByEmail(deps, idOrEmail);
  if (!user) throw notFoundError("user");
  if (others.length === 0) return user;
  const ids = [user, ...others].map(({ id }) => id).join(", ");
  throw new AppError("invalid_input:ambiguous_email", { count: others.length + 1, ids });
}

/** Reads all users whose name or email contains the email, because any of them may have exactly this email. */
async function listByEmail({ users }: Pick<Deps, "users">, searchedEmail: string): Promise<User[]> {
  const matchingUsers: User[] = [];
  let before: string | undefined;
  do {
    const page = await users.list({ search: searchedEmail, before, limit: 100 });
    matchingUsers.push(
      ...page.filter(({ email }) => email !== null && normalizeEmail(email) === normalizeEmail(searchedEmail)),
    );
    before = page.at(-1)?.id;
  } while (before !== undefined);
  return matchingUsers;
}

export interface OperatorUserView {
  id: string;
  name: string;
  email: string | null;
  emailVerified: boolean;
  issuer: string;
  createdAt: string;
  disabledAt: string | null;
  studios: { id: string; name: string; role: Role }[];
}

/** Lists all users, newest first. For the next page, pass the last id as `before`. */
export async function listUsers(
  deps: Pick<Deps, "users">,
  _operator: Operator,
  input: OperatorSearch,
): Promise<OperatorUserView[]> {
  const users = await deps.users.list(input);
  return Promise.all(
    users.map(async ({ id, name, email, emailVerified, issuer, createdAt, disabledAt }) => ({
      id,
      name,
      email,
      emailVerified,
      issuer,
      createdAt: toIsoTime(createdAt),
      disabledAt: disabledAt === null ? null : toIsoTime(disabledAt),
      studios: (await deps.users.listMemberships(id)).map((membership) => ({
        id: membership.studioId,
        name: membership.studioName,
        role: membership.role,
      })),
    })),
  );
}

export interface OperatorStudioView {
  id: string;
  name: string;
  slug: string;
  createdAt: string;
  members: number;
  owners: { id: string; name: string; email: string | null }[];
}

/** Lists all studios, newest first. For the next page, pass the last id as `before`. */
export async function listStudios(
  deps: Pick<Deps, "studios" | "memberships">,
  _operator: Operator,
  input: OperatorSearch,
): Promise<OperatorStudioView[]> {
  const studios = await deps.studios.list(input);
  return Promise.all(
    studios.map(async ({ id, name, slug, createdAt }) => {
      const members = await deps.memberships.list(id);
      const owners = members.filter(({ role }) => role === "owner");
      return {
        id,
        name,
        slug,
        createdAt: toIsoTime(createdAt),
        members: members.length,
        owners: owners.map((owner) => ({ id: owner.userId, name: owner.name, email: owner.email })),
      };
    }),
  );
}

export interface ListGrantsInput extends OperatorPage, Pick<OperatorGrantFilter, "clientId" | "includeRevoked"> {
  user?: string | undefined;
}

/** Lists the grants of all studios, newest first. For the next page, pass the last id as `before`. */
export async function listGrants(
  deps: Pick<Deps, "users" | "grants" | "clock">,
  _operator: Operator,
  { user, ...filter }: ListGrantsInput,
): Promise<GrantView[]> {
  const userId = user === undefined ? undefined : (await getUser(deps, user)).id;
  const callsSince = toDayNumber(deps.clock()) - callHistoryDays + 1;
  return (await deps.grants.list({ ...filter, userId, callsSince })).map(toGrantView);
}
