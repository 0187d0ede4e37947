import { isNotFound } from "../api/api-error.ts";
import { restoreFromTrash } from "../api/mutations.ts";
import { assetQuery, postQuery } from "../api/queries.ts";
import { queryClient } from "../api/query-client.ts";

/** Restores a post or file. Resolves with undefined if it is already restored, such as by another user. */
export async function ensureRestored(
  studioId: string,
  id: string,
): Promise<Awaited<ReturnType<typeof restoreFromTrash>> | undefined> {
  try {
    return await restoreFromTrash({ studioId, id });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const request = id.startsWith("pst_")
      ? queryClient.query({ ...postQuery(studioId, id), staleTime: 0 })
      : queryClient.query({ ...assetQuery(studioId, id), staleTime: 0 });
    // While it is in the trash, or after that was emptied, the request fails as well.
    return request.then(
      () => undefined,
      () => {
        throw error;
      },
    );
  }
}
