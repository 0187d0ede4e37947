import { createUploadClient, RequestError, type UploadLinkDetails } from "./client.ts";

/** Returns undefined on any failure. The first upload then shows the reason. */
export const tryLoadLinkDetails = (token: string): Promise<UploadLinkDetails | undefined> =>
  loadLinkDetails(token).catch(() => undefined);

/** Returns undefined if the link is not valid. Rejects if the server can't be reached. */
export async function loadLinkDetails(token: string): Promise<UploadLinkDetails | undefined> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await createUploadClient(token).getLinkDetails();
    } catch (error) {
      if (!(error instanceof RequestError) || !error.isTransient) return undefined;
      if (attempt >= 2) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1000 * 2 ** attempt));
    }
  }
}
