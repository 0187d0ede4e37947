import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { meQuery, studioQuery, type Action, type Me, type Studio } from "../api/queries.ts";

const route = getRouteApi("/studios/$studioId");

/** The studio in the current URL, the signed-in user, and what the server allows that user to do in it. */
export function useStudio(): { studio: Studio; me: Me; may: (action: Action) => boolean } {
  const { studioId } = route.useParams();
  const { data: studio } = useSuspenseQuery(studioQuery(studioId));
  const { data: me } = useSuspenseQuery(meQuery);
  if (!me) throw new Error("signed out"); // StudioLayout redirects to the sign-in page
  return { studio, me, may: (action) => studio.may.includes(action) };
}
