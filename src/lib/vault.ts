import { createCipheriv, createDecipheriv, hash, randomBytes } from "node:crypto";
import { deriveKey } from "./signed-token.ts";

/** A value can be opened only for the purpose that it was sealed for. */
export type VaultPurpose =
  | "platform-credential"
  | "platform-app"
  | "platform-connect"
  | "webhook-secrets"
  | "invitation-mail";

/** Encrypts secrets that we must be able to read again, such as platform tokens. */
export interface Vault {
  /** `context` identifies where the value is stored (row, studio); `open` fails with another context. */
  seal(purpose: VaultPurpose, context: readonly string[], text: string): string;
  /** Throws if the value was changed or moved, or if its secret is no longer in SECRETS. */
  open(purpose: VaultPurpose, context: readonly string[], sealedValue: string): string;
}

const version = "v1";
const ivBytes = 12;
const tagBytes = 16;

/**
 * AES-256-GCM with a key derived from each secret, a new IV per value, and purpose and context as associated data.
 * The first secret seals and all secrets open; a sealed value carries the id of its key.
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
      if (format !== version || extraParts.length > 0) throw new Error("this is not a value that the vault sealed");
      if (!key) throw new Error("the secret that sealed this value is no longer in SECRETS");
      const bytes = Buffer.from(body, "base64url");
      const end = bytes.length - tagBytes;
      if (end < ivBytes) throw new Error("this is not a value that the vault sealed");
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
        .setAAD(toAssociatedData(purpose, context))
        .setAuthTag(bytes.subarray(end));
      return Buffer.concat([decipher.update(bytes.subarray(ivBytes, end)), decipher.final()]).toString("utf8");
    },
  };
}
