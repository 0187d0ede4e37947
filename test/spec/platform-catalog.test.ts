import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { assetKinds, type AssetKind } from "#domain/assets/model/kinds.ts";
import type { MediaLimit, PostLimits } from "#domain/platforms/limits.ts";
import { catalog } from "#connectors/catalog.ts";

/** What every entry owes, whichever platform it describes. */
test("a platform's id is what addresses and settings are made of, and its own", () => {
  const ids = catalog.map(({ id }) => id);
  for (const id of ids) assert.match(id, /^[a-z][a-z0-9]*$/);
  const files = readdirSync("src/connectors/catalog");
  assert.deepEqual(
    ids.map((id) => `${id}.ts`).toSorted(),
    files.toSorted(),
    "every file of the catalogue is in the list, once, under its own id",
  );
});

test("every address of a platform is https", () => {
  for (const { id, endpoints } of catalog) {
    const made = typeof endpoints === "function" ? endpoints("https://instance.example") : endpoints;
    const addresses = [made.issuer, made.authorization, made.token, made.revocation, made.api];
    for (const address of addresses.filter((one) => one !== undefined))
      assert.equal(new URL(address).protocol, "https:", `${id}: ${address}`);
    assert.doesNotMatch(made.api, /\/$/, id);
  }
});

test("every entry cites pages for how it connects and for what a post may carry, each with the day it was read", () => {
  const aDay = /^\d{4}-\d{2}-\d{2}$/;
  for (const { id, sources, limits } of catalog) {
    assert.ok(sources.length > 0 && limits.sources.length > 0, id);
    for (const { url, readOn, dated } of [...sources, ...limits.sources]) {
      assert.equal(new URL(url).protocol, "https:", `${id}: ${url}`);
      assert.match(readOn, aDay, url);
      if (dated !== undefined) assert.match(dated, aDay, url);
      if (dated !== undefined) assert.ok(dated <= readOn, url);
    }
  }
});

test("an operator is told of every platform, and of the settings of those that need some", () => {
  const page = readFileSync("docs/platforms.md", "utf8");
  for (const { id, name, app } of catalog) {
    assert.ok(page.includes(`\n## ${name}\n`), `docs/platforms.md has no section ${name}`);
    const settings = ["ID", "SECRET"].map((half) => `\`PLATFORM_${id.toUpperCase()}_CLIENT_${half}\``);
    for (const setting of settings) assert.equal(page.includes(setting), app === "settings", setting);
  }
});

test("a platform that says it revokes by the standard says where", () => {
  for (const { id, endpoints, revoke } of catalog) {
    const made = typeof endpoints === "function" ? endpoints("https://instance.example") : endpoints;
    if (revoke === "standard") assert.ok(made.revocation, id);
  }
});

test("bounds are positive, and files have types that Atelier knows the kind of", () => {
  for (const { id, limits } of catalog) {
    for (const bound of boundsOf(limits)) assert.ok(bound > 0, id);
    const media = { image: limits.images, video: limits.videos, document: limits.documents };
    for (const [kind, known] of Object.entries(assetKinds)) {
      const limit: MediaLimit | undefined = media[kind as AssetKind];
      const types = [...(limit?.types ?? []), ...Object.keys(limit?.maxBytesByType ?? {})];
      for (const type of types) assert.ok((known as readonly string[]).includes(type), `${id}: ${type}`);
    }
  }
});

function boundsOf(value: PostLimits | object): number[] {
  return Object.values(value).flatMap((inner: unknown) => {
    if (typeof inner === "number") return [inner];
    return typeof inner === "object" && inner !== null ? boundsOf(inner) : [];
  });
}
