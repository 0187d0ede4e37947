import { createCipheriv, createDecipheriv, hash, randomBytes } from "node:crypto";
import { deriveKey } from "./signed-token.ts";

/** What is sealed. What was sealed for one use cannot be opened for another. */
export type VaultPurpose = "platform-credential" | "platform-app";

/** Keeps secrets that we must be able to read again, such as a platform's tokens. */
export interface Vault {
  /** `place` is where it will lie (its row, its studio): anywhere else it cannot be opened. */
  seal(purpose: VaultPurpose, context: readonly string[], text: string): string;
  /** Throws for what was altered, moved, or sealed under a secret that is no longer in the settings. */
  open(purpose: VaultPurpose, context: readonly string[], sealedValue: string): string;
}

const version = "v1";
const ivBytes = 12;
const tagBytes = 16;

/**
 * AES-256-GCM under a key derived for this use from each secret, a fresh IV each time, the place as associated data.
 * The first secret seals; all open, and the id of the key says which one it was.
 */
export function createVault(secrets: readonly [string, ...string[]]): Vault {
  const keys = secrets.map((secret) => {
    const key = deriveKey(secret, "vault");
    return { key, id: hash("sha256", key, "hex").slice(0, 16) };
  }) as [{ key: Buffer; id: string }, ...{ key: Buffer; id: string }[]];
  const toAssociatedData = (purpose: VaultPurpose, context: readonly string[]): Buffer =>
    Buffer.from(JSON.stringify([purpose, ...context]));

  return {
    seal(purpose, context, text) {
      const [{ key, id }] = keys;
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(toAssociatedData(purpose, context));
      const sealedValue = Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return `${version}.${id}.${sealedValue.toString("base64url")}`;
    },
    open(purpose, context, sealedValue) {
      const [format, id, body = "", ...extraParts] = sealedValue.split(".");
      const key = keys.find((candidate) => candidate.id === id)?.key;
      if (format !== version || extraParts.length > 0) throw new Error("this is nothing that the vault has sealed");
      if (!key) throw new Error("it was sealed under a secret that is not among SECRETS any more");
      const bytes = Buffer.from(body, "base64url");
      const end = bytes.length - tagBytes;
      if (end < ivBytes) throw new Error("this is nothing that the vault has sealed");
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
        .setAAD(toAssociatedData(purpose, context))
        .setAuthTag(bytes.subarray(end));
      return Buffer.concat([decipher.update(bytes.subarray(ivBytes, end)), decipher.final()]).toString("utf8");
    },
  };
}
