/** Approximates how the server compares text in a search: the result decides only what is shown first. */
export const foldText = (text: string): string => text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();

/** The words of a search, folded. */
export const splitWords = (query: string): string[] => foldText(query).split(/\s+/).filter(Boolean);
