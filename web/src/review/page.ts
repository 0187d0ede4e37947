import { createButton, createElement } from "../upload/dom.ts";
import { interpolate } from "../upload/strings.ts";
import { createAccountCard } from "./account-card.ts";
import { type ReviewedPost, ReviewError, readSession, sendComment, sendDecision, type Session } from "./client.ts";
import { loadStrings } from "./strings.ts";

const root = document.querySelector<HTMLElement>("#review") ?? document.body;
// Requested at once. Its failure is handled where it is awaited.
const firstSession = readSession();
firstSession.catch(() => {});
const { tag: language, strings } = await loadStrings(navigator.languages);
/** Stays in view, because the guest may be at any post. */
const status = createElement("p", {
  className: "sticky bottom-3 z-1 m-0 rounded-md bg-ink px-4 py-3 text-paper empty:p-0",
  role: "status",
});
const nameInput = createElement("input", {
  id: "name",
  maxLength: 80,
  autocomplete: "name",
  className: "w-full max-w-80",
  required: true,
});
let session: Session | undefined;
/** What the guest writes, by the id of the post. Kept while other posts are decided. */
const commentInputs = new Map<string, HTMLTextAreaElement>();

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
      interpolate(strings.intro, { time: formatTime(expiresAt) }),
    ),
    createElement(
      "div",
      { className: "grid gap-1.5" },
      createElement("label", { htmlFor: "name" }, strings.yourName),
      nameInput,
    ),
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
            createButton(
              interpolate(strings.approveAll, { count: undecided.length }),
              () => void act(() => approveAll(undecided)),
              "primary",
            ),
          ),
        ]
      : []),
    status,
  );
}

const formatTime = (at: string): string =>
  new Date(at).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });

const decisionTexts = {
  approved: strings.approvedBy,
  changes_requested: strings.changesBy,
  outdated: strings.outdated,
} as const;

function getCommentInput(postId: string): HTMLTextAreaElement {
  const input =
    commentInputs.get(postId) ??
    createElement("textarea", {
      id: `comment-${postId}`,
      rows: 3,
      maxLength: 2000,
      className: "min-h-20 w-full [field-sizing:content]",
    });
  commentInputs.set(postId, input);
  return input;
}

function createPost(post: ReviewedPost, previousPost: ReviewedPost | undefined): HTMLElement {
  const { id, title, decision, comments, digest } = post;
  const isChanged = previousPost !== undefined && previousPost.digest !== digest;
  const accounts = post.accounts.map((account) => {
    const before = previousPost?.accounts.find(({ connectionId }) => connectionId === account.connectionId);
    return isChanged && before && !account.before ? { ...account, before } : account;
  });
  const input = getCommentInput(id);
  const decide = (choice: "approved" | "changes_requested") =>
    act(async () => {
      const comment = input.value.trim();
      if (choice === "changes_requested" && comment === "") throw askFor(input, strings.sayWhat);
      await sendDecision({ postId: id, digest, decision: choice, name: readName(), ...(comment && { comment }) });
      input.value = "";
      return choice === "approved" ? strings.approved : strings.changesSent;
    }, id);
  const heading = createElement("h2", {
    className: "m-0 text-xl [overflow-wrap:anywhere]",
    textContent: title,
    dir: "auto",
  });
  return createElement(
    "article",
    { id: `post-${id}`, tabIndex: -1, className: "grid gap-4 border-t border-rule pt-6", "aria-label": title },
    heading,
    decision
      ? createElement(
          "div",
          { className: "rounded-md bg-wash px-4 py-3" },
          createElement("p", {
            className: "m-0 font-semibold",
            textContent: interpolate(decisionTexts[decision.state], { name: decision.name }),
          }),
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
      ...accounts.map((account) => createAccountCard(account, { language, strings })),
    ),
    createComments(comments),
    createElement("label", { htmlFor: input.id }, strings.comment),
    input,
    createElement(
      "div",
      { className: "flex flex-wrap gap-2" },
      createButton(strings.approve, () => void decide("approved"), "primary"),
      createButton(strings.askForChanges, () => void decide("changes_requested"), "secondary"),
      createButton(strings.onlyComment, () => void onlyComment(), "quiet"),
    ),
  );

  async function onlyComment(): Promise<void> {
    await act(async () => {
      const body = input.value.trim();
      if (body === "") throw askFor(input, strings.writeComment);
      await sendComment({ postId: id, name: readName(), body });
      input.value = "";
      return strings.commentSent;
    }, id);
  }
}

const createComments = (comments: ReviewedPost["comments"]): HTMLElement | undefined =>
  comments.length === 0
    ? undefined
    : createElement(
        "ul",
        { className: "m-0 grid list-none gap-3 p-0", "aria-label": strings.comments },
        ...comments.map(({ author, body, at, byGuest }) =>
          createElement(
            "li",
            { className: "[overflow-wrap:anywhere]" },
            createElement("p", {
              className: "m-0 text-sm text-muted",
              dir: "auto",
              textContent: `${byGuest ? interpolate(strings.guest, { name: author }) : author}, ${formatTime(at)}`,
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
  if (name === "") throw askFor(nameInput, strings.enterName);
  return name;
}

async function approveAll(posts: readonly ReviewedPost[]): Promise<string> {
  const name = readName();
  for (const { id: postId, digest } of posts) await sendDecision({ postId, digest, decision: "approved", name });
  return interpolate(strings.allApproved, { count: posts.length });
}

/** Runs what a button does, then shows the posts as they are now, and returns to the one that it was about. */
async function act(run: () => Promise<string>, postId = ""): Promise<void> {
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
      status.textContent = strings.changedMeanwhile;
    } else status.textContent = message;
  }
  root.ariaBusy = "false";
  if (document.activeElement === document.body) document.querySelector<HTMLElement>(`#post-${postId}`)?.focus();
}

function toReviewError(error: unknown): ReviewError {
  if (!(error instanceof ReviewError)) return new ReviewError("internal", strings.failed);
  return error.code === "offline" ? new ReviewError("offline", strings.unreachable) : error;
}

document.documentElement.lang = language;
for (const heading of document.querySelectorAll("h1")) heading.textContent = strings.heading;
try {
  render(await firstSession);
} catch (error) {
  root.replaceChildren(
    createElement("p", { className: "m-0", role: "alert", textContent: toReviewError(error).message }),
  );
}
