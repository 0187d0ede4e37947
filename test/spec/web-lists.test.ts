import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test, describe } from "node:test";
import { sortByTitle } from "../../web/src/layout/sort-by-title.ts";
import { sortMatchingTags } from "../../web/src/posts/list/sort-matching-tags.ts";
import { labelClearButton } from "../../web/src/ui/describe-no-match.ts";
import { tags as tagsSchema } from "#domain/model/text.ts";
import { parseNewTags } from "../../web/src/tags/parse-new-tags.ts";
import { computeGridLayout, computeRowHeights } from "../../web/src/assets/grid-layout.ts";
import { balanceColumns } from "../../web/src/layout/balance-columns.ts";
import { mediumScreenQuery } from "../../web/src/ui/breakpoints.ts";
import { splitFilename } from "../../web/src/assets/split-filename.ts";
import { arrangeFiles } from "../../web/src/media/arrange-files.ts";
import { limitToasts } from "../../web/src/ui/limit-toasts.ts";

const sortTitles = (titles: readonly string[], query: string) =>
  sortByTitle(
    titles.map((title) => ({ title })),
    query,
  ).map(({ title }) => title);

test("posts whose title matches come first, and others keep their order (POST-3)", () => {
  const titles = ["Boats", "Café by the sea", "Fog", "The CAFÉ"];
  assert.deepEqual(sortTitles(titles, "cafe"), ["Café by the sea", "The CAFÉ", "Boats", "Fog"]);
  assert.deepEqual(sortTitles(titles, "  Sea cafe "), ["Café by the sea", "The CAFÉ", "Boats", "Fog"]);
  assert.deepEqual(sortTitles(titles, "spring"), titles);
});

test("tags that contain a searched word come first, then the one of the filter; the others keep their order (WEB-12)", () => {
  const tags = ["autumn", "boats", "café noir", "harbour"];
  assert.deepEqual(sortMatchingTags(tags, {}), tags);
  assert.deepEqual(sortMatchingTags(tags, { q: "fog Harb" }), ["harbour", "autumn", "boats", "café noir"]);
  assert.deepEqual(sortMatchingTags(tags, { q: "CAFE" }), ["café noir", "autumn", "boats", "harbour"]);
  assert.deepEqual(sortMatchingTags(tags, { q: "fog" }), tags);
  assert.deepEqual(sortMatchingTags(tags, { tag: "boats" }), ["boats", "autumn", "café noir", "harbour"]);
  assert.deepEqual(sortMatchingTags(tags, { q: "harb", tag: "café noir" }), [
    "harbour",
    "café noir",
    "autumn",
    "boats",
  ]);
});

test("the button of an empty list names the search, or the filters if there are any (WEB-12)", () => {
  assert.equal(labelClearButton("fog", [undefined, undefined]), "Clear search");
  assert.equal(labelClearButton("fog", [undefined, "image"]), "Clear filters");
  assert.equal(labelClearButton(undefined, ["image"]), "Clear filters");
});

