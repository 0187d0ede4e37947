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

const linkClasses = "font-medium";

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
  const text = name ?? unknownNames[type];
  if (name === null || (state === "gone" && type !== "client")) return <span className={linkClasses}>{text}</span>;
  if (state === "trashed")
    return (
      <Link to="/studios/$studioId/trash" params={params} className={linkClasses} title="In the trash">
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
          className={linkClasses}
        >
          {text}
        </Link>
      );
    case "publication":
      return (
        <Link
          to="/studios/$studioId/publications/$publicationId"
          params={{ ...params, publicationId: id }}
          className={linkClasses}
        >
          {text}
        </Link>
      );
    case "asset":
      return (
        <Link
          to="/studios/$studioId/assets"
          params={params}
          search={parseAssetSearch({ file: id })}
          className={linkClasses}
        >
          {text}
        </Link>
      );
    case "member":
      return (
        <Link to="/studios/$studioId/members" params={params} className={linkClasses}>
          {text}
        </Link>
      );
    case "client":
      return (
        <Link to="/studios/$studioId/clients" params={params} hash={id} className={linkClasses}>
          {text}
        </Link>
      );
    case "account":
      return (
        <Link to="/studios/$studioId/platforms" params={params} className={linkClasses}>
          {text}
        </Link>
      );
  }
}
