import assert from "node:assert/strict";
import { describeInvalidOption } from "#domain/model/post-options.ts";
import type { PostOption, PostOptions } from "#portable/post-options.ts";

const textExamples = ["en", "de", "1", "2", "2.5", "https://example.com/a", "https://example.com/b"];

/** Examples that the option accepts, different from each other: all of a choice. */
export function listOptionValues(option: PostOption): PostOptions[string][] {
  if ("isFromAccount" in option && option.isFromAccount) return ["1", "2"];
  const examples =
    "values" in option
      ? option.values.map(({ value }) => (option.kind === "choice" ? value : [value]))
      : { toggle: [true, false], text: textExamples, list: [["en"], ["de"], ["en", "de"]] }[option.kind];
  const values = examples.filter((value) => describeInvalidOption([option], option.name, value) === undefined);
  assert.ok(values.length > 1 || examples.length === 1, option.name);
  return values;
}
