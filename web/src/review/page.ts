import { createButton, createElement } from "../upload/dom.ts";
import { createAccountCard } from "./account-card.ts";
import { type ReviewedPost, ReviewError, readSession, sendComment, sendDecision, type Session } from "./client.ts";

const root = document.querySelector<HTMLElement>("#review") ?? document.body;
const status = createElement("p", { className: "m-0 min-h-6", role: "status" });
const nameInput = createElement("input", {
  id: "name",
  maxLength: 80,
  autocomplete: "name",
  className: "w-full max-w-80",
  required: true,
});
let session: Session | undefined;

/** Shows the posts. `previous` is what the page showed before: changes since then are marked. */
function render(current: Session, previous?: Session): void {
  session = current;
  const { message, posts, expiresAt } = current;
  const undecided = posts.filter(({ decision }) => decision?.state !== "approved");
  root.replaceChildren(
    ...(message === null
      ? []
      : [
          createElement("p", {
            className: "m-0 whitespace-pre-wrap [overflow-wrap:anywhere]",
            textContent: message,
            dir: "auto",
          }),
        ]),
    createElement(
      "p",
      { className: "m-0 text-sm text-muted" },
      `This link works until ${new Date(expiresAt).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })}. Nothing is published by your decision alone.`,
    ),
    createElement(
      "div",
      { className: "grid gap-1.5" },
      createElement("label", { htmlFor: "name" }, "Your name"),
      nameInput,
    ),
    status,
    ...posts.map((post) =>
      createPost(
        post,
        previous?.posts.find(({ id }) => id === post.id),
      ),
    ),
    ...(undecided.length > 1
      ? [
          createElement(
            "div",
            {},
            createButton(`Approve all ${undecided.length}`, () => void act(() => approveAll(undecided)), "primary"),
          ),
        ]
      : []),
  );
}

const decisionTexts = {
  approved: ({ name }: { name: string }) => `Approved by ${name}.`,
  changes_requested: ({ name }: { name: string }) => `${name} asked for changes.`,
  outdated: () => "The post was changed after the decision, so it needs a new one.",
} as const;

function createPost(post: ReviewedPost, previousPost: ReviewedPost | undefined): HTMLElement {
  const { id, title, decision, comments, digest } = post;
  const isChanged = previousPost !== undefined && previousPost.digest !== digest;
  const accounts = post.accounts.map((account) => {
    const before = previousPost?.accounts.find(({ connectionId }) => connectionId === account.connectionId);
    return isChanged && before && !account.before ? { ...account, before } : account;
  });
  const input = createElement("textarea", {
    id: `comment-${id}`,
    rows: 3,
    maxLength: 2000,
    className: "w-full [field-sizing:content]",
  });
  const decide = (choice: "approved" | "changes_requested") =>
    act(async () => {
      const comment = input.value.trim();
      if (choice === "changes_requested" && comment === "") throw askFor(input, "Say what should change.");
      await sendDecision({ postId: id, digest, decision: choice, name: readName(), ...(comment && { comment }) });
      return choice === "approved" ? "Approved. Thank you." : "Your request for changes was sent.";
    });
  const heading = createElement("h2", {
    className: "m-0 text-xl [overflow-wrap:anywhere]",
    textContent: title,
    dir: "auto",
  });
  return createElement(
    "article",
    { className: "grid gap-4 border-t border-rule pt-6", "aria-label": title },
    heading,
    decision
      ? createElement(
          "div",
          { className: "rounded-md bg-wash px-4 py-3" },
          createElement("p", { className: "m-0 font-semibold", textContent: decisionTexts[decision.state](decision) }),
          decision.comment === null
            ? undefined
            : createElement("p", {
                className: "m-0 whitespace-pre-wrap [overflow-wrap:anywhere]",
                dir: "auto",
                textContent: decision.comment,
              }),
        )
      : undefined,
    createElement(
      "div",
      { className: "grid gap-4 sm:grid-cols-[repeat(auto-fit,minmax(min(100%,20rem),1fr))]" },
      ...accounts.map(createAccountCard),
    ),
    createComments(comments),
    createElement("label", { htmlFor: input.id }, "Comment"),
    input,
    createElement(
      "div",
      { className: "flex flex-wrap gap-2" },
      createButton("Approve", () => void decide("approved"), "primary"),
      createButton("Ask for changes", () => void decide("changes_requested"), "secondary"),
      createButton("Only comment", () => void onlyComment(), "quiet"),
    ),
  );

  async function onlyComment(): Promise<void> {
    await act(async () => {
      const body = input.value.trim();
      if (body === "") throw askFor(input, "Write a comment first.");
      await sendComment({ postId: id, name: readName(), body });
      return "Your comment was sent.";
    });
  }
}

const createComments = (comments: ReviewedPost["comments"]): HTMLElement | undefined =>
  comments.length === 0
    ? undefined
    : createElement(
        "ul",
        { className: "m-0 grid list-none gap-3 p-0", "aria-label": "Comments" },
        ...comments.map(({ author, body, at, byGuest }) =>
          createElement(
            "li",
            { className: "[overflow-wrap:anywhere]" },
            createElement("p", {
              className: "m-0 text-sm text-muted",
              dir: "auto",
              textContent: `${author}${byGuest ? " (guest)" : ""}, ${new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })}`,
            }),
            createElement("p", { className: "m-0 whitespace-pre-wrap", dir: "auto", textContent: body }),
          ),
        ),
      );

/** Moves the focus to what is missing. */
function askFor(field: HTMLElement, text: string): ReviewError {
  field.focus();
  return new ReviewError("incomplete", text);
}

function readName(): string {
  const name = nameInput.value.trim();
  if (name === "") throw askFor(nameInput, "Enter your name first.");
  return name;
}

async function approveAll(posts: readonly ReviewedPost[]): Promise<string> {
  const name = readName();
  for (const { id: postId, digest } of posts) await sendDecision({ postId, digest, decision: "approved", name });
  return `Approved ${posts.length} posts. Thank you.`;
}

/** Runs what a button does, then shows the posts as they are now. */
async function act(run: () => Promise<string>): Promise<void> {
  if (root.ariaBusy === "true") return;
  root.ariaBusy = "true";
  const shown = session;
  try {
    const text = await run();
    render(await readSession());
    status.textContent = text;
  } catch (error) {
    const { code, message } = toReviewError(error);
    const current = code === "revision_conflict" ? await readSession().catch(() => undefined) : undefined;
    if (current) {
      render(current, shown);
      status.textContent = "The post was changed while you were looking. Look at what changed, then decide again.";
    } else status.textContent = message;
  }
  root.ariaBusy = "false";
  if (document.activeElement === document.body) status.scrollIntoView({ block: "center" });
}

const toReviewError = (error: unknown): ReviewError =>
  error instanceof ReviewError ? error : new ReviewError("internal", "It failed. Reload the page, then try again.");

try {
  render(await readSession());
} catch (error) {
  root.replaceChildren(
    createElement("p", { className: "m-0", role: "alert", textContent: toReviewError(error).message }),
  );
}
