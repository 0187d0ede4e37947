import { errors, type Adapter, type AdapterPayload } from "oidc-provider";
import { endGrant } from "#domain/access/end-grant.ts";
import { unusedLifetime } from "#domain/housekeeping/purge-expired.ts";
import type { Deps } from "#domain/deps.ts";
import { days, minutes, seconds } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";
import { acceptRefreshToken } from "./refresh-rule.ts";

export type AdapterDeps = Pick<
  Deps,
  "oauthRecords" | "oauthClients" | "grants" | "users" | "transact" | "newId" | "clock"
>;

/** How long a person may take to answer an authorization. */
export const approvalLifetime = minutes(30);

/**
 * The library's storage. Ids are kept as digests and stripped from what is stored; whatever belongs to a grant
 * is gone for everyone the moment the grant is revoked, because every look-up joins it.
 */
export function createAdapter(deps: AdapterDeps): (model: string) => Adapter {
  return (model) => {
    if (model === "Client") return clientAdapter(deps);
    if (model === "Session") return forgetful;
    return recordAdapter(deps, model);
  };
}

function recordAdapter(deps: AdapterDeps, model: string): Adapter {
  const { oauthRecords, oauthClients, clock } = deps;
  return {
    async upsert(id, payload, expiresIn) {
      if (model === "Interaction") {
        // However old and unused the client is: it outlives what a person is being asked.
        const clientId = String(payload.params?.["client_id"]);
        await oauthClients.renew(clientId, clock() - unusedLifetime + 2 * approvalLifetime);
      }
      await oauthRecords.put(model, sha256(id), {
        payload: withoutId(id, payload),
        grantId: model === "Grant" ? id : (payload.grantId ?? null),
        audience: typeof payload.aud === "string" ? payload.aud : null,
        scope: payload.scope ?? null,
        expiresAt: clock() + (expiresIn === undefined ? days(365) : seconds(expiresIn)),
      });
    },
    async find(id) {
      const record = await oauthRecords.find(model, sha256(id));
      return record && withId(id, record.payload);
    },
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    async destroy(id) {
      const was = await oauthRecords.delete(model, sha256(id));
      // The way back to the client, asked for twice at once: only one of them gets a code.
      if (!was && model === "Interaction") throw new errors.SessionNotFound("this approval has been answered");
    },
    // Only from the revocation endpoint: what was used before is found out below, not by the library.
    revokeByGrantId: async (grantId) => void (await endGrant(deps, { grantId, because: "given back" })),
    /**
     * One statement decides who is first. A code is good once, and a second use ends the grant (RFC 6749 §4.1.2);
     * a refresh token is good while its generation is, and an older one ends the grant (RFC 9700 §4.14.2).
     */
    async consume(id) {
      const record = await oauthRecords.find(model, sha256(id));
      const accepted =
        model === "RefreshToken"
          ? await acceptRefreshToken(deps, record)
          : await oauthRecords.consume(model, sha256(id), clock());
      if (accepted) return;
      if (record?.grantId != null) await endGrant(deps, { grantId: record.grantId, because: "used twice" });
      throw new errors.InvalidGrant(`${model} was used before`);
    },
  };
}

/** An approval that waits also has its id, which is its cookie, at the end of the address where it goes on. */
function withoutId(id: string, { jti: _jti, returnTo, ...rest }: AdapterPayload): Record<string, unknown> {
  return returnTo?.endsWith(id) ? { ...rest, returnTo: returnTo.slice(0, -id.length) } : rest;
}

function withId(id: string, { returnTo, ...rest }: AdapterPayload): AdapterPayload {
  return { ...rest, jti: id, ...(returnTo === undefined ? {} : { returnTo: `${returnTo}${id}` }) };
}

function clientAdapter({ oauthClients, clock }: AdapterDeps): Adapter {
  return {
    ...forgetful,
    async upsert(id, payload) {
      const { client_secret: secret, ...rest } = payload;
      await oauthClients.put(id, secret === undefined ? rest : { ...rest, client_secret: sha256(secret) }, clock());
    },
    // Ids we gave out look like this; others are a document's address, or nothing that a database should be asked.
    find: async (id) => (/^[\w-]{1,100}$/.test(id) ? oauthClients.find(id) : undefined),
  };
}

/** The library's own sessions are not kept: who is signed in is decided by the web session alone, every time. */
const forgetful: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  destroy: async () => {},
  revokeByGrantId: async () => {},
  consume: async () => {},
};
