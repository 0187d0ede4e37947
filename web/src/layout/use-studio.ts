import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { createContext, use, useMemo } from "react";
import { meQuery, studioQuery, type Action, type Me, type Studio } from "../api/queries.ts";

const route = getRouteApi("/studios/$studioId");

export interface StudioAccess {
  studio: Studio;
  me: Me;
  /** Whether the server allows the user to do this in the studio. */
  may: (action: Action) => boolean;
}

export const StudioContext = createContext<StudioAccess | undefined>(undefined);

/** Reads the studio in the current URL and the signed-in user; undefined if the user has signed out. */
export function useStudioAccess(): StudioAccess | undefined {
  const { studioId } = route.useParams();
  const { data: studio } = useSuspenseQuery(studioQuery(studioId));
  const { data: me } = useSuspenseQuery(meQuery);
  return useMemo(() => (me ? { studio, me, may: (action) => studio.may.includes(action) } : undefined), [studio, me]);
}

/** The studio in the current URL, the signed-in user, and what the server allows that user to do in it. */
export function useStudio(): StudioAccess {
  const access = use(StudioContext);
  if (!access) throw new Error("useStudio is used outside of StudioLayout");
  return access;
}
