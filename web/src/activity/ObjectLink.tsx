import { Link } from "@tanstack/react-router";
import { useStudio } from "../layout/use-studio.ts";
import { parseAssetSearch, type PostPageSearch } from "../search-params.ts";
import type { ActivityObject } from "./group-activity.ts";

const unknownNames: Record<ActivityObject["type"], string> = {
  post: "a deleted post",
  asset: "a deleted file",
  publication: "a deleted post",
  member: "a former member",
  client: "an AI client",
  account: "an account",
};

const nameClasses = "font-medium";
const linkClasses = "no-underline hover:underline focus-visible:underline";
/** Names of accounts differ in their last word, so they break only if they are longer than the line. */
const accountClasses = "inline-block max-w-full";
/** A longer name is shortened, so that the rest of the sentence stays in view. */
const maxNameLength = 100;

/** The name of an object, as a link to its page if it has one. */
export function ObjectLink({
  object: { type, id, name, state },
  postSearch = {},
}: {
  object: ActivityObject;
  /** What to open on the page of a post. */
  postSearch?: PostPageSearch;
}) {
  const { studio } = useStudio();
  const params = { studioId: studio.id };
  const fullText = name ?? unknownNames[type];
  // By code points, which keeps emoji whole.
  const characters = Array.from(fullText);
  const text =
    characters.length > maxNameLength ? `${characters.slice(0, maxNameLength).join("").trimEnd()}…` : fullText;
  const className = `${nameClasses} ${type === "account" ? accountClasses : ""}`;
  if (name === null || (state === "gone" && type !== "client"))
    return (
      <span className={className} title={fullText}>
        {text}
      </span>
    );
  const linkProps = { className: `${className} ${linkClasses}`, title: fullText };
  if (state === "trashed")
    return (
      <Link to="/studios/$studioId/trash" params={params} {...linkProps} title={`${fullText} (in the trash)`}>
        {text}
      </Link>
    );
  switch (type) {
    case "post":
      return (
        <Link
          to="/studios/$studioId/posts/$postId"
          params={{ ...params, postId: id }}
          search={postSearch}
          {...linkProps}
        >
          {text}
        </Link>
      );
    case "publication":
      return (
        <Link
          to="/studios/$studioId/publications/$publicationId"
          params={{ ...params, publicationId: id }}
          {...linkProps}
        >
          {text}
        </Link>
      );
    case "asset":
      return (
        <Link to="/studios/$studioId/assets" params={params} search={parseAssetSearch({ file: id })} {...linkProps}>
          {text}
        </Link>
      );
    case "member":
      return (
        <Link to="/studios/$studioId/members" params={params} {...linkProps}>
          {text}
        </Link>
      );
    case "client":
      return (
        <Link to="/studios/$studioId/clients" params={params} hash={id} {...linkProps}>
          {text}
        </Link>
      );
    case "account":
      return (
        <Link to="/studios/$studioId/platforms" params={params} {...linkProps}>
          {text}
        </Link>
      );
  }
}
