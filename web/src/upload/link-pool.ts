import { createUploadClient, type UploadClient } from "./client.ts";

/** The links that files go through: the newest for what is chosen now, older ones for what they began. */
export interface LinkPool {
  /** One link for all files that are chosen within some time, not one each. */
  getCurrentToken(): Promise<string>;
  getClient(token: string): UploadClient;
}

/** Well within the 30 minutes of a link. */
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