describe("tags that a user types", () => {
  test("are split at commas, trimmed, in lower case, and added once (POST-5)", () => {
    assert.deepEqual(parseNewTags(["harbour"], " Summer, HARBOUR,,summer , new York "), {
      addedTags: ["summer", "new york"],
      rejectedTexts: [],
      error: "",
    });
  });

  test("are rejected with a reason if the server would reject them, and the other ones are added (POST-5)", () => {
    for (const invalidTag of ["x".repeat(41), "\u200b", "a\u0007b"]) {
      assert.equal(tagsSchema.safeParse([invalidTag]).success, false);
      const { addedTags, rejectedTexts, error } = parseNewTags([], `${invalidTag}, sea`);
      assert.deepEqual({ addedTags, rejectedTexts }, { addedTags: ["sea"], rejectedTexts: [invalidTag] });
      assert.notEqual(error, "");
    }
  });

  test("have up to forty characters, however many UTF-16 units a character takes (POST-5)", () => {
    for (const character of ["x", "ß", "語", "🌷"]) {
      const [longestTag, longTag] = [character.repeat(40), character.repeat(41)];
      assert.deepEqual(parseNewTags([], longestTag).addedTags, [longestTag]);
      assert.deepEqual(tagsSchema.safeParse([longestTag]).data, [longestTag]);
      assert.deepEqual(parseNewTags([], longTag).rejectedTexts, [longTag]);
      assert.equal(tagsSchema.safeParse([longTag]).success, false);
    }
  });

  test("are at most twenty (POST-5)", () => {
    const existingTags = Array.from({ length: 19 }, (_, i) => `tag ${i}`);
    const { addedTags, rejectedTexts, error } = parseNewTags(existingTags, "a, b");
    assert.deepEqual({ addedTags, rejectedTexts }, { addedTags: ["a"], rejectedTexts: ["b"] });
    assert.match(error, /At most 20 tags/);
    assert.equal(tagsSchema.safeParse([...existingTags, "a"]).success, true);
    assert.equal(tagsSchema.safeParse([...existingTags, "a", "b"]).success, false);
  });
});

describe("the layout of the library", () => {
  test("only rows of the grid with a tagged file have a line for tags (WEB-12)", () => {
    const layout = computeGridLayout("grid", { width: 390, rem: 16, isTouch: true, hasTagColumn: false });
    assert.equal(layout.columnCount, 2);
    assert.deepEqual(
      computeRowHeights(layout, 5, (index) => index === 3),
      [layout.rowStep, layout.rowStep + layout.tagsHeight, layout.rowStep],
    );
    assert.ok(layout.tagsHeight > 0);
  });

  test("a row of the list has a line for tags only where there is no column for them (WEB-12)", () => {
    for (const hasTagColumn of [true, false]) {
      const layout = computeGridLayout("list", { width: 390, rem: 16, isTouch: false, hasTagColumn });
      assert.equal(layout.tagsHeight > 0, !hasTagColumn);
    }
  });
});

const toGroup = (heading: string, size: number) => [heading, Array.from({ length: size }, () => heading)] as const;
const listHeadings = (...groups: ReturnType<typeof toGroup>[]) =>
  balanceColumns(groups).map((column) => column.map(([heading]) => heading));

test("the help sheet splits its groups into columns of similar height, General first (WEB-12)", () => {
  const general = toGroup("General", 4);
  const goTo = toGroup("Go to", 9);
  assert.deepEqual(listHeadings(general, goTo, toGroup("Posts", 7)), [["General", "Posts"], ["Go to"]]);
  assert.deepEqual(listHeadings(general, goTo), [["General"], ["Go to"]]);
  assert.deepEqual(listHeadings(general), [["General"], []]);
});

test("scripts and styles use the same width for the sidebar (WEB-12)", () => {
  const theme = readFileSync(join(import.meta.dirname, "../../web/src/theme.css"), "utf8");
  const [, width] = /--breakpoint-md: (\S+);/.exec(theme) ?? [];
  assert.equal(mediumScreenQuery, `(min-width: ${width})`);
});

describe("splitting long file names", () => {
  for (const [start, end] of [
    // The end starts at a separator, and contains as much as fits.
    ["harbour_final_selected_2026-11", "-12_v12.jpg"],
    ["vase in the morning", " light.jpg"],
    ["catalogue_spring", "_2027.pages"],
    // Without a separator other than that of the type, the end is as long as possible, but starts with a whole number.
    ["summercampaignhe", "roimages.jpg"],
    ["photofromthe", "20261118.jpg"],
    ["photo1234567890123456", "x.jpg"],
    ["123456789012345678901234", ".jpg"],
    // Letters with combining marks and joined emoji are never cut.
    ["familie-im-garten", "-👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧-12.jpg"],
  ] as const)
    test(`splits ${start}${end} before ${end}`, () => assert.deepEqual(splitFilename(start + end), [start, end]));

  test("keeps short names, right-to-left names and numbers in one part", () => {
    assert.equal(splitFilename("123456789012345678901234"), undefined);
    assert.equal(splitFilename("paper-list-12.txt"), undefined);
    assert.equal(splitFilename("תמונות מהסטודיו בחורף 2026.jpg"), undefined);
  });
});

