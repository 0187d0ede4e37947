import { createClient, type Client } from "./client.ts";

/** The links that files go through: the newest for what is chosen now, older ones for what they began. */
export interface Links {
  /** One link for all files that are chosen within some time, not one each. */
  current(): Promise<string>;
  client(token: string): Client;
}

/** Well within the 30 minutes of a link. */
const reuseMs = 20 * 60_000;

export function createLinks(make: () => Promise<string>): Links {
  const clients = new Map<string, Client>();
  let latest: { token: Promise<string>; at: number } | undefined;
  return {
    current() {
      if (latest && Date.now() - latest.at < reuseMs) return latest.token;
      const asked = { token: make(), at: Date.now() };
      asked.token.catch(() => latest === asked && (latest = undefined));
      latest = asked;
      return asked.token;
    },
    client(token) {
      const known = clients.get(token) ?? createClient(token);
      clients.set(token, known);
      return known;
    },
  };
}
