import { toIsoTime } from "#lib/clock.ts";
import type { Operator } from "../caller.ts";
import type { Deps } from "../deps.ts";

export interface OperatorStudioView {
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
