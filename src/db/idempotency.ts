import type { IdempotencyStore } from "#domain/idempotency/ports.ts";
import type { Connection } from "./client.ts";

export function idempotencyStore({ q }: Connection): IdempotencyStore {
  return {
    async find({ studioId, userId, verb, key }, expired) {
      const kept = await q
        .selectFrom("idempotency_keys")
        .select(["input_hash", "result"])
        .where("studio_id", "=", studioId)
        .where("user_id", "=", userId)
        .where("verb", "=", verb)
        .where("key", "=", key)
        .where("created_at", ">", expired)
        .executeTakeFirst();
      return kept && { inputHash: kept.input_hash, result: kept.result };
    },
    async claim({ studioId, userId, verb, key }, inputHash, now, expired) {
      const own = { studio_id: studioId, user_id: userId };
      await q
        .deleteFrom("idempotency_keys")
        .where("studio_id", "=", studioId)
        .where("user_id", "=", userId)
        .where("created_at", "<=", expired)
        .execute();
      const { numInsertedOrUpdatedRows } = await q
        .insertInto("idempotency_keys")
        .values({ ...own, verb, key, input_hash: inputHash, result: "", created_at: now })
        .onConflict((conflict) => conflict.columns(["studio_id", "user_id", "verb", "key"]).doNothing())
        .executeTakeFirst();
      if (numInsertedOrUpdatedRows !== 0n) return undefined;
      const kept = await q
        .selectFrom("idempotency_keys")
        .select(["input_hash", "result"])
        .where("studio_id", "=", studioId)
        .where("user_id", "=", userId)
        .where("verb", "=", verb)
        .where("key", "=", key)
        .executeTakeFirstOrThrow();
      return { inputHash: kept.input_hash, result: kept.result };
    },
    async keep({ studioId, userId, verb, key }, result) {
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
