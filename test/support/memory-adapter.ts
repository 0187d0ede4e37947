import type { AdapterFactory, AdapterPayload } from "oidc-provider";
import type { Clock } from "#lib/clock.ts";

/** In-memory storage for an OpenID provider that may lose everything when the process ends. */
export function createMemoryAdapter(clock: Clock): AdapterFactory {
  const entries = new Map<string, { payload: AdapterPayload; expiresAt: number }>();
  const keysByUid = new Map<string, string>();

  const find = (key: string): AdapterPayload | undefined => {
    const entry = entries.get(key);
    return entry && clock() < entry.expiresAt ? entry.payload : undefined;
  };
  const remove = (key: string): void => {
    const uid = entries.get(key)?.payload.uid;
    if (uid !== undefined) keysByUid.delete(uid);
    entries.delete(key);
  };

  return (model) => ({
    async upsert(id, payload, expiresIn) {
      const key = `${model}:${id}`;
      remove(key);
      entries.set(key, { payload, expiresAt: expiresIn ? clock() + expiresIn * 1000 : Infinity });
      if (payload.uid !== undefined) keysByUid.set(payload.uid, key);
    },
    find: async (id) => find(`${model}:${id}`),
    findByUid: async (uid) => find(keysByUid.get(uid) ?? ""),
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
