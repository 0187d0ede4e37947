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

/** The Content-Disposition header (RFC 6266): a quoted ASCII name, and the full name (RFC 8187) if it differs. */
export function formatContentDisposition(name: string, asDownload: boolean): string {
  const safeName = sanitizeFileName(name);
  const asciiName = safeName.replace(/[^\x20-\x7e]/gu, "_");
  const encodedName = encodeURIComponent(safeName).replace(
    /['()*!]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const extendedParameter = asciiName === safeName ? "" : `; filename*=UTF-8''${encodedName}`;
  return `${asDownload ? "attachment" : "inline"}; filename="${asciiName}"${extendedParameter}`;
}
