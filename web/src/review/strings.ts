/** English texts of the review page, and the fallback for other languages. `interpolate` fills in `%{…}`. */
export const english = {
  heading: "Review",
  intro: "This link works until %{time}. Your decision alone publishes nothing.",
  yourName: "Your name",
  comment: "Comment",
  comments: "Comments",
  guest: "%{name} (guest)",
  approve: "Approve",
  askForChanges: "Ask for changes",
  onlyComment: "Only comment",
  approveAll: "Approve all %{count}",
  approvedBy: "Approved by %{name}.",
  changesBy: "%{name} asked for changes.",
  outdated: "The post was changed after the decision, so it needs a new one.",
  approved: "Approved. Thank you.",
  changesSent: "Your request for changes was sent.",
  commentSent: "Your comment was sent.",
  allApproved: "Approved %{count} posts. Thank you.",
  sayWhat: "Say what should change.",
  writeComment: "Write a comment first.",
  enterName: "Enter your name first.",
  changedMeanwhile: "The post was changed while you were looking. Look at what changed, then decide again.",
  failed: "It failed. Reload the page, then try again.",
  unreachable: "The server can’t be reached. Check your connection, then try again.",
  thePost: "The post",
  noTime: "No time planned yet",
  plannedFor: "Planned for %{time}",
  reply: "Reply %{number}",
  noAltText: "%{filename} (no alt text)",
  altText: "Alt text: %{text}",
  openFull: "Open %{filename} in full size",
  whatChanged: "What changed",
  title: "Title",
  text: "Text",
  replies: "Replies",
  options: "Options",
  files: "Files",
  otherChange: "A file, its crop or its order.",
};

export type Strings = typeof english;

const loaders: Record<string, () => Promise<{ default: Strings }>> = {
  de: () => import("./locales/de.json"),
  es: () => import("./locales/es.json"),
  fr: () => import("./locales/fr.json"),
  it: () => import("./locales/it.json"),
  ja: () => import("./locales/ja.json"),
  nl: () => import("./locales/nl.json"),
  pt: () => import("./locales/pt.json"),
  zh: () => import("./locales/zh.json"),
};

/** Loads the first preferred language that the page has; otherwise English. */
export async function loadStrings(preferredLanguages: readonly string[]): Promise<{ tag: string; strings: Strings }> {
  const tags = preferredLanguages.map((language) => language.toLowerCase().split("-", 1)[0] ?? "");
  const tag = tags.find((candidate) => candidate === "en" || candidate in loaders) ?? "en";
  // A failed download must not break the page.
  const language = await loaders[tag]?.().catch(() => undefined);
  return language ? { tag, strings: language.default } : { tag: "en", strings: english };
}
