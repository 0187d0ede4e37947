import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { assetKinds, type AssetKind } from "#domain/assets/model/kinds.ts";
import type { MediaLimit, PostLimits } from "#domain/platforms/limits.ts";
import { catalog } from "#connectors/catalog.ts";
import { bluesky } from "#connectors/catalog/bluesky.ts";
import { resolveEndpoints } from "../support/platform-examples.ts";
import { getPlatformName } from "../../web/src/platforms/platform-name.ts";

const allPlatforms = [...catalog, bluesky];

/** Rules that every entry of the catalog follows. */
test("every platform has a unique id that fits URLs and settings", () => {
  const ids = allPlatforms.map(({ id }) => id);
  for (const id of ids) assert.match(id, /^[a-z][a-z0-9]*$/);
  const files = readdirSync("src/connectors/catalog").filter((file) => !file.endsWith("-publishing.ts"));
  assert.deepEqual(
    ids.map((id) => `${id}.ts`).toSorted(),
    files.toSorted(),
    "the catalog lists every platform's file once, under its own id",
  );
});

test("the web app's lists name every platform as the catalog does, or shorter (WEB-12)", () => {
  for (const { id, name } of allPlatforms) assert.match(name, new RegExp(`^${getPlatformName(id)}(?: Pages)?$`));
});

test("every URL of a platform is https", () => {
  for (const platform of catalog) {
    const { id } = platform;
    const { issuer, authorization, token, revocation, api } = resolveEndpoints(platform);
    const urls = [issuer, authorization, token, revocation, api];
    for (const url of urls.filter((url) => url !== undefined))
      assert.equal(new URL(url).protocol, "https:", `${id}: ${url}`);
    assert.doesNotMatch(api, /\/$/, id);
  }
});

test("every entry cites sources for its endpoints and its limits, each with the day it was read", () => {
  const datePattern = /^\d{4}-\d{2}-\d{2}$/;
  for (const { id, sources, limits } of allPlatforms) {
    assert.ok(sources.length > 0 && limits.sources.length > 0, id);
    for (const { url, readOn, dated: pageDate } of [...sources, ...limits.sources]) {
      assert.equal(new URL(url).protocol, "https:", `${id}: ${url}`);
      assert.match(readOn, datePattern, url);
      if (pageDate !== undefined) assert.match(pageDate, datePattern, url);
      if (pageDate !== undefined) assert.ok(pageDate <= readOn, url);
    }
  }
});

test("docs/platforms.md documents every platform, with its settings if it has any", () => {
  const page = readFileSync("docs/platforms.md", "utf8");
  for (const platform of allPlatforms) {
    const { id, name } = platform;
    const hasSettings = platform.protocol === undefined && platform.appRegistration === undefined;
    assert.ok(page.includes(`\n## ${name}\n`), `docs/platforms.md has no section ${name}`);
    const settings = ["ID", "SECRET"].map((suffix) => `\`PLATFORM_${id.toUpperCase()}_CLIENT_${suffix}\``);
    for (const setting of settings) assert.equal(page.includes(setting), hasSettings, setting);
  }
});

test("a platform with standard revocation has a revocation endpoint", () => {
  for (const platform of catalog) {
    if (platform.revoke === "standard") assert.ok(resolveEndpoints(platform).revocation, platform.id);
  }
});

test("limits are positive, and name only file types that Atelier accepts", () => {
  for (const { id, limits } of allPlatforms) {
    for (const number of findNumbers(limits)) assert.ok(number > 0, id);
    const media = { image: limits.images, video: limits.videos, document: limits.documents };
    for (const [kind, acceptedTypes] of Object.entries(assetKinds)) {
      const limit: MediaLimit | undefined = media[kind as AssetKind];
      const types = [...(limit?.types ?? []), ...Object.keys(limit?.maxBytesByType ?? {})];
      for (const type of types) assert.ok((acceptedTypes as readonly string[]).includes(type), `${id}: ${type}`);
    }
  }
});

function findNumbers(value: PostLimits | object): number[] {
  return Object.values(value).flatMap((inner: unknown) => {
    if (typeof inner === "number") return [inner];
    return typeof inner === "object" && inner !== null ? findNumbers(inner) : [];
  });
}
