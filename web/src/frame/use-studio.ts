import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { meQuery, studioQuery, type Action, type Me, type Studio } from "../api/queries.ts";

const route = getRouteApi("/studios/$studioId");

/** The studio of this address, the person in front of it, and what the server lets them do there. */
export function useStudio(): { studio: Studio; me: Me; may: (action: Action) => boolean } {
  const { studioId } = route.useParams();
  const { data: studio } = useSuspenseQuery(studioQuery(studioId));
  const { data: me } = useSuspenseQuery(meQuery);
  if (!me) throw new Error("signed out"); // the shell around has left for the sign-in page
  return { studio, me, may: (action) => studio.may.includes(action) };
}
