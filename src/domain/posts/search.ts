/** Text as search compares it: without case, accents and runs of space. The same on both engines, because it is done here. */
export function foldForSearch(value: string): string {
  return value.normalize("NFKD").replace(/\p{M}+/gu, "").toLowerCase().replace(/\s+/g, " ").trim();
}
