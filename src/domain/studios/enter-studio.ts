import { isId } from "#lib/ids.ts";
import { notFound } from "#lib/errors.ts";
import { scopes, type Caller, type SignedIn } from "../caller.ts";
import type { Deps } from "../deps.ts";

/** The person as a caller in one of their studios, for the web app. Someone else's studio does not exist. */
export async function enterStudio(
  deps: Pick<Deps, "memberships">,
  person: SignedIn,
  studioId: string,
): Promise<Caller> {
  if (!isId("studio", studioId)) throw notFound("studio");
  const seat = await deps.memberships.findSeat(studioId, person.user.id);
  if (!seat) throw notFound("studio");
  return { user: person.user, ...seat, scopes };
}
