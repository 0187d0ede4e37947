import { errors, type Adapter, type AdapterPayload } from "oidc-provider";
import { forceRevokeGrant } from "#domain/steps/force-revoke-grant.ts";
import { unusedClientLifetime } from "#domain/jobs/purge-expired.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { days, minutes, seconds } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";
import { acceptRefreshToken } from "./refresh-rule.ts";

export type AdapterDeps = Pick<
  Deps,
  "oauthRecords" | "oauthClients" | "grants" | "users" | "transact" | "newId" | "clock"
>;

/** How long a user may take to decide on the consent page. */
export const consentLifetime = minutes(30);

/**
 * Storage for oidc-provider. Ids are stored as digests and removed from the payload. Every lookup joins the grant, so
 * revoking a grant invalidates its records at once.
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
        // Otherwise the server could purge an old, unused client before its user has decided.
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
      const wasDeleted = await oauthRecords.delete(model, sha256(id));
      // Of two concurrent redirects back to the client, only one gets a code.
      if (!wasDeleted && model === "Interaction")
        throw new errors.SessionNotFound("this consent was already completed");
    },
    // Only the revocation endpoint calls this; `consume` below detects reuse.
    revokeByGrantId: async (grantId) => void (await forceRevokeGrant(deps, { grantId, reason: "given back" })),
    /**
     * One SQL statement decides which request is first. Reusing a code revokes the grant (RFC 6749 §4.1.2), and so does a
     * refresh token of an outdated generation (RFC 9700 §4.14.2).
     */
    async consume(id) {
      const record = await oauthRecords.find(model, sha256(id));
      const isAccepted =
        model === "RefreshToken"
          ? await acceptRefreshToken(deps, record)
          : await oauthRecords.consume(model, sha256(id), clock());
      if (isAccepted) return;
      if (record?.grantId != null) await forceRevokeGrant(deps, { grantId: record.grantId, reason: "used twice" });
      throw new errors.InvalidGrant(`${model} was already used`);
    },
  };
}

/** An interaction's id is also the value of its cookie, so the id must not be stored. `returnTo` ends with the id. */
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
    // The format of the ids that we issue. Any other id is the URL of a client metadata document, or invalid.
    find: async (id) => (/^[\w-]{1,100}$/.test(id) ? oauthClients.find(id) : undefined),
  };
}

/** oidc-provider's sessions are not stored: the web session alone decides who is signed in. */
const noopAdapter: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  destroy: async () => {},
  revokeByGrantId: async () => {},
  consume: async () => {},
};
