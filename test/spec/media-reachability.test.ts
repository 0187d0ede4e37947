import assert from "node:assert/strict";
import { test } from "node:test";
import { instagram } from "#connectors/instagram/connect.ts";
import { createPlatforms } from "#connectors/connectors.ts";
import type { AssetKind } from "#domain/model/asset-kinds.ts";
import { findMediaProblems, findMediaWarning, isPublicUrl } from "#domain/model/validation/media-reachability.ts";

assert.ok(typeof instagram.endpoints === "object");
const instagramEndpoints = instagram.endpoints;

test("recognizes URLs that platforms can't reach", () => {
  const privateUrls = [
    "http://studio.example.com",
    "https://localhost",
    "https://localhost:3000",
    "https://127.0.0.1",
    "https://10.1.2.3",
    "https://192.168.1.10:8443",
    "https://169.254.1.1",
    "https://100.64.0.1",
    "https://[::1]",
    "https://[fd00::1]",
    "https://[::ffff:10.0.0.1]",
    "https://studio",
    "https://studio.local",
    "https://studio.local.",
    "https://studio.internal",
    "https://app.localhost",
    "https://nas.home.arpa",
  ];
  const publicUrls = [
    "https://studio.example.com",
    "https://studio.example.com:8443",
    "https://8.8.8.8",
    "https://[2606:4700::1111]",
  ];
  for (const url of privateUrls) assert.equal(isPublicUrl(url), false, url);
  for (const url of publicUrls) assert.equal(isPublicUrl(url), true, url);
});

test("warns only for platforms that fetch media, and names what can't be published", () => {
  const base = "http://localhost:3000";
  const warning = findMediaWarning(base, { name: "Instagram", fetchedMedia: "all" });
  assert.match(warning ?? "", /^Instagram fetches images and videos .*http:\/\/localhost:3000/);
  assert.match(findMediaWarning(base, { name: "Facebook Pages", fetchedMedia: "videos" }) ?? "", /fetches videos from/);
  assert.equal(findMediaWarning(base, { name: "X" }), undefined);
  assert.equal(findMediaWarning("https://studio.example.com", { name: "Instagram", fetchedMedia: "all" }), undefined);
});

test("reports files that a platform can't fetch from this server, unless both are in a private network (PLATFORM-12)", () => {
  const publicFetch = () => Promise.reject(new Error("no requests"));
  const findProblems = (base: string, api: string, kinds: AssetKind[]) => {
    const platform = { ...instagram, endpoints: { ...instagramEndpoints, api } };
    const info = createPlatforms(base, [{ platform, publicFetch }]).find("instagram");
    assert.ok(info);
    return findMediaProblems(
      info,
      kinds.map((kind) => ({ kind })),
    ).map(({ level, code }) => `${level} ${code}`);
  };
  const rejected = ["rejected media_unreachable"];
  const [local, api] = ["http://localhost:3000", "https://graph.instagram.com"];
  assert.deepEqual(findProblems(local, api, ["image"]), rejected);
  assert.deepEqual(findProblems(local, api, ["video"]), rejected);
  assert.deepEqual(findProblems(local, api, []), []);
  assert.deepEqual(findProblems("https://studio.example.com", api, ["image"]), []);
  assert.deepEqual(findProblems(local, "http://127.0.0.1:4000", ["image"]), []);
  assert.deepEqual(findMediaProblems({ name: "Facebook", unreachableMedia: "videos" }, [{ kind: "image" }]), []);
  assert.deepEqual(findMediaProblems({ name: "Facebook", unreachableMedia: "videos" }, [{ kind: "video" }]), [
    {
      level: "rejected",
      code: "media_unreachable",
      message:
        "Facebook fetches videos from this server, which has no public URL. Ask the person who runs this server to give it one.",
    },
  ]);
});
