import assert from "node:assert/strict";
import { test } from "node:test";
import { listMarkdownForms, removeMarkdown } from "#portable/markdown.ts";
import { measureCpu } from "../support/cpu-time.ts";

const cases: [text: string, forms: string[], plainText: string][] = [
  ["**Rye** and **two words**.", ["**bold**"], "Rye and two words."],
  ["这是**重点**内容", ["**bold**"], "这是重点内容"],
  [
    "See [the mill](https://mill.example/a_(b)?c=1).",
    ["[text](url)"],
    "See the mill (https://mill.example/a_(b)?c=1).",
  ],
  ["[mill.example](https://mill.example)", ["[text](url)"], "https://mill.example"],
  ['![Bread](https://mill.example/1.png "A loaf")', ["[text](url)"], "Bread (https://mill.example/1.png)"],
  ["[write us](mailto:ada@mill.example)", ["[text](url)"], "write us (mailto:ada@mill.example)"],
  ["# News\n\n### **More**\nText", ["**bold**", "# heading"], "News\n\nMore\nText"],
  ["- **[Menu](https://mill.example)**", ["**bold**", "[text](url)"], "- Menu (https://mill.example)"],
  ...[
    "#rye #bread\n#1 bakery",
    "2**3**4 and 2 ** 3 ** 4",
    "[sic] (really)",
    "[1](see below)",
    "**",
    "** **",
    "stars *** everywhere ***",
    "a_b__c__d and *one*",
  ].map((text): [string, string[], string] => [text, [], text]),
];

for (const [text, forms, plainText] of cases)
  test(`${forms.length === 0 ? "keeps" : "removes the Markdown of"} ${JSON.stringify(text)} (PLATFORM-12)`, () => {
    assert.deepEqual(listMarkdownForms(text), forms);
    assert.equal(removeMarkdown(text), plainText);
    assert.deepEqual(listMarkdownForms(removeMarkdown(text)), []);
  });

test("reads hostile texts of the maximum length in little time (X4)", async () => {
  const hostileTexts = ["**a", "[a](https://", "[a](https://(", "# ", "#", "[", " ", "**a b "].flatMap((part) => [
    part.repeat(100_000 / part.length),
    `# a[a](https://${part.repeat(90_000 / part.length)}`,
  ]);
  const { cpuMs } = await measureCpu(1000, async () => {
    for (const text of hostileTexts) removeMarkdown(text);
  });
  assert.ok(cpuMs < 1000, `${cpuMs} ms`);
});
