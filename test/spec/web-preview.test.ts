import assert from "node:assert/strict";
import { test } from "node:test";
import { getDisplay } from "../../web/src/preview/platform-displays.ts";
import { splitText } from "../../web/src/preview/split-text.ts";
import { fc } from "../support/fuzz.ts";
import { planLayout } from "#domain/model/renditions/plan-layout.ts";
import { describePosition, dragWindow, getCropWindow, moveByKey } from "../../web/src/preview/crop-window.ts";

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

const side = fc.integer({ min: 200, max: 5000 });
const fraction = fc.double({ min: 0, max: 1, noNaN: true });

test("the frame in the preview covers the part of the image that is sent", () => {
  fc.assert(
    fc.property(side, side, fraction, fraction, (width, height, x, y) => {
      const limit = { minAspect: 0.8, maxAspect: 1.91 };
      const layout = planLayout({ width, height }, limit, { crop: { x, y } });
      assert.ok(layout);
      const { region, canvas } = layout;
      const frame = getCropWindow({ width, height }, canvas, { x, y });
      const isClose = (pixels: number, expected: number): boolean => Math.abs(pixels - expected) <= 3;
      assert.ok(isClose(frame.left * width, region.left), "left");
      assert.ok(isClose(frame.top * height, region.top), "top");
      assert.ok(isClose(frame.width * width, region.width), "width");
      assert.ok(isClose(frame.height * height, region.height), "height");
    }),
  );
});

test("the frame follows the pointer and the keys, and stays inside the image", () => {
  const frame = getCropWindow({ width: 300, height: 100 }, { width: 150, height: 100 }, { x: 0.5, y: 0.5 });
  assert.deepEqual([frame.axis, frame.left, frame.width], ["x", 0.25, 0.5]);
  assert.deepEqual(dragWindow({ x: 0.5, y: 0.5 }, frame, { x: 0.125, y: 0.4 }), { x: 0.75, y: 0.5 });
  assert.deepEqual(dragWindow({ x: 0.5, y: 0.5 }, frame, { x: 9, y: 0 }), { x: 1, y: 0.5 });
  assert.deepEqual(moveByKey({ x: 0.99, y: 0.5 }, "x", "ArrowRight"), { x: 1, y: 0.5 });
  assert.deepEqual(moveByKey({ x: 0.5, y: 0.5 }, "y", "ArrowUp"), { x: 0.5, y: 0.48 });
  assert.equal(moveByKey({ x: 0.5, y: 0.5 }, "y", "Enter"), undefined);
  assert.equal(describePosition({ x: 0.25, y: 0 }, "x"), "25% from the left");
  assert.equal(describePosition({ x: 0.25, y: 0 }, "y"), "Top edge");
});
