import assert from "node:assert/strict";
import { test } from "node:test";
import { getDisplay } from "../../web/src/preview/platform-displays.ts";
import { splitText } from "../../web/src/preview/split-text.ts";
import { fc } from "../support/fuzz.ts";

const text =
  "See https://a.example/x#y, ask @mira, @mira@social.example or @mira.example. #paper #2027 #été_2027 mail@a.example";

const listFeatures = (platform: string, input = text): string[] =>
  splitText(input, getDisplay(platform).features)
    .filter(({ kind }) => kind !== "text")
    .map((part) => part.text);

test("the preview highlights what each platform turns into a link", () => {
  const [link, tags] = ["https://a.example/x#y", ["#paper", "#été_2027"]];
  assert.deepEqual(listFeatures("bluesky"), [link, "@mira.example", ...tags]);
  assert.deepEqual(listFeatures("mastodon"), [link, "@mira", "@mira@social.example", "@mira.example", ...tags]);
  assert.deepEqual(listFeatures("x"), [link, "@mira", "@mira", ...tags]);
  assert.deepEqual(listFeatures("linkedin"), [link, ...tags]);
  assert.deepEqual(listFeatures("facebook"), [link, ...tags]);
  assert.deepEqual(listFeatures("instagram"), ["@mira", "@mira", "@mira.example", ...tags]);
  assert.deepEqual(listFeatures("threads"), [link]);
  assert.deepEqual(listFeatures("sandbox"), []);
});

test("splits the text of the preview without losing a character", () => {
  const words = fc.constantFrom(" ", "\n", "a", "@b", "#c", "#1", "https://d.example", "é", "👍🏽", ".", "@", "#", "/");
  const platforms = fc.constantFrom("bluesky", "mastodon", "x", "linkedin", "instagram", "threads", "unknown");
  fc.assert(
    fc.property(fc.array(words), platforms, (parts, platform) => {
      const input = parts.join("");
      const output = splitText(input, getDisplay(platform).features);
      assert.equal(output.map((part) => part.text).join(""), input);
      assert.ok(output.every((part) => part.text !== ""));
    }),
  );
});
