import assert from "node:assert/strict";

interface UploadedFile {
  name: string;
  mimeType: string;
  bytes: Buffer;
}

/** Uploads files through an upload link without an account, as the upload page does. */
export interface LinkClient {
  /** Uploads all parts of a file without completing the upload; returns the file's id. */
  sendParts(file: UploadedFile): Promise<string>;
  complete(fileId: string): Promise<{ status: number; body: unknown }>;
}

export function createLinkClient(base: string, url: string): LinkClient {
  const token = url.split("/u/")[1] ?? "";
  const call = async <T>(path: string, body: unknown): Promise<{ status: number; body: T }> => {
    const response = await fetch(`${base}/api/uploads${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "upload-token": token },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as T };
  };
  return {
    async sendParts({ name, mimeType, bytes }) {
      const startInput = { name, size: bytes.length, lastModified: 1, type: mimeType };
      const { status, body } = await call<{ file: { id: string }; partBytes: number }>("/files", startInput);
      assert.equal(status, 200, JSON.stringify(body));
      const parts = Array.from({ length: Math.ceil(bytes.length / body.partBytes) }, (_, i) => i + 1);
      const path = `/files/${body.file.id}/addresses`;
      const { addresses } = (await call<{ addresses: { part: number; url: string }[] }>(path, { parts })).body;
      for (const { part, url: partUrl } of addresses) {
        const content = bytes.subarray((part - 1) * body.partBytes, part * body.partBytes);
        const response = await fetch(partUrl, { method: "PUT", body: new Uint8Array(content) });
        assert.ok(response.ok, `${response.status} ${await response.text()}`);
      }
      return body.file.id;
    },
    complete: (fileId) => call(`/files/${fileId}/complete`, {}),
  };
}
