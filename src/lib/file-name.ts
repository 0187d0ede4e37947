import { create } from "content-disposition";

/** Control, bidirectional and invisible characters, and path or parameter separators of any system. */
const unsafeCharacters =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\uffff/\\:*?"<>|;%]/gu;
const maxCharacters = 120;

/** Makes an untrusted file name safe for a download: one line, no path, bounded length. */
export function sanitizeFileName(name: string): string {
  const cleanName = name
    .toWellFormed()
    .replace(unsafeCharacters, "_")
    .replace(/^[\s.]+|(?<![\s.])[\s.]+$/gu, "");
  const characters = Array.from(cleanName);
  if (characters.length <= maxCharacters) return cleanName || "file";
  const extension = /\.[^.\s]{1,10}$/u.exec(cleanName)?.[0] ?? "";
  return characters.slice(0, maxCharacters - extension.length).join("") + extension;
}

/** The Content-Disposition header (RFC 6266) for a stored file. */
export function formatContentDisposition(name: string, asDownload: boolean): string {
  return create(sanitizeFileName(name), { type: asDownload ? "attachment" : "inline" });
}
