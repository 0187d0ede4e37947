import { ProtocolError } from "@modelcontextprotocol/server";
import { createInvalidParamsError, errorCodes } from "./protocol/messages.ts";
import type { Method } from "./protocol/method.ts";

interface Prompt {
  title: string;
  description: string;
  arguments: readonly { name: string; description: string; required: boolean }[];
  writeText(args: Readonly<Record<string, string>>): string;
}

/** Users start these from a menu of their client. Each text tells the model which tools to use, in which order. */
const prompts: Readonly<Record<string, Prompt>> = {
  draft_post: {
    title: "Draft a post from a brief",
    description: "Write a post from a short brief and save it as a draft.",
    arguments: [{ name: "brief", description: "What the post is about, for whom, and in which tone.", required: true }],
    writeText: ({ brief = "" }) =>
      `Draft a post from this brief:\n\n${brief}\n\n` +
      "Look at two or three recent posts with list_posts and get_post to match their tone and length. " +
      "Save the draft with create_post, then show me its text and url. Do not publish it. " +
      "If it needs images or videos, offer me an upload link (create_upload_session).",
  },
  prepare_post: {
    title: "Prepare a post for every connected account",
    description: "Adapt a post to the rules of each connected account, and propose to publish it.",
    arguments: [{ name: "postId", description: "The id of the post.", required: true }],
    writeText: ({ postId = "" }) =>
      `Prepare the post ${postId} for every connected account.\n\n` +
      "Call get_post and list_platforms. For each account whose validation reports a problem, write a variant that fits " +
      "its limits (with assetIds if it accepts fewer files) and save all variants with one update_post. Write missing alt texts: look at each image with get_asset " +
      "and includePreview, then call update_asset. Call get_post again until no problem is left, show me each text, and " +
      "ask me before you call publish_post with propose.",
  },
  review_week: {
    title: "Review what went out this week",
    description: "Summarize the publications of the last seven days and what needs attention.",
    arguments: [],
    writeText: () =>
      "Review what this studio published in the last seven days. Call list_publications with includeResults and from set " +
      "to seven days ago, for every page. Group the result by account: what was published, with links and results; what " +
      "failed, was missed or is unconfirmed, and what to do about it; what waits for approval; and what is scheduled next. " +
      "Compare results only between posts of one account and about the same age, and add up none. Keep it short.",
  },
};

const maxArgumentLength = 10_000;

/** `prompts/list` and `prompts/get`. */
export const promptMethods: readonly [string, Method][] = [
  [
    "prompts/list",
    {
      ttlMs: 0,
      handle: () => ({
        prompts: Object.entries(prompts).map(([name, { title, description, arguments: args }]) => ({
          name,
          title,
          description,
          arguments: args,
        })),
      }),
    },
  ],
  [
    "prompts/get",
    {
      handle({ params }) {
        const { name } = params;
        if (typeof name !== "string") throw createInvalidParamsError("name must be a string");
        const prompt = Object.hasOwn(prompts, name) ? prompts[name] : undefined;
        if (!prompt)
          throw new ProtocolError(
            errorCodes.invalidParams,
            `Unknown prompt: ${name.slice(0, 100)}. Choose one of: ${Object.keys(prompts).join(", ")}.`,
          );
        const text = prompt.writeText(parseArguments(prompt, params["arguments"] ?? {}));
        return { description: prompt.description, messages: [{ role: "user", content: { type: "text", text } }] };
      },
    },
  ],
];

function parseArguments(prompt: Prompt, args: unknown): Record<string, string> {
  const values = typeof args === "object" && args !== null ? (args as Record<string, unknown>) : {};
  return Object.fromEntries(
    prompt.arguments.map(({ name }) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (typeof value !== "string" || value.trim() === "" || value.length > maxArgumentLength)
        throw createInvalidParamsError(`${name} must be a text of 1 to ${maxArgumentLength} characters`);
      return [name, value];
    }),
  );
}
