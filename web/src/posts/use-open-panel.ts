import { getRouteApi } from "@tanstack/react-router";
import type { PostPanel } from "../search-params.ts";

const route = getRouteApi("/studios/$studioId/posts/$postId");

/** The panel beside the post. It is in the URL, so that a link can open it and it survives a reload. */
export function useOpenPanel(): [
  openPanel: PostPanel | undefined,
  setOpenPanel: (panel: PostPanel | undefined) => void,
] {
  const { panel } = route.useSearch();
  const navigate = route.useNavigate();
  return [
    panel,
    (nextPanel) =>
      void navigate({
        search: ({ panel: _, comment: __, ...others }) => (nextPanel ? { ...others, panel: nextPanel } : others),
        replace: true,
        resetScroll: false,
      }),
  ];
}
