import { errors, type Adapter, type AdapterPayload } from "oidc-provider";
import { forceRevokeGrant } from "#domain/access/grants.ts";
import { unusedClientLifetime } from "#domain/housekeeping/purge-expired.ts";
import type { Deps } from "#domain/deps.ts";
import { days, minutes, seconds } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";
import { acceptRefreshToken } from "./refresh-rule.ts";

export type AdapterDeps = Pick<
  Deps,
  "oauthRecords" | "oauthClients" | "grants" | "users" | "transact" | "newId" | "clock"
>;

/** How long a person may take to answer an authorization. */
export const consentLifetime = minutes(30);

/**
 * The library's storage. Ids are kept as digests and stripped from what is stored; whatever belongs to a grant
 * is gone for everyone the moment the grant is revoked, because every look-up joins it.
 */
export function createAdapterFactory(deps: AdapterDeps): (model: string) => Adapter {
  return (model) => {
    if (model === "Client") return createClientAdapter(deps);
    if (model === "Session") return noopAdapter;
    return createRecordAdapter(deps, model);
  };
}

function createRecordAdapter(deps: AdapterDeps, model: string): Adapter {
  const { oauthRecords, oauthClients, clock } = deps;
  return {
    async upsert(id, payload, expiresIn) {
      if (model === "Interaction") {
        // However old and unused the client is: it outlives what a person is being asked.
        const clientId = String(payload.params?.["client_id"]);
        await oauthClients.postponePurge(clientId, clock() - unusedClientLifetime + 2 * consentLifetime);
      }
      await oauthRecords.put(model, sha256(id), {
        payload: stripId(id, payload),
        grantId: model === "Grant" ? id : (payload.grantId ?? null),
        audience: typeof payload.aud === "string" ? payload.aud : null,
        scope: payload.scope ?? null,
        expiresAt: clock() + (expiresIn === undefined ? days(365) : seconds(expiresIn)),
      });
    },
    async find(id) {
      const record = await oauthRecords.find(model, sha256(id));
      return record && restoreId(id, record.payload);
    },
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    async destroy(id) {
      const existed = await oauthRecords.delete(model, sha256(id));
      // The way back to the client, asked for twice at once: only one of them gets a code.
      if (!existed && model === "Interaction") throw new errors.SessionNotFound("this approval has been answered");
    },
    // Only from the revocation endpoint: what was used before is found out below, not by the library.
    revokeByGrantId: async (grantId) => void (await forceRevokeGrant(deps, { grantId, reason: "given back" })),
    /**
     * One statement decides who is first. A code is good once, and a second use ends the grant (RFC 6749 §4.1.2);
     * a refresh token is good while its generation is, and an older one ends the grant (RFC 9700 §4.14.2).
     */
    async consume(id) {
      const record = await oauthRecords.find(model, sha256(id));
      const isAccepted =
        model === "RefreshToken"
          ? await acceptRefreshToken(deps, record)
          : await oauthRecords.consume(model, sha256(id), clock());
      if (isAccepted) return;
      if (record?.grantId != null) await forceRevokeGrant(deps, { grantId: record.grantId, reason: "used twice" });
      throw new errors.InvalidGrant(`${model} was used before`);
    },
  };
}

/** An approval that waits also has its id, which is its cookie, at the end of the address where it goes on. */
function stripId(id: string, { jti: _jti, returnTo, ...rest }: AdapterPayload): Record<string, unknown> {
  return returnTo?.endsWith(id) ? { ...rest, returnTo: returnTo.slice(0, -id.length) } : rest;
}

function restoreId(id: string, { returnTo, ...rest }: AdapterPayload): AdapterPayload {
  return { ...rest, jti: id, ...(returnTo === undefined ? {} : { returnTo: `${returnTo}${id}` }) };
}

function createClientAdapter({ oauthClients, clock }: AdapterDeps): Adapter {
  return {
    ...noopAdapter,
    async upsert(id, payload) {
      const { client_secret: secret, ...rest } = payload;
      await oauthClients.put(id, secret === undefined ? rest : { ...rest, client_secret: sha256(secret) }, clock());
    },
    // Ids we gave out look like this; others are a document's address, or nothing that a database should be asked.
    find: async (id) => (/^[\w-]{1,100}$/.test(id) ? oauthClients.find(id) : undefined),
  };
}

/** The library's own sessions are not kept: who is signed in is decided by the web session alone, every time. */
const noopAdapter: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  destroy: async () => {},
  revokeByGrantId: async () => {},
  consume: async () => {},
};
