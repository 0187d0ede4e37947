import assert from "node:assert/strict";
import { test } from "node:test";
import { buildFacets, listMentionedHandles } from "#connectors/bluesky/facets.ts";
import { deriveRecordKey } from "#connectors/bluesky/record-key.ts";
import { fc } from "../support/fuzz.ts";

/** Decodes a facet's text from the bytes of the whole text. Rejects positions inside a character. */
function decodeFacet(text: string, { byteStart, byteEnd }: { byteStart: number; byteEnd: number }): string {
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  decoder.decode(bytes.subarray(0, byteStart));
  return decoder.decode(bytes.subarray(byteStart, byteEnd));
}

/** Words of several scripts, emoji and combining characters, none of which is a link, a mention or a tag. */
const plainText = fc
  .array(
    fc.constantFrom(
      "a",
      "ß",
      "é",
      "e\u0301",
      "שלום",
      "مرحبا",
      "日本",
      "👍🏽",
      "👩‍👩‍👧‍👦",
      "🇩🇪",
      "\u{10FFFF}",
      "-",
      "1",
      "\u2066x\u2069",
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.join(""));
const word = fc.string({ unit: fc.constantFrom("a", "b", "c", "x", "y", "z"), minLength: 1, maxLength: 8 });
const link = fc
  .tuple(word, fc.constantFrom("", "/ü", "/a(b)c", "?q=1&r=%20#x", "/日本/👍"))
  .map(([host, path]) => `https://${host}.example${path}`)
  .map((url) => ({ text: url, kind: "link", value: url }) as const);
const mention = fc
  .tuple(word, word)
  .map(([name, domain]) => `${name}.${domain}`)
  .map((handle) => ({ text: `@${handle}`, kind: "mention", value: `did:plc:${handle}` }) as const);
const tag = fc
  .tuple(fc.constantFrom("#", "＃"), fc.constantFrom("photo", "фото", "日本", "naïve", "a1", "e\u0301", "👍x"))
  .map(([sign, name]) => ({ text: `${sign}${name}`, kind: "tag", value: name }) as const);
const part = fc.oneof(
  plainText.map((text) => ({ text, kind: "text" as const, value: "" })),
  link,
  mention,
  tag,
);

test("every facet covers the bytes of its link, mention or tag, in any text (PLATFORM-16)", () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), fc.constantFrom(" ", "\n", "\u3000"), (parts, separator) => {
      const text = parts.map((item) => item.text).join(separator);
      const handles = listMentionedHandles(text);
      const facets = buildFacets(text, Object.fromEntries(handles.map((handle) => [handle, `did:plc:${handle}`])));
      assert.deepEqual(
        facets.map(({ index, features: [feature] }) => [
          decodeFacet(text, index),
          feature["uri"] ?? feature["did"] ?? feature["tag"],
        ]),
        parts.filter(({ kind }) => kind !== "text").map((item) => [item.text, item.value]),
      );
    }),
  );
});

test("facets of any text are in order, do not overlap and never split a character (PLATFORM-16)", () => {
  const hostileText = fc.string({
    unit: fc.constantFrom(...Array.from("@#＃./: (){}\n\u200B\uFE0Fhtps1é👍\u0301-"), "https://", ".com"),
  });
  fc.assert(
    fc.property(hostileText, (text) => {
      let end = 0;
      for (const { index } of buildFacets(text, {})) {
        assert.ok(index.byteStart >= end && index.byteEnd > index.byteStart);
        assert.ok(text.includes(decodeFacet(text, index)));
        end = index.byteEnd;
      }
      assert.ok(end <= Buffer.byteLength(text));
    }),
  );
});

test("numbers, emoji keycaps, unknown accounts and parts of a link are not facets (PLATFORM-16)", () => {
  const text = "#1 #️⃣ # @unknown.example a@b.example x#tag https://example.com/(@ada.example #";
  assert.deepEqual(
    buildFacets(text, { "b.example": "did:plc:b", "ada.example": "did:plc:ada" }).map(({ index }) =>
      decodeFacet(text, index),
    ),
    ["https://example.com/(@ada.example"],
  );
});

test("a record key is a TID that depends on the commit alone and sorts by time (PLATFORM-16)", () => {
  const time = fc.integer({ min: 0, max: Date.UTC(2200, 0) });
  fc.assert(
    fc.property(fc.string(), fc.string(), time, time, (commitKey, otherKey, committedAt, otherTime) => {
      const key = deriveRecordKey(commitKey, committedAt);
      // The pattern of https://atproto.com/specs/tid
      assert.match(key, /^[234567abcdefghij][234567abcdefghijklmnopqrstuvwxyz]{12}$/);
      assert.equal(key, deriveRecordKey(commitKey, committedAt));
      const otherRecordKey = deriveRecordKey(otherKey, otherTime);
      if (committedAt !== otherTime) assert.equal(key < otherRecordKey, committedAt < otherTime);
    }),
  );
});
