import { AppError } from "./errors.ts";

/** Deeper than anything a person or a tool writes, far from what makes a parser crawl. */
const maxDepth = 64;

const quote = 0x22;
const backslash = 0x5c;

/**
 * JSON from a stranger. Depth is counted before parsing: megabytes of `[` cost a parser seconds,
 * and a value nested that deep breaks everything that walks it later, logging included.
 */
export function parseJson(bytes: Uint8Array): unknown {
  if (!isWithinDepthLimit(bytes)) throw new AppError("invalid_input:json_depth");
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new AppError("invalid_input:json");
  }
}

function isWithinDepthLimit(bytes: Uint8Array): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (inString) {
      if (byte === backslash) i++;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > maxDepth) return false;
    } else if (byte === 0x5d || byte === 0x7d) depth--;
  }
  return true;
}
