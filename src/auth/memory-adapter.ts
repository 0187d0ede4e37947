import type { AdapterFactory, AdapterPayload } from "oidc-provider";
import type { Clock } from "#lib/clock.ts";

/** Oldest out first: what is pending at an issuer is minutes old at most. */
const mostEntries = 2000;

/** Storage of an OpenID issuer that may forget everything when the process ends. */
export function createMemoryAdapter(clock: Clock): AdapterFactory {
  const entries = new Map<string, { payload: AdapterPayload; expiresAt: number }>();
  const idsByUid = new Map<string, string>();

  const find = (key: string): AdapterPayload | undefined => {
    const entry = entries.get(key);
    return entry && clock() < entry.expiresAt ? entry.payload : undefined;
  };
  const remove = (key: string): void => {
    const uid = entries.get(key)?.payload.uid;
    if (uid !== undefined) idsByUid.delete(uid);
    entries.delete(key);
  };

  return (model) => ({
    async upsert(id, payload, expiresIn) {
      const key = `${model}:${id}`;
      remove(key);
      entries.set(key, { payload, expiresAt: expiresIn ? clock() + expiresIn * 1000 : Infinity });
      if (payload.uid !== undefined) idsByUid.set(payload.uid, key);
      const [oldest] = entries.keys();
      if (entries.size > mostEntries && oldest !== undefined) remove(oldest);
    },
    find: async (id) => find(`${model}:${id}`),
    findByUid: async (uid) => find(idsByUid.get(uid) ?? ""),
    findByUserCode: async () => undefined,
    async consume(id) {
      const payload = find(`${model}:${id}`);
      if (payload) payload.consumed = Math.floor(clock() / 1000);
    },
    destroy: async (id) => remove(`${model}:${id}`),
    async revokeByGrantId(grantId) {
      for (const [key, { payload }] of entries) if (payload.grantId === grantId) remove(key);
    },
  });
}
