/** A key is scoped to one user, one studio and one verb. */
export interface IdempotencyKey {
  studioId: string;
  userId: string;
  verb: string;
  key: string;
}

export interface StoredResult {
  inputHash: string;
  /** The result of the first call, as JSON. */
  result: string;
}

export interface IdempotencyStore {
  /** Returns the result stored under the key, unless it is older than `expiredBefore`. */
  find(key: IdempotencyKey, expiredBefore: number): Promise<StoredResult | undefined>;
  /**
   * Claims the key for this transaction, or returns the result stored under it. Parallel transactions with the same
   * key wait for the one that claimed it. Also deletes the user's keys that are older than `expiredBefore`.
   */
  claim(key: IdempotencyKey, inputHash: string, now: number, expiredBefore: number): Promise<StoredResult | undefined>;
  /** Stores the result under a key that this transaction claimed. */
  saveResult(key: IdempotencyKey, result: string): Promise<void>;
  /** Replaces the stored result if it is still `from`, in one statement; returns whether it was replaced. */
  replaceResult(key: IdempotencyKey, from: string, to: string): Promise<boolean>;
}
