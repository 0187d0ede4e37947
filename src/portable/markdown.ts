/** Markdown that no platform formats, as assistants write it: readers would see the characters. */

/** Asterisks beside a letter or digit, as in a formula, are no emphasis. */
const bold = /(?<![A-Za-z0-9*])\*\*(?=[^\s*])([^*\n]*[^\s*])\*\*(?![A-Za-z0-9*])/g;
const link = /!?\[([^[\]\n]+)\]\(((?:https?:\/\/|mailto:|www\.)(?:[^\s()]|\([^\s()]*\))+)(?:[ \t]+"[^"\n]*")?\)/g;
/** A hashtag has no space after its sign. */
const heading = /^ {0,3}#{1,6}[ \t]+(?=[^\s#])/gm;

const forms = { "**bold**": bold, "[text](url)": link, "# heading": heading } as const;

/** The forms of Markdown in a text, as an author would write them. */
export const listMarkdownForms = (text: string): string[] =>
  Object.entries(forms).flatMap(([form, pattern]) => (text.search(pattern) >= 0 ? [form] : []));

/** The text as readers should see it. A link becomes its text and its URL. */
export const removeMarkdown = (text: string): string =>
  text
    .replace(heading, "")
    .replace(link, (_, label: string, url: string) =>
      [url, url.replace(/^(https?:\/\/|mailto:)/, "")].includes(label.trim()) ? url : `${label} (${url})`,
    )
    .replace(bold, "$1");
