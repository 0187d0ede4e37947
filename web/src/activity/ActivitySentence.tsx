import type { ReactNode } from "react";
import { parsePostPageSearch, type PostPageSearch } from "../search-params.ts";
import {
  countRepetitions,
  listAffectedObjects,
  type ActivityEntry,
  type ActivityGroup,
  type ActivityObject,
} from "./group-activity.ts";
import { getActionTemplate } from "./labels.ts";
import { ObjectLink } from "./ObjectLink.tsx";

/** What the actor did, such as "attached harbour.jpg to Spring catalogue", with links. */
export function ActivitySentence({ group }: { group: ActivityGroup }) {
  const { newest } = group;
  const affectedObjects = listAffectedObjects(group);
  const repetitions = countRepetitions(group);

  function renderObject(type: string): ReactNode {
    if (affectedObjects.length > 1 && affectedObjects[0]?.type === type)
      return `${affectedObjects.length} ${type === "asset" ? "files" : "posts"}`;
    const object = findObject(newest, type);
    return object && <ObjectLink object={object} postSearch={getPostSearch(newest)} />;
  }

  const parts = getActionTemplate(newest)
    .split(/\[(.*?)\]/)
    // The parts with an odd index were in brackets, which may be omitted.
    .filter((part, i) => i % 2 === 0 || listPlaceholderTypes(part).every((type) => findObject(newest, type)))
    .flatMap((part) => part.split(/\{(\w+)\}/).map((text, i) => (i % 2 === 0 ? text : renderObject(text))));
  return (
    <>
      {parts.map((part, i) => (
        <span key={i}>{part}</span>
      ))}
      {repetitions > 1 && affectedObjects.length <= 1 && ` ${repetitions} times`}
    </>
  );
}

/** The search parameters that make the post's page show the change or comment. */
function getPostSearch({ action, detail }: ActivityEntry): PostPageSearch {
  if (action.startsWith("comment.") || action === "review.commented")
    return parsePostPageSearch({ panel: "comments", comment: detail["commentId"] });
  return action === "post.updated" || action === "post.reverted" ? { panel: "history" } : {};
}

const listPlaceholderTypes = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, type]) => type ?? "");

/** Returns the entry's object of this type. A publication gets the name of its post. */
function findObject({ objects }: ActivityEntry, type: string): ActivityObject | undefined {
  const object = objects.find((candidate) => candidate.type === type);
  if (object?.type !== "publication") return object;
  const post = objects.find((candidate) => candidate.type === "post");
  return { ...object, name: post?.name ?? null, state: post?.state === "gone" ? "gone" : "current" };
}
