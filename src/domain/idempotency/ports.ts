/** What was promised under a key: for one person, in one studio, for one verb. */
export interface IdempotencyKey {
  studioId: string;
  userId: string;
  verb: string;
  key: string;
}

export interface StoredResult {
  inputHash: string;
  /** The first answer, as JSON. */
  result: string;
}

export interface IdempotencyStore {
  /** What was kept under the key, made after `expired`. */
  find(key: IdempotencyKey, expiredBefore: number): Promise<StoredResult | undefined>;
  /**
   * Takes the key for this transaction, or answers what was kept under it. Of parallel transactions one takes it;
   * the others wait for its end. Keys of the same person made before `expired` are forgotten on the way.
   */
  claim(key: IdempotencyKey, inputHash: string, now: number, expiredBefore: number): Promise<StoredResult | undefined>;
  /** Keeps the answer under a key that this transaction took. */
  saveResult(key: IdempotencyKey, result: string): Promise<void>;
}
