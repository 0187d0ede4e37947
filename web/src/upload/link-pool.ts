import { createUploadClient, type UploadClient } from "./client.ts";

/** The upload links of the page: new files use the newest link, resumed files the link that started them. */
export interface LinkPool {
  /** Reuses one link for up to `maxFiles` that are uploaded within `reuseMs`. */
  getCurrentToken(): Promise<string>;
  getClient(token: string): UploadClient;
}

/** Shorter than the 30 minutes that a link is valid. */
const reuseMs = 20 * 60_000;
/** As many as a link accepts. */
const maxFiles = 100;

export function createLinkPool(
  getUploadLinkToken: () => Promise<string>,
  createClient: (token: string) => UploadClient = createUploadClient,
): LinkPool {
  const clients = new Map<string, UploadClient>();
  let latestLink: { token: Promise<string>; at: number; fileCount: number } | undefined;
  return {
    getCurrentToken() {
      if (latestLink && Date.now() - latestLink.at < reuseMs && latestLink.fileCount < maxFiles) {
        latestLink.fileCount++;
        return latestLink.token;
      }
      const newLink = { token: getUploadLinkToken(), at: Date.now(), fileCount: 1 };
      newLink.token.catch(() => latestLink === newLink && (latestLink = undefined));
      latestLink = newLink;
      return newLink.token;
    },
    getClient(token) {
      const uploadClient = clients.get(token) ?? createClient(token);
      clients.set(token, uploadClient);
      return uploadClient;
    },
  };
}
