import { isId } from "#lib/ids.ts";
import { notFound } from "#lib/errors.ts";
import { scopes, type Caller, type SignedIn } from "../caller.ts";
import type { Deps } from "../deps.ts";

/** The person as a caller in one of their studios, for the web app. Someone else's studio does not exist. */
export async function enterStudio(
  deps: Pick<Deps, "studios" | "memberships">,
  person: SignedIn,
  studioId: string,
): Promise<Caller> {
  if (!isId("studio", studioId)) throw notFound("studio");
  const [studio, membership] = await Promise.all([
    deps.studios.find(studioId),
    deps.memberships.find(studioId, person.user.id),
  ]);
  if (!studio || !membership) throw notFound("studio");
  return { user: person.user, studio: { id: studio.id, name: studio.name }, role: membership.role, scopes };
}
