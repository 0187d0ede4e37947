/** Platforms whose name is more than their id with a capital letter. */
const names: Readonly<Record<string, string>> = { linkedin: "LinkedIn", tiktok: "TikTok", youtube: "YouTube" };

/** A short name for lists, which don’t wait for the list of platforms. */
export const getPlatformName = (id: string): string => names[id] ?? `${id.charAt(0).toUpperCase()}${id.slice(1)}`;
