import { useLocation } from "@tanstack/react-router";
import { CircleAlert, Eye, Images, PenLine, TriangleAlert } from "lucide-react";
import { Tabs } from "radix-ui";
import { lazy, Suspense, useState } from "react";
import { useStudio } from "../layout/use-studio.ts";
import { formatAccount } from "../platforms/format-account.ts";
import { countCharacters, measureText } from "../publishing/measure-text.ts";
import { isSolvedByFewerFiles } from "../publishing/suggest-files.ts";
import { ExcessStatus } from "../publishing/TextCount.tsx";
import type { Account } from "../publishing/use-accounts.ts";
import { Button } from "../ui/Button.tsx";
import { Loading } from "../ui/Loading.tsx";
import { ScrollStrip } from "../ui/ScrollStrip.tsx";
import { tabClasses } from "../ui/tab-classes.ts";
import { bodyHeightClasses, getHighlightClasses, textFieldClasses } from "./field-classes.ts";
import { PostPreview } from "./PostPreview.tsx";
import { PostTitle } from "./PostTitle.tsx";
import { EditHint } from "./EditHint.tsx";
import type { EditorController } from "./use-editor.ts";
import { MarkdownNotice } from "./MarkdownNotice.tsx";
import { TextArea } from "./TextArea.tsx";

/** Loaded on demand, so that reading and editing do not wait for the previews. */
const AccountTab = lazy(async () => ({ default: (await import("../preview/AccountTab.tsx")).AccountTab }));

/** The tab with the text for all accounts that have no text of their own. */
export const allAccountsTab = "all";

/** The title and the text of the post, and in a tab for each account its own text and preview. */
export function PostText({
  editor,
  accounts,
  tab,
  onTabChange,
}: {
  editor: EditorController;
  accounts: readonly Account[];
  /** `allAccountsTab`, or the id of a connection. */
  tab: string;
  onTabChange: (tab: string) => void;
}) {
  const openTab = accounts.some(({ connectionId }) => connectionId === tab) ? tab : allAccountsTab;
  return (
    <div className="min-w-0">
      <PostTitle editor={editor} />
      <EditHint post={editor.post} />
      <Tabs.Root className="mt-4" value={openTab} onValueChange={onTabChange}>
        {accounts.length > 0 && (
          <ScrollStrip>
            <Tabs.List aria-label="Text and files per account" className="flex flex-none gap-1">
              <Tabs.Trigger value={allAccountsTab} className={tabClasses}>
                All accounts
              </Tabs.Trigger>
              {accounts.map((account) => (
                <AccountTrigger
                  key={account.connectionId}
                  account={account}
                  editor={editor}
                  isSelected={account.connectionId === openTab}
                />
              ))}
            </Tabs.List>
          </ScrollStrip>
        )}
        {/* Hidden rather than removed, so that the browser's undo history stays. */}
        <Tabs.Content
          value={allAccountsTab}
          forceMount
          tabIndex={-1}
          className="mt-2 outline-none data-[state=inactive]:hidden"
        >
          <BodyTab editor={editor} accounts={accounts} />
        </Tabs.Content>
        {accounts.map((account) => (
          <Tabs.Content
            key={account.connectionId}
            value={account.connectionId}
            tabIndex={-1}
            className="mt-2 outline-none"
          >
            <Suspense fallback={<Loading />}>
              <AccountTab editor={editor} account={account} accounts={accounts} />
            </Suspense>
          </Tabs.Content>
        ))}
      </Tabs.Root>
    </div>
  );
}

function AccountTrigger({
  account,
  editor,
  isSelected,
}: {
  account: Account;
  editor: EditorController;
  isSelected: boolean;
}) {
  const { connectionId, label, platformName, textRule, problems, fileChoice } = account;
  const ownText = editor.getOwnText(connectionId);
  const { label: count, excess } = measureText(ownText ?? editor.body, textRule);
  const isRejected =
    problems.some(({ level }) => level === "rejected") || (excess > 0 && textRule?.variesByInstance === false);
  const hasWarning = !isRejected && (excess > 0 || problems.some(isSolvedByFewerFiles));
  return (
    <Tabs.Trigger value={connectionId} className={tabClasses} title={formatAccount(label, platformName)}>
      {/* First, so that it is in view even if the end of the tab isn't. */}
      {isRejected && <CircleAlert size={14} className="flex-none text-danger" aria-hidden="true" />}
      {hasWarning && <TriangleAlert size={14} className="flex-none text-warning" aria-hidden="true" />}
      <span className="max-w-40 truncate">{label}</span>
      {ownText !== undefined && <PenLine size={14} className="flex-none" role="img" aria-label="own text" />}
      {fileChoice !== undefined && <Images size={14} className="flex-none" role="img" aria-label={fileChoice} />}
      {textRule && <span className={getCountClasses(isSelected, excess > 0)}>{count}</span>}
      {isRejected && <span className="sr-only">has a problem</span>}
      {hasWarning && <span className="sr-only">has a warning</span>}
    </Tabs.Trigger>
  );
}

/**
 * To fit more tabs, only the selected one and those with too long a text show their counts. On narrow screens, the count
 * is only below the text.
 */
function getCountClasses(isSelected: boolean, isTooLong: boolean): string {
  if (!isSelected && !isTooLong) return "sr-only";
  return `text-xs tabular-nums @max-3xl:sr-only ${isTooLong ? "text-danger" : "text-muted"}`;
}

const formatCount = (count: number, unit: string): string =>
  `${count.toLocaleString("en")} ${unit}${count === 1 ? "" : "s"}`;

function BodyTab({ editor, accounts }: { editor: EditorController; accounts: readonly Account[] }) {
  const { may } = useStudio();
  const { body, updatedFields } = editor;
  const accountsWithoutOwnText = accounts.filter(({ connectionId }) => editor.getOwnText(connectionId) === undefined);
  const textRules = new Map(accountsWithoutOwnText.map(({ platformName, textRule }) => [platformName, textRule]));
  const wordCount = body.split(/\s+/).filter(Boolean).length;
  const [isPreviewing, setIsPreviewing] = useState(false);
  const isNewPost = useLocation({ select: ({ state }) => state.isNewPost === true });
  return (
    <>
      {isPreviewing ? (
        <PostPreview text={body} />
      ) : (
        <>
          <label htmlFor="post-body" className="sr-only">
            Text
          </label>
          <TextArea
            id="post-body"
            className={`${bodyHeightClasses} ${textFieldClasses} ${getHighlightClasses(updatedFields.includes("body"))}`}
            value={body}
            readOnly={!may("posts.write")}
            placeholder="Write the text of the post…"
            maxLength={100_000}
            // The user has just started it, and continues here.
            autoFocus={isNewPost}
            onEdit={(text) => editor.edit("body", text)}
          />
        </>
      )}
      <div className="mt-2 flex flex-wrap items-center justify-between gap-x-4 text-sm text-muted tabular-nums">
        <span>
          {formatCount(countCharacters(body), "character")}, {formatCount(wordCount, "word")}
        </span>
        <ExcessStatus text={body} rules={[...textRules]} />
        <Button
          variant="quiet"
          size="small"
          icon={isPreviewing ? PenLine : Eye}
          className="flex-none"
          onClick={() => setIsPreviewing(!isPreviewing)}
        >
          {isPreviewing ? "Write" : "Preview"}
        </Button>
      </div>
      {accountsWithoutOwnText.length > 0 && (
        <MarkdownNotice text={body} onFix={may("posts.write") ? (text) => editor.edit("body", text) : undefined} />
      )}
    </>
  );
}
