import assert from "node:assert/strict";
import { test } from "node:test";
import { describeUnreachableMedia } from "../../web/src/platforms/describe-unreachable-media.ts";

const instagram = { name: "Instagram", unreachableMedia: "all" } as const;
const threads = { name: "Threads", unreachableMedia: "all" } as const;
const facebook = { name: "Facebook", unreachableMedia: "videos" } as const;

test("says once which platforms can't fetch media from this server (PLATFORM-13)", () => {
  const end =
    " from this server, which has no public URL. Posts with such files can’t be published there until the person who runs this server gives it one.";
  assert.equal(describeUnreachableMedia([{ name: "X" }]), undefined);
  assert.equal(describeUnreachableMedia([instagram]), `Instagram fetches images and videos${end}`);
  assert.equal(
    describeUnreachableMedia([facebook, instagram, threads]),
    `Instagram and Threads fetch images and videos, and Facebook fetches videos${end}`,
  );
});
