import type { ConnectLink, PlatformStore } from "#domain/platforms/ports.ts";
import type { Connection } from "./database.ts";
import type { Schema } from "./schema.ts";

/** The links to the pages where users connect platform accounts. */
export function createConnectLinkStore({
  q,
}: Connection): Pick<
  PlatformStore,
  "insertConnectLink" | "findConnectLink" | "startConnectLink" | "consumeConnectLink"
> {
  return {
    async insertConnectLink({ tokenHash, studioId, userId, platform, instance, grantId, client, expiresAt }) {
      await q
        .insertInto("platform_connects")
        .values({
          token_hash: tokenHash,
          studio_id: studioId,
          user_id: userId,
          platform,
          instance,
          grant_id: grantId,
          client_id: client?.id ?? null,
          client_name: client?.name ?? null,
          expires_at: expiresAt,
        })
        .execute();
    },
    async findConnectLink(lookup, now) {
      const [column, hash, expiryColumn] =
        "tokenHash" in lookup
          ? (["p.token_hash", lookup.tokenHash, "p.expires_at"] as const)
          : (["p.state_hash", lookup.stateHash, "p.state_expires_at"] as const);
      const row = await q
        .selectFrom("platform_connects as p")
        .leftJoin("grants as g", "g.id", "p.grant_id")
        .selectAll("p")
        .where(column, "=", hash)
        .where("p.used_at", "is", null)
        .where(expiryColumn, ">", now)
        .where("g.revoked_at", "is", null)
        .executeTakeFirst();
      return row && toConnectLink(row);
    },
    async startConnectLink(tokenHash, stateHash, now, stateExpiresAt) {
      const { numUpdatedRows } = await q
        .updateTable("platform_connects")
        .set({ state_hash: stateHash, state_expires_at: stateExpiresAt })
        .where("token_hash", "=", tokenHash)
        .where("used_at", "is", null)
        .where("expires_at", ">", now)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async consumeConnectLink(stateHash, now) {
      const { numUpdatedRows } = await q
        .updateTable("platform_connects")
        .set({ used_at: now })
        .where("state_hash", "=", stateHash)
        .where("used_at", "is", null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}

/** Atelier's app registrations at platform instances. */
export function createPlatformAppStore({ q }: Connection): Pick<PlatformStore, "findApp" | "insertApp" | "deleteApp"> {
  return {
    async findApp({ platform, instance }, redirectUri) {
      const row = await q
        .selectFrom("platform_apps")
        .selectAll()
        .where("platform", "=", platform)
        .where("instance", "=", instance)
        .where("redirect_uri", "=", redirectUri)
        .executeTakeFirst();
      return row && { platform, instance, redirectUri, credential: row.credential };
    },
    async insertApp({ platform, instance, redirectUri, credential }, now) {
      await q
        .insertInto("platform_apps")
        .values({ platform, instance, redirect_uri: redirectUri, credential, created_at: now })
        .onConflict((conflict) =>
          conflict
            .columns(["platform", "instance"])
            .doUpdateSet({ redirect_uri: redirectUri, credential, created_at: now })
            .where("platform_apps.redirect_uri", "<>", redirectUri),
        )
        .execute();
    },
    async deleteApp({ platform, instance }, credential) {
      await q
        .deleteFrom("platform_apps")
        .where("platform", "=", platform)
        .where("instance", "=", instance)
        .$if(credential !== undefined, (apps) => apps.where("credential", "=", credential!))
        .execute();
    },
  };
}

function toConnectLink(row: Schema["platform_connects"]): ConnectLink {
  return {
    tokenHash: row.token_hash,
    studioId: row.studio_id,
    userId: row.user_id,
    platform: row.platform,
    instance: row.instance,
    grantId: row.grant_id,
    client: row.client_id === null ? null : { id: row.client_id, name: row.client_name ?? "" },
    expiresAt: row.expires_at,
  };
}
