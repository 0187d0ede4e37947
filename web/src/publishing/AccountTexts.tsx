import { useState } from "react";
import { updatePost } from "../api/mutations.ts";
import type { Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import type { DraftController } from "../posts/use-draft.ts";
import { Button } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { List, ListRow, RowActions } from "../ui/List.tsx";
import { useAction } from "../ui/use-action.ts";
import { TextCount } from "./TextCount.tsx";
import { withoutVariant, type Account } from "./use-accounts.ts";
import { VariantDialog } from "./VariantDialog.tsx";

/** The accounts of the studio, with the text that each one receives. */
export function AccountTexts({
  post,
  controller,
  accounts,
}: {
  post: Post;
  controller: DraftController;
  accounts: readonly Account[];
}) {
  const { studio, may } = useStudio();
  const { isRunning, error, run } = useAction();
  const [openId, setOpenId] = useState<string>();
  const openAccount = accounts.find(({ connectionId }) => connectionId === openId);
  const canWrite = may("posts.write") && controller.theirs === undefined && post.status !== "archived";

  const removeVariant = ({ connectionId }: Account) =>
    run(async () => {
      const variants = withoutVariant(post.variants, connectionId);
      controller.accept(await updatePost(studio.id, post.id, { variants, revision: post.revision }));
    });

  return (
    <>
      <h3 className="mt-8 mb-2 font-serif text-lg">Text for each account</h3>
      {error !== undefined && <ErrorMessage error={error} />}
      <List aria-label="Text for each account">
        {accounts.map((account) => {
          const { connectionId, label, platformName, textRule } = account;
          const variant = post.variants.find((candidate) => candidate.connectionId === connectionId);
          return (
            <ListRow key={connectionId} className="py-3">
              <div className="min-w-0 [overflow-wrap:anywhere]">
                <p className="m-0">
                  <b>{label}</b> <span className="text-muted">{platformName}</span>
                </p>
                <p className="m-0 text-sm text-muted">
                  {variant ? "Custom text" : "Uses the post’s text"} ·{" "}
                  <TextCount text={variant?.body ?? controller.draft.body} rule={textRule} />
                </p>
                {variant && <p className="mt-1 line-clamp-2 text-sm whitespace-pre-wrap">{variant.body}</p>}
              </div>
              {canWrite && (
                <RowActions>
                  <Button
                    variant="quiet"
                    aria-label={`${variant ? "Change text" : "Customize text"} for ${label}`}
                    onClick={() => {
                      void controller.save();
                      setOpenId(connectionId);
                    }}
                  >
                    {variant ? "Change text" : "Customize text"}
                  </Button>
                  {variant && (
                    <Button
                      variant="quiet"
                      aria-label={`Use post’s text for ${label}`}
                      disabled={isRunning}
                      onClick={() => void removeVariant(account)}
                    >
                      Use post’s text
                    </Button>
                  )}
                </RowActions>
              )}
            </ListRow>
          );
        })}
      </List>
      {openAccount && (
        <VariantDialog post={post} controller={controller} account={openAccount} onClose={() => setOpenId(undefined)} />
      )}
    </>
  );
}
