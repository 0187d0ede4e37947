import { ProtocolError } from "@modelcontextprotocol/server";
import { createInvalidParamsError, errorCodes } from "./protocol/messages.ts";
import type { Method } from "./protocol/method.ts";

export interface Prompt {
  title: string;
  description: string;
  arguments: readonly { name: string; description: string; required: boolean }[];
  /** The first sentence of the prompt, which contains the arguments. */
  introduce(args: Readonly<Record<string, string>>): string;
  /** Tells the model which tools to use, in which order. */
  steps: string;
  /** When a model should read the steps by itself. Only these prompts are skills as well. */
  useWhen?: string;
}

/** Users start these from a menu of their client. */
export const prompts: Readonly<Record<string, Prompt>> = {
  draft_post: {
    title: "Draft a post from a brief",
    description: "Write a post from a short brief and save it as a draft.",
    arguments: [{ name: "brief", description: "What the post is about, for whom, and in which tone.", required: true }],
    introduce: ({ brief = "" }) => `Draft a post from this brief:\n\n${brief}`,
    steps:
      "Look at two or three recent posts with list_posts and get_post to match their tone and length. " +
      "Save the draft with create_post, then show me its text and url. Do not publish it. " +
      "If it needs images or videos, offer me an upload link (create_upload_session).",
  },
  prepare_post: {
    title: "Prepare a post for every connected account",
    description: "Adapt a post to the rules of each connected account, and propose to publish it.",
    arguments: [{ name: "postId", description: "The id of the post.", required: true }],
    introduce: ({ postId = "" }) => `Prepare the post ${postId} for every connected account.`,
    steps:
      "Call get_post and list_platforms. For each account whose validation reports a problem, write a variant that fits " +
      "its limits (with assetIds if it accepts fewer files) and save all variants with one update_post. Write missing alt texts: look at each image with get_asset " +
      "and includePreview, then call update_asset. Call get_post again until no problem is left, show me each text, and " +
      "ask me before you call publish_post with propose.",
    useWhen: "a post should go out on several accounts, or its validation reports problems",
  },
  plan_week: {
    title: "Plan a week of posts",
    description: "Find free days in the coming week, choose ready posts for them, and propose a schedule.",
    arguments: [],
    introduce: () => "Plan the posts of the coming week.",
    steps:
      "Call list_publications with from set to now and to set to seven days later, for every page, and list_platforms. " +
      "Note which days and accounts have nothing planned. Call list_posts with status ready, then draft, and choose posts " +
      "for the free days: vary the topics, and do not repeat what list_publications shows for the last seven days. " +
      "Show me a table with day, time in the studio's time zone, account and post, and wait until I agree or change it. " +
      "Then call publish_post with propose and at for each row, and tell me which ones wait for approval. " +
      "Use reschedule_publication for what is already planned; never cancel anything without asking.",
    useWhen: "someone wants to plan, schedule or fill the coming days",
  },
  repurpose_post: {
    title: "Repurpose a post",
    description: "Turn a published post into new drafts for other accounts, formats or audiences.",
    arguments: [{ name: "postId", description: "The id of the post.", required: true }],
    introduce: ({ postId = "" }) => `Repurpose the post ${postId}.`,
    steps:
      "Call get_post with its publications and list_platforms. Suggest three ways to use the post again, such as a " +
      "shorter version, one point of it as a post of its own, or an update with what has changed, each for an account " +
      "that has not had it, and wait until I choose. For each choice, call create_post with a new text: do not copy " +
      "sentences, and state no fact that is not in the original. Give the drafts the tags of the original. Reuse its files " +
      "with copy_asset and attach_asset, and look at each image with get_asset and includePreview before you describe it. " +
      "Call get_post for each draft, fix what its validation reports, and show me the texts and urls. Do not publish them.",
    useWhen: "someone wants to reuse, recycle or adapt an existing post",
  },
  compare_results: {
    title: "Compare how posts did",
    description: "Compare the results of one account's posts at the same age, and say what the numbers don't show.",
    arguments: [{ name: "account", description: "The account whose posts to compare.", required: true }],
    introduce: ({ account = "" }) => `Compare how the posts of ${account} did.`,
    steps:
      "Find the account with list_platforms. Call list_publications with includeResults, resultsAge 168 (a week; 24 if few " +
      "posts are that old) and from set to 90 days ago, for every page, and keep the published posts of this account. " +
      "Compare one metric at a time, each as the platform counts it. Null means unknown, not zero: leave such a post out " +
      "and say how many you left out. Never add up metrics or accounts, and compute no rate, score or average, above all " +
      "from YouTube's numbers. Show me a table with title, link, date and metrics, then read the best and the weakest " +
      "posts with get_post and say what they have in common. State how many posts that rests on. Below 20 posts, say that " +
      "there is no clear difference yet. Say that posts like these did better, never that something caused it, and name " +
      "no best time to post: telling two times apart takes about 230 posts each.",
    useWhen: "someone asks which posts did best, why, or what to post more of",
  },
  review_week: {
    title: "Review what went out this week",
    description: "Summarize the publications of the last seven days and what needs attention.",
    arguments: [],
    introduce: () => "Review what this studio published in the last seven days.",
    steps:
      "Call list_publications with includeResults and from set to seven days ago, " +
      "for every page. Group the result by account: what was published, with links and results; what failed, was " +
      "missed or is unconfirmed, and what to do about it; what waits for approval; and what is scheduled next. " +
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
        const introduction = prompt.introduce(parseArguments(prompt, params["arguments"] ?? {}));
        const text = `${introduction}\n\n${prompt.steps}`;
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
