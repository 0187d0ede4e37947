import assert from "node:assert/strict";

interface Sent {
  name: string;
  mimeType: string;
  bytes: Buffer;
}

/** Sends files through an upload link, as the page does: without an account. */
export interface LinkClient {
  /** All parts of a file, without completing it. Returns its id. */
  send(file: Sent): Promise<string>;
  complete(fileId: string): Promise<{ status: number; body: unknown }>;
}

export function openLink(base: string, url: string): LinkClient {
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
    async send({ name, mimeType, bytes }) {
      const wanted = { name, size: bytes.length, lastModified: 1, type: mimeType };
      const { status, body } = await call<{ file: { id: string }; partBytes: number }>("/files", wanted);
      assert.equal(status, 200, JSON.stringify(body));
      const parts = Array.from({ length: Math.ceil(bytes.length / body.partBytes) }, (_, i) => i + 1);
      const path = `/files/${body.file.id}/addresses`;
      const { addresses } = (await call<{ addresses: { part: number; url: string }[] }>(path, { parts })).body;
      for (const { part, url: address } of addresses) {
        const content = bytes.subarray((part - 1) * body.partBytes, part * body.partBytes);
        const stored = await fetch(address, { method: "PUT", body: new Uint8Array(content) });
        assert.ok(stored.ok, `${stored.status} ${await stored.text()}`);
      }
      return body.file.id;
    },
    complete: (fileId) => call(`/files/${fileId}/complete`, {}),
  };
}
