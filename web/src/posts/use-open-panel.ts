import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { PostPanel } from "../search-params.ts";

const route = getRouteApi("/studios/$studioId/posts/$postId");

/** The panel beside the post. It is in the URL, so that a link can open it and it survives a reload. */
export function useOpenPanel(): [
  openPanel: PostPanel | undefined,
  setOpenPanel: (panel: PostPanel | undefined) => void,
] {
  const { panel } = route.useSearch();
  const navigate = route.useNavigate();
  // The panel opens at once; the URL changes after the router has checked the session.
  const [openPanel, setOpenPanel] = useState(panel);
  useEffect(() => setOpenPanel(panel), [panel]);
  return [
    openPanel,
    (nextPanel) => {
      setOpenPanel(nextPanel);
      void navigate({
        search: ({ panel: _, comment: __, ...others }) => (nextPanel ? { ...others, panel: nextPanel } : others),
        replace: true,
        resetScroll: false,
      });
    },
  ];
}
