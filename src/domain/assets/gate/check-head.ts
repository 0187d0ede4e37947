import { isCfb } from "./cfb-check.ts";
import type { Declared } from "../declared.ts";
import { checkBytes, headBytes } from "./gate.ts";
import { isZip } from "./zip-check.ts";

export const headLength = headBytes;

/**
 * The gate's verdict on the beginning of a file, before the rest is sent. What it refuses here it would refuse at the
 * end; what it passes is judged again then, whole. Containers whose table stands at their end cannot be told yet.
 */
export async function checkHead(base64: string | undefined, bytes: number, declared: Declared): Promise<void> {
  const head = Buffer.from(base64 ?? "", "base64");
  if (head.length !== Math.min(bytes, headLength) || isZip(head) || isCfb(head)) return;
  await checkBytes({ bytes, read: async (start, end) => head.subarray(start, end) }, declared);
}
