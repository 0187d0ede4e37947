import { toIsoTime } from "#lib/clock.ts";
import type { Operator } from "../caller.ts";
import type { Deps } from "../deps.ts";
import type { Role } from "../policy.ts";

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

/** Everyone who ever signed in, newest first; a page at a time, the next one from the last id on. */
export async function listUsers(
  deps: Pick<Deps, "users">,
  _operator: Operator,
  input: { search?: string | undefined; before?: string | undefined; limit: number },
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