const asset = (id: string, status: "pending" | "ready" = "ready") => ({ id, status });
const upload = (key: string, status: string, id?: string) => ({ key, status, id });

const arrange = (assets: ReturnType<typeof asset>[], uploads: ReturnType<typeof upload>[]) => {
  const { failedUploads, files, newUploads } = arrangeFiles(assets, uploads);
  return [
    failedUploads.map(({ key }) => key),
    files.map((file) => `${file.asset.id} ${file.upload?.key ?? ""}`.trim()),
    newUploads.map(({ key }) => key),
  ];
};

test("shows an upload and its asset as one tile, at the position of the asset", () => {
  const assets = [asset("a"), asset("b", "pending"), asset("c")];
  assert.deepEqual(arrange(assets, [upload("1", "sending", "b"), upload("2", "waiting")]), [
    [],
    ["a", "b 1", "c"],
    ["2"],
  ]);
});

test("lists failed and missing uploads first, and hides their pending assets", () => {
  const assets = [asset("a"), asset("b", "pending")];
  assert.deepEqual(arrange(assets, [upload("1", "failed", "b"), upload("2", "missing"), upload("3", "failed")]), [
    ["1", "2", "3"],
    ["a"],
    [],
  ]);
});

test("shows an upload that has ended only until its asset is ready on the post", () => {
  assert.deepEqual(arrange([], [upload("1", "done", "a")]), [[], [], ["1"]]);
  assert.deepEqual(arrange([asset("a")], [upload("1", "done", "a")]), [[], ["a"], []]);
  assert.deepEqual(arrange([asset("a")], [upload("1", "failed", "a")]), [[], ["a"], []]);
});

test("shows an asset that another page uploads at its position, without progress", () => {
  assert.deepEqual(arrange([asset("a", "pending"), asset("b")], []), [[], ["a", "b"], []]);
});

const undo = (text: string) => ({ text, action: {} });
const plain = (text: string) => ({ text });
const timed = (text: string) => ({ ...undo(text), countdown: {} });
const getTexts = (toasts: readonly { text: string; action?: unknown; countdown?: unknown }[], isSmallScreen: boolean) =>
  limitToasts(toasts, isSmallScreen).map(({ text }) => text);

describe("the number of toasts", () => {
  test("a large screen shows the newest three (WEB-7)", () => {
    assert.deepEqual(getTexts([undo("a"), plain("b"), plain("c"), undo("d")], false), ["b", "c", "d"]);
  });

  test("on a small screen, a toast with a button replaces all earlier ones (WEB-7, WEB-12)", () => {
    assert.deepEqual(getTexts([undo("a")], true), ["a"]);
    assert.deepEqual(getTexts([undo("a"), plain("b"), undo("c")], true), ["c"]);
  });

  test("on a small screen, a toast without a button keeps the last one with a button (WEB-7, WEB-12)", () => {
    assert.deepEqual(getTexts([plain("a"), plain("b")], true), ["b"]);
    assert.deepEqual(getTexts([undo("a"), undo("b"), plain("c"), plain("d")], true), ["b", "d"]);
  });

  test("a toast that counts down stays until its time is up (WEB-13)", () => {
    assert.deepEqual(getTexts([timed("a"), undo("b"), timed("c"), plain("d")], true), ["a", "c", "d"]);
    assert.deepEqual(getTexts([timed("a"), plain("b"), plain("c"), plain("d"), undo("e")], false), [
      "a",
      "c",
      "d",
      "e",
    ]);
  });
});
