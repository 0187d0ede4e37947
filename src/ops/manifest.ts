import { open, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { OperatorError } from "#lib/operator-error.ts";
import { formatBytes } from "#lib/format-bytes.ts";
import { digestOf } from "./copy-file.ts";
import type { Tell } from "./tell.ts";
import { sideBySide } from "./side-by-side.ts";

/**
 * A backup is a folder laid out like a data folder, with two files more: SHA256SUMS, which `sha256sum -c` reads as well,
 * and manifest.json, which vouches for it. While it is being made its name ends in `.partial`.
 */
export const manifestFile = "manifest.json";
export const sumsFile = "SHA256SUMS";
export const partial = ".partial";

const shape = z.object({
  format: z.literal(1),
  /** The version of Atelier that made it. */
  version: z.string(),
  madeAt: z.string(),
  files: z.number().int(),
  bytes: z.number(),
  /** Digest of SHA256SUMS. */
  sums: z.string(),
  /** Files that the service had lost, or that were damaged, when the backup was made. */
  lost: z.array(z.string()),
});

export type Manifest = z.infer<typeof shape>;

export interface Listed {
  path: string;
  sha256: string;
}

export const sumLine = ({ sha256, path }: Listed): string => `${sha256}  ${path}\n`;

/** Nothing else than what a backup holds becomes a path. */
const lineShape = /^([0-9a-f]{64}) {2}(atelier\.db|secret|files\/files\/[0-9a-f]{2}\/[0-9a-f]\/[a-z0-9_.+~-]+)$/;

async function* readSums(folder: string): AsyncGenerator<Listed> {
  const file = await open(join(folder, sumsFile));
  for await (const line of file.readLines()) {
    const [, sha256, path] = lineShape.exec(line) ?? [];
    if (sha256 === undefined || path === undefined)
      throw damaged(folder, `${sumsFile} has a line that is none of ours`);
    yield { sha256, path };
  }
}

/** Reads all of a backup, and throws unless every byte is what it was. */
export async function verifyBackup(folder: string, tell: Tell): Promise<{ manifest: Manifest; listed: Listed[] }> {
  const manifest = await readManifest(folder);
  if ((await digestOf(join(folder, sumsFile)).catch(() => "")) !== manifest.sums)
    throw damaged(folder, `${sumsFile} was changed`);
  const listed: Listed[] = [];
  for await (const one of readSums(folder)) listed.push(one);
  if (listed.length !== manifest.files) throw damaged(folder, "files are missing from its list");
  let bytes = 0;
  let done = 0;
  await sideBySide(listed, 4, async ({ path, sha256 }) => {
    const found = await digestOf(join(folder, path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") throw damaged(folder, `${path} is missing`);
      throw error;
    });
    if (found !== sha256) throw damaged(folder, `${path} is not what it was`);
    bytes += (await stat(join(folder, path))).size;
    tell(`verified ${++done} of ${listed.length} files, ${formatBytes(bytes)}`);
  });
  return { manifest, listed };
}

async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, manifestFile), "utf8").catch(() => undefined);
  if (text === undefined)
    throw new OperatorError(`${folder} is not a backup, or was never finished: it has no ${manifestFile}.`);
  try {
    return shape.parse(JSON.parse(text));
  } catch {
    throw damaged(folder, `${manifestFile} cannot be read`);
  }
}

const damaged = (folder: string, what: string): OperatorError =>
  new OperatorError(`The backup ${folder} is damaged: ${what}. Use another one. Nothing was changed.`);
