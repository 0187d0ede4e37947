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

/** How many of the next publish requests show each fault. */
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
  /** Counts one request; false if none of the next ones shows the fault. */
  takeFault(name: keyof SandboxFaults): Promise<boolean>;
}
