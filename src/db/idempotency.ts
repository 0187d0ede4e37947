import type { IdempotencyKey, IdempotencyStore } from "#domain/idempotency/ports.ts";
import type { Connection } from "./client.ts";

export function createIdempotencyStore({ q }: Connection): IdempotencyStore {
  const selectResult = ({ studioId, userId, verb, key }: IdempotencyKey) =>
    q
      .selectFrom("idempotency_keys")
      .select(["input_hash as inputHash", "result"])
      .where("studio_id", "=", studioId)
      .where("user_id", "=", userId)
      .where("verb", "=", verb)
      .where("key", "=", key);
  return {
    async find(idempotencyKey, expiredBefore) {
      return selectResult(idempotencyKey).where("created_at", ">", expiredBefore).executeTakeFirst();
    },
    async claim(idempotencyKey, inputHash, now, expiredBefore) {
      const { studioId, userId, verb, key } = idempotencyKey;
      await q
        .deleteFrom("idempotency_keys")
        .where("studio_id", "=", studioId)
        .where("user_id", "=", userId)
        .where("created_at", "<=", expiredBefore)
        .execute();
      const { numInsertedOrUpdatedRows } = await q
        .insertInto("idempotency_keys")
        .values({ studio_id: studioId, user_id: userId, verb, key, input_hash: inputHash, result: "", created_at: now })
        .onConflict((conflict) => conflict.columns(["studio_id", "user_id", "verb", "key"]).doNothing())
        .executeTakeFirst();
      if (numInsertedOrUpdatedRows !== 0n) return undefined;
      return selectResult(idempotencyKey).executeTakeFirstOrThrow();
    },
    async saveResult({ studioId, userId, verb, key }, result) {
      await q
        .updateTable("idempotency_keys")
        .set({ result })
        .where("studio_id", "=", studioId)
        .where("user_id", "=", userId)
        .where("verb", "=", verb)
        .where("key", "=", key)
        .execute();
    },
  };
}
