import { createUploadClient, RequestError, type UploadLinkDetails } from "./client.ts";

/** Returns undefined if the request fails; the first upload then shows the reason. */
export async function loadLinkDetails(token: string): Promise<UploadLinkDetails | undefined> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await createUploadClient(token).getLinkDetails();
    } catch (error) {
      if (!(error instanceof RequestError) || !error.isTransient || attempt >= 2) return undefined;
      await new Promise((resolve) => setTimeout(resolve, 1000 * 2 ** attempt));
    }
  }
}
