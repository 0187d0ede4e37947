import { getPlatformName } from "../platforms/platform-name.ts";
import { createButton, createElement, setText, setVisible } from "../upload/dom.ts";
import type { AccountData, PostData, PublicationData } from "./read-post.ts";
import type { ChatLanguage, ChatStrings } from "./strings.ts";

export interface AccountsView {
  element: HTMLElement;
  render(post: PostData): void;
  showMessage(text: string): void;
}

export interface AccountsOptions {
  language: ChatLanguage;
  /** Sent by the host, so it can be any value. */
  timeZone: unknown;
  /** The accounts that the user does not want to propose to. The view changes this set. */
  deselectedIds: Set<string>;
  /** False if the host can't call tools. */
  canPropose: boolean;
  /** False if the host can't open links. */
  canOpenLinks: boolean;
  onPropose(connectionIds: readonly string[]): Promise<void>;
  onOpen(url: string): void;
}

/** In these states, the post can't have another publication to the same account. */
const activeStates = ["proposed", "scheduled", "publishing", "unconfirmed"];

const acceptsProposal = ({ problems, publication }: AccountData): boolean =>
  !problems.some(({ level }) => level === "rejected") && !activeStates.includes(publication?.state ?? "");

/** What each account would reject, where its publication stands, and the button that proposes new ones. */
export function createAccountsView(options: AccountsOptions): AccountsView {
  const { deselectedIds, language } = options;
  const { strings } = language;
  let currentPost: PostData | undefined;
  /** Accounts that have the post already: not selected until the user selects them. */
  const publishedIds = new Set<string>();
  const heading = createElement("h2", { textContent: strings.accounts, id: "accounts" });
  const list = createElement("ul", {
    className: "m-0 grid list-none divide-y divide-rule p-0",
    "aria-labelledby": heading.id,
  });
  const emptyText = createElement("p", { className: "m-0 text-sm text-muted", textContent: strings.noAccounts });
  const hint = createElement("p", { className: "m-0 text-sm text-muted", textContent: strings.proposeHint });
  const message = createElement("p", { className: "m-0 text-sm empty:hidden", role: "status" });
  const proposeButton = createButton(strings.propose, () => void sendProposal(), "primary");
  const actions = createElement("div", { className: "flex flex-wrap items-center gap-3" }, proposeButton, hint);

  const listSelectedIds = () =>
    (currentPost?.accounts ?? [])
      .filter((account) => acceptsProposal(account) && !deselectedIds.has(account.connectionId))
      .map(({ connectionId }) => connectionId);

  async function sendProposal(): Promise<void> {
    const connectionIds = listSelectedIds();
    if (connectionIds.length === 0 || proposeButton.disabled) return;
    proposeButton.disabled = true;
    setText(message, "");
    await options.onPropose(connectionIds).finally(() => (proposeButton.disabled = listSelectedIds().length === 0));
  }

  function createRow(account: AccountData): HTMLLIElement {
    const { connectionId, platform, account: name, fileCount, problems, publication } = account;
    const checkbox = createElement("input", {
      type: "checkbox",
      id: `account-${connectionId}`,
      className: "size-4 min-h-0 flex-none",
      checked: !deselectedIds.has(connectionId),
    });
    checkbox.addEventListener("change", () => {
      if (checkbox.checked) deselectedIds.delete(connectionId);
      else deselectedIds.add(connectionId);
      proposeButton.disabled = listSelectedIds().length === 0;
    });
    const isSelectable = options.canPropose && acceptsProposal(account);
    const label = createElement(
      isSelectable ? "label" : "span",
      { className: "font-medium [overflow-wrap:anywhere]", ...(isSelectable ? { htmlFor: checkbox.id } : {}) },
      createElement("bdi", { textContent: name }),
      createElement("span", {
        className: "font-normal text-muted",
        textContent: [` · ${getPlatformName(platform)}`, describeFiles(fileCount)].filter(Boolean).join(" · "),
      }),
    );
    return createElement(
      "li",
      { className: "grid gap-1 py-2" },
      createElement("div", { className: "flex items-center gap-2" }, isSelectable ? checkbox : undefined, label),
      publication && createPublication(publication, name),
      ...problems.map(({ level, message: text }) =>
        createElement(
          "p",
          { className: "m-0 text-sm" },
          createElement("strong", {
            className: level === "rejected" ? "text-danger" : "text-warning",
            textContent: `${getLevelLabel(level, strings)}: `,
          }),
          createElement("bdi", { textContent: text }),
        ),
      ),
      problems.length === 0 && !publication
        ? createElement("p", { className: "m-0 text-sm text-muted", textContent: strings.accepted })
        : undefined,
    );
  }

  function describeFiles(count: number | undefined): string {
    if (count === undefined) return "";
    const total = currentPost?.assets.length ?? count;
    return count === 0
      ? strings.noFiles
      : strings.chosenFiles.replace("{count}", String(count)).replace("{total}", String(total));
  }

  function createPublication({ state, time, url, problem }: PublicationData, account: string): HTMLElement {
    const texts = [getStateLabel(state, strings), time && formatTime(time, options), problem];
    const viewButton =
      url !== undefined && options.canOpenLinks ? createButton(strings.view, () => options.onOpen(url)) : undefined;
    viewButton?.setAttribute("aria-label", `${strings.view}: ${account}`);
    return createElement(
      "div",
      { className: "flex flex-wrap items-center gap-2 text-sm" },
      createElement("span", { textContent: texts.filter(Boolean).join(" · ") }),
      viewButton,
    );
  }

  return {
    element: createElement("section", { className: "grid gap-2" }, heading, emptyText, list, actions, message),
    render(post) {
      currentPost = post;
      for (const { connectionId, publication } of post.accounts) {
        if (publication?.state !== "published" || publishedIds.has(connectionId)) continue;
        publishedIds.add(connectionId);
        deselectedIds.add(connectionId);
      }
      const focusedId = document.activeElement?.id;
      list.replaceChildren(...post.accounts.map(createRow));
      if (focusedId) list.querySelector<HTMLElement>(`#${CSS.escape(focusedId)}`)?.focus();
      setVisible(list, post.accounts.length > 0);
      setVisible(emptyText, post.accounts.length === 0);
      setVisible(actions, options.canPropose && post.accounts.some(acceptsProposal));
      proposeButton.disabled = listSelectedIds().length === 0;
    },
    showMessage: (text) => setText(message, text),
  };
}

function formatTime(time: string, { language, timeZone }: AccountsOptions): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "";
  const style = { dateStyle: "medium", timeStyle: "short" } as const;
  try {
    return date.toLocaleString(language.locale, { ...style, ...(typeof timeZone === "string" ? { timeZone } : {}) });
  } catch {
    return date.toLocaleString(language.locale, style); // the browser does not know the host's time zone
  }
}

function getLevelLabel(level: string, { rejected, converted, warning }: ChatStrings): string {
  return ({ rejected, converted, warning } as Record<string, string>)[level] ?? level;
}

export function getStateLabel(state: string, strings: ChatStrings): string {
  const { proposed, scheduled, publishing, published, failed, unconfirmed, missed, canceled } = strings;
  const states: Record<string, string> = {
    proposed,
    scheduled,
    publishing,
    published,
    failed,
    unconfirmed,
    missed,
    canceled,
  };
  return states[state] ?? state;
}
