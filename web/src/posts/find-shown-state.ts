import type { PostStatus } from "../api/queries.ts";
import { findMainState } from "../publishing/find-main-state.ts";

/**
 * The state of the post's publications, if that is what the app shows as the state of the post. Users archive posts
 * after they were published, so an archived post is shown as archived.
 */
export const findShownState = ({
  status,
  publications = [],
}: {
  status: PostStatus;
  publications?: Parameters<typeof findMainState>[0] | undefined;
}) => (status === "archived" ? undefined : findMainState(publications));
