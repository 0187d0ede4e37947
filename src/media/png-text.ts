const signature = Buffer.from("89504e470d0a1a0a", "hex");
const textChunks = new Set(["zTXt", "iTXt", "tEXt"]);
/** An encoder writes pixels in chunks of 8 KiB and more: 100 MB have some 12,000. */
const maxChunks = 50_000;

/**
 * A PNG without its text chunks; other formats as they are. The decoder inflates every compressed text, can't be
 * stopped, and 50 KB inflate to 50 MB: a file of 1 MB would take nine seconds. No text is shown or kept in a thumbnail.
 */
export function withoutPngText(bytes: Uint8Array): Uint8Array {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (!file.subarray(0, 8).equals(signature)) return bytes;
  const parts: Buffer[] = [];
  let keptFrom = 0;
  let at = 8;
  for (let chunks = 0; at + 8 <= file.length; chunks++) {
    if (chunks === maxChunks) throw new Error("more chunks than an image has");
    const end = at + 12 + file.readUInt32BE(at);
    if (textChunks.has(file.toString("latin1", at + 4, at + 8))) {
      parts.push(file.subarray(keptFrom, at));
      keptFrom = end;
    }
    at = end;
  }
  return Buffer.concat([...parts, file.subarray(keptFrom)]);
}
