import { AppError } from "./errors.ts";

/** More than any real input needs, and cheap to parse. */
const maxDepth = 64;

const quote = 0x22;
const backslash = 0x5c;

/**
 * Parses untrusted JSON. Checks the depth before parsing: megabytes of `[` take a parser seconds, and deeply nested
 * values overflow the stack of any code that walks them later, including the logger.
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
