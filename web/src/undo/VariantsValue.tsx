import { useQuery } from "@tanstack/react-query";
import { selectAssets } from "#portable/select-for-account.ts";
import { platformsQuery, postQuery, type Post } from "../api/queries.ts";
import { formatFileCount } from "../assets/labels.ts";
import { useStudio } from "../layout/use-studio.ts";
import { describeFileChoice } from "../publishing/describe-file-choice.ts";
import { formatExtras } from "../publishing/format-extras.ts";
import { getAccountLabel } from "../publishing/use-accounts.ts";
import type { UndoSubject } from "./labels.ts";

type Variant = Post["variants"][number];

/** The texts and files per account in a conflict, such as "blue-harbour, 4 of 5 files". */
export function VariantsValue({ subject, variants }: { subject: UndoSubject; variants: readonly Variant[] }) {
  const { studio } = useStudio();
  const platforms = useQuery(platformsQuery(studio.id));
  const post = useQuery({ ...postQuery(studio.id, subject.id), enabled: !subject.isTrashed });
  if (variants.length === 0) return "The same for all accounts";
  return variants
    .map(({ connectionId, body, assetIds, ...extras }) => {
      const connection = platforms.data?.connections.find(({ id }) => id === connectionId);
      const label = connection ? getAccountLabel(connection) : "An account";
      const files = assetIds && describeFiles(assetIds, post.data);
      const heading = files === undefined ? label : `${label}, ${files}`;
      return [body === undefined ? heading : `${heading}:\n${body}`, formatExtras(extras)].filter(Boolean).join("\n\n");
    })
    .join("\n\n");
}

function describeFiles(assetIds: readonly string[], post: Post | undefined): string {
  if (!post) return formatFileCount(assetIds.length);
  return describeFileChoice(selectAssets(post.assets, assetIds).length, post.assets.length);
}
