import type { FileStore, MultipartFile, PartStore } from "#domain/ports/file-store.ts";
import { sanitizeFileName } from "#lib/file-name.ts";
import type { Signer } from "#lib/signed-token.ts";

/** The operation that a signed URL of the disk store allows. */
export type FileClaims =
  | { op: "put"; key: string; maxBytes: number }
  | { op: "part"; file: MultipartFile; part: number }
  | { op: "get"; key: string; mimeType: string; filename: string; asDownload: boolean; expiresAt: number };

export interface FileTokens
  extends Pick<FileStore, "origin" | "createUploadUrl" | "createDownloadUrl">, Pick<PartStore, "createPartUrl"> {
  /** Returns undefined for a token that is forged, truncated or expired. */
  verify(token: string): FileClaims | undefined;
}

/** Signs URLs below `{base}/files/`. The token in the URL is the only credential. */
export function createFileTokens(signer: Signer, base: string): FileTokens {
  const createUrl = (claims: FileClaims, expiresAt: number) =>
    `${base}/files/${signer.sign("file", claims, expiresAt)}`;
  return {
    origin: new URL(base).origin,
    createUploadUrl: async (key, { maxBytes, expiresAt }) => createUrl({ op: "put", key, maxBytes }, expiresAt),
    createPartUrl: async ({ key, id, bytes, partBytes }, part, expiresAt) =>
      createUrl({ op: "part", file: { key, id, bytes, partBytes }, part }, expiresAt),
    createDownloadUrl: async (key, { mimeType, filename, asDownload, expiresAt }) =>
      // Sanitized and shortened before signing, to bound the length of the URL.
      createUrl({ op: "get", key, mimeType, filename: sanitizeFileName(filename), asDownload, expiresAt }, expiresAt),
    verify: (token) => signer.verify("file", token) as FileClaims | undefined,
  };
}
