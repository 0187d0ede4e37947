import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OperatorError } from "./errors.ts";

export const secretFileName = "secret";

/**
 * Returns the secret in the data folder, for servers without SECRETS. Creates it on first use, with mode 0600. If two
 * processes start at the same time, both get the secret of the first.
 */
export async function loadOrCreateSecret(dataDir: string): Promise<string> {
  const path = join(dataDir, secretFileName);
  // With PostgreSQL the folder may not exist yet.
  await mkdir(dataDir, { recursive: true, mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(
      `Atelier cannot start: failed to create the folder for the generated secret (${error.message}). ` +
        "Set DATA_DIR to a folder that this account can write to, or set SECRETS.",
    );
  });
  const existingSecret = await readSecret(path);
  if (existingSecret !== undefined) return existingSecret;
  const tempPath = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  await writeFile(tempPath, `${randomBytes(32).toString("hex")}\n`, { flag: "wx", mode: 0o600, flush: true });
  await link(tempPath, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  await rm(tempPath);
  return (await readSecret(path)) ?? Promise.reject(new Error(`${path} could not be read after it was created`));
}

async function readSecret(path: string): Promise<string | undefined> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const secret = text.trim();
  if (Buffer.byteLength(secret) < 32)
    throw new Error(`${path} does not contain a secret of at least 32 bytes; restore it from a backup`);
  return secret;
}
