import type { Deps } from "../deps.ts";
import { validatePost, type ValidationView } from "../platforms/validate-post.ts";
import type { PostView } from "./post.ts";

/** What the platforms that this studio has connected would say to the post. */
export async function validateForStudio(
  deps: Pick<Deps, "platforms" | "platformStore">,
  studioId: string,
  post: PostView,
): Promise<ValidationView[]> {
  return validatePost(deps.platforms, await deps.platformStore.listConnected(studioId), post);
}
