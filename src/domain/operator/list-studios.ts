import { isoTime } from "#lib/clock.ts";
import type { Operator } from "../caller.ts";
import type { Deps } from "../deps.ts";

export interface OperatedStudio {
  id: string;
  name: string;
  slug: string;
  createdAt: string;
  members: number;
  owners: { id: string; name: string; email: string | null }[];
}

/** Every studio, newest first; a page at a time, the next one from the last id on. */
export async function listStudios(
  deps: Pick<Deps, "studios" | "memberships">,
  _operator: Operator,
  input: { search?: string | undefined; before?: string | undefined; limit: number },
): Promise<OperatedStudio[]> {
  const studios = await deps.studios.list(input);
  return Promise.all(
    studios.map(async ({ id, name, slug, createdAt }) => {
      const members = await deps.memberships.list(id);
      const owners = members.filter(({ role }) => role === "owner");
      return {
        id,
        name,
        slug,
        createdAt: isoTime(createdAt),
        members: members.length,
        owners: owners.map((one) => ({ id: one.userId, name: one.name, email: one.email })),
      };
    }),
  );
}
