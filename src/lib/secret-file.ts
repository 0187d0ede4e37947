import { randomBytes } from "node:crypto";
import { link, mkdir, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { OperatorError } from "./errors.ts";

export const secretFileName = "secret";

/**
 * The secret of a machine that was given none: made once, kept in the data folder, readable by its owner only.
 * Of two processes that start at the same moment, both end up with the first one's.
 */
export async function loadOrCreateSecret(dataDir: string): Promise<string> {
  const path = join(dataDir, secretFileName);
  // With PostgreSQL nothing else may have made the folder.
  await mkdir(dataDir, { recursive: true, mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(
      `Atelier cannot start: the folder for its generated secret cannot be created (${error.message}). ` +
        "Set DATA_DIR to a folder that this account may write, or set SECRETS.",
    );
  });
  const existingSecret = await readSecret(path);
  if (existingSecret !== undefined) return existingSecret;
  const tempPath = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  const file = await open(tempPath, "wx", 0o600);
  try {
    await file.writeFile(`${randomBytes(32).toString("hex")}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await link(tempPath, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  await rm(tempPath);
  return (await readSecret(path)) ?? Promise.reject(new Error(`${path} could not be read back`));
}

async function readSecret(path: string): Promise<string | undefined> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const secret = text.trim();
  if (Buffer.byteLength(secret) < 32)
    throw new Error(`${path} does not hold a secret of at least 32 bytes; restore it from a backup`);
  return secret;
}
