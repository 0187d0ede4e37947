import { createUploadClient, type UploadClient } from "./client.ts";

/** The upload links of the page: new files use the newest link, resumed files the link that started them. */
export interface LinkPool {
  /** Reuses one link for all files that are chosen within `reuseMs`. */
  getCurrentToken(): Promise<string>;
  getClient(token: string): UploadClient;
}

/** Shorter than the 30 minutes that a link is valid. */
const reuseMs = 20 * 60_000;

export function createLinkPool(createLink: () => Promise<string>): LinkPool {
  const clients = new Map<string, UploadClient>();
  let latest: { token: Promise<string>; at: number } | undefined;
  return {
    getCurrentToken() {
      if (latest && Date.now() - latest.at < reuseMs) return latest.token;
      const newLink = { token: createLink(), at: Date.now() };
      newLink.token.catch(() => latest === newLink && (latest = undefined));
      latest = newLink;
      return newLink.token;
    },
    getClient(token) {
      const uploadClient = clients.get(token) ?? createUploadClient(token);
      clients.set(token, uploadClient);
      return uploadClient;
    },
  };
}
