import { z } from "zod";
import { extensions } from "../../model/asset-kinds.ts";
import type { DeclaredType } from "../../model/declared-type.ts";
import { text } from "../../model/text.ts";
import { isSameFamily } from "./formats.ts";
import { isTextType } from "./text-check.ts";

/** Control characters, line separators, zero-width characters and bidirectional controls. */
const invisibleCharacters = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;

/**
 * A display name, never part of a path. Keeps only what follows the last slash or backslash, as browsers do, and
 * drops invisible characters. An empty result is treated as no name.
 */
export const filenameInput = text(255).transform(cleanFilename).optional().describe("Display name, such as team.jpg.");

export function cleanFilename(name: string): string {
  const baseName = name.split(/[/\\]/).at(-1) ?? "";
  return baseName.replace(invisibleCharacters, "").replace(/\s+/gu, " ").trim().replace(/^\.+$/, "");
}

const maxTruncatedLength = 200;

/** For names that the user can't easily change. Keeps the extension, because users and programs rely on it. */
export function truncateFilename(name: string): string {
  const characters = Array.from(name);
  if (characters.length <= maxTruncatedLength) return name;
  const extension = /\.[^.\s]{1,10}$/u.exec(name)?.[0] ?? "";
  return characters.slice(0, maxTruncatedLength - extension.length).join("") + extension;
}

/** Returns the name, or a generic one such as image.jpg if there is none. */
export const resolveFilename = (name: string | undefined, { kind, mimeType }: DeclaredType): string =>
  name === undefined || name === "" ? `${kind}.${extensions[mimeType]?.[0] ?? "bin"}` : name;

/** The extensions of a type, each with its dot. */
export const listExtensions = (mimeType: string): string[] =>
  (extensions[mimeType] ?? []).map((extension) => `.${extension}`);

export function guessTypeFromFilename(name: string): string | undefined {
  const extension = /\.([a-z0-9]{1,10})$/i.exec(name)?.[1]?.toLowerCase();
  return extension && Object.keys(extensions).find((type) => extensions[type]?.includes(extension));
}

/**
 * Gives the name an extension that matches its type, so that a download opens in the right program. Replaces an
 * extension that belongs to another type. Appends one if the name has no known extension, except for text files.
 */
export function fitExtension(name: string, mimeType: string): string {
  const filenameType = guessTypeFromFilename(name);
  if (filenameType === undefined ? isTextType(mimeType) : isSameFamily(mimeType, filenameType)) return name;
  const stem = filenameType === undefined ? name : name.slice(0, name.lastIndexOf("."));
  return `${stem}${listExtensions(mimeType)[0] ?? ""}`;
}

/**
 * The name of a download. Its extension decides which program opens it, so a text file keeps only an extension of text,
 * or none: `run.bat` becomes `run.bat.txt`.
 */
export function getDownloadName(name: string, mimeType: string): string {
  if (!isTextType(mimeType)) return fitExtension(name, mimeType);
  const filenameType = guessTypeFromFilename(name);
  const opensAsText = filenameType === undefined ? !name.includes(".") : isTextType(filenameType);
  return opensAsText ? name : `${name}${listExtensions(mimeType)[0] ?? ""}`;
}

export const requiredFilename = text(255)
  .transform(cleanFilename)
  .pipe(z.string().min(1, "must contain visible characters"));
