export interface SandboxMedia {
  mimeType: string;
  bytes: number;
  altText: string | null;
}

export interface SandboxPost {
  id: string;
  account: string;
  text: string;
  media: SandboxMedia[];
  createdAt: number;
}

/** For each fault, how many of the next publish requests have it. */
export interface SandboxFaults {
  dropResponses: number;
  rejectNext: number;
  unavailableNext: number;
}

/** What the sandbox platform stores: in the database, so that it survives restarts and all processes share it. */
export interface SandboxStore {
  addMedia(media: SandboxMedia & { id: string; account: string; createdAt: number }): Promise<void>;
  /** In the order of `ids`; unknown ids are left out. */
  listMedia(account: string, ids: readonly string[]): Promise<SandboxMedia[]>;
  /** False if the account already has a post with this key. */
  addPost(post: SandboxPost & { idempotencyKey: string | null }): Promise<boolean>;
  /** The id of the post with this key. */
  findByKey(account: string, idempotencyKey: string, createdAfter: number): Promise<string | undefined>;
  /** Oldest first. */
  listPosts(): Promise<SandboxPost[]>;
  setFaults(faults: { [Name in keyof SandboxFaults]?: number | undefined }): Promise<void>;
  /** Returns whether the next request has the fault, and if so, decrements the fault's count. */
  takeFault(name: keyof SandboxFaults): Promise<boolean>;
}
