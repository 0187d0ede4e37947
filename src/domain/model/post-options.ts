import { z } from "zod";
import {
  isRequired,
  type OptionValue,
  type PostOption,
  type PostOptions,
  type TextOption,
} from "#portable/post-options.ts";

export const postOptions = z.record(z.string(), z.union([z.boolean(), z.string(), z.array(z.string())]));

/** In an order that is the same for the same options. Undefined without any. */
export function normalizeOptions(options: PostOptions | undefined): PostOptions | undefined {
  const entries = Object.entries(options ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** The options, with the defaults of those that are not chosen. */
export const withDefaults = (schema: readonly PostOption[], options: PostOptions = {}): PostOptions => ({
  ...Object.fromEntries(schema.flatMap((option) => ("default" in option ? [[option.name, option.default]] : []))),
  ...options,
});

/** The problem of a missing option that only a person may choose. */
export const personOptionCode = "person_option_missing";

interface OptionProblem {
  code: "option_invalid" | "option_missing" | typeof personOptionCode;
  message: string;
}

/** Why the platform can't receive the text with these options. */
export function findOptionProblems(
  schema: readonly PostOption[],
  text: string,
  options: PostOptions = {},
): OptionProblem[] {
  const invalid = Object.entries(options).flatMap(([name, value]): OptionProblem[] => {
    const message = describeInvalidOption(schema, name, value);
    return message === undefined ? [] : [{ code: "option_invalid", message }];
  });
  const missing = schema
    .filter((option) => options[option.name] === undefined && isRequired(option, text, options))
    .map(({ label, chosenBy }): OptionProblem =>
      chosenBy === "person"
        ? { code: personOptionCode, message: `A person must choose the option “${label}”.` }
        : { code: "option_missing", message: `The option “${label}” must be chosen.` },
    );
  return [...invalid, ...missing];
}

/** Why an option can't have this value; undefined if it can. */
export function describeInvalidOption(
  schema: readonly PostOption[],
  name: string,
  value: OptionValue,
): string | undefined {
  const option = schema.find((each) => each.name === name);
  if (!option) return `${name}: this platform has no such option.`;
  const expected = describeExpected(option, value);
  return expected && `${name}: expected ${expected}.`;
}

function describeExpected(option: PostOption, value: OptionValue): string | undefined {
  const list = Array.isArray(value) ? value : undefined;
  switch (option.kind) {
    case "toggle":
      return typeof value === "boolean" ? undefined : "true or false";
    case "text":
      return typeof value === "string" && isText(option, value) ? undefined : describeText(option);
    case "list":
      return list && isSet(list) && list.length <= option.max && list.every((text) => isText(option, text))
        ? undefined
        : `a list of up to ${option.max} different texts, each ${describeText(option)}`;
    case "choice":
    case "choices": {
      const values = option.values.map((choice) => choice.value);
      const isValid =
        option.kind === "choice"
          ? typeof value === "string" && values.includes(value)
          : list && isSet(list) && list.every((each) => values.includes(each));
      if (values.length === 0) return "a value that the account offers; these have not been read yet";
      return isValid ? undefined : `${option.kind === "choice" ? "one of" : "a list of"} ${values.join(", ")}`;
    }
  }
}

const isSet = (list: readonly string[]): boolean => list.length > 0 && new Set(list).size === list.length;

const isText = ({ maxLength, pattern }: Omit<TextOption, "kind">, text: string): boolean =>
  text.trim() !== "" &&
  text.length <= maxLength &&
  (pattern === undefined || new RegExp(`^(?:${pattern})$`).test(text));

const describeText = ({ maxLength, pattern }: Omit<TextOption, "kind">): string =>
  pattern === undefined ? `a text of up to ${maxLength} characters` : `a text that matches ${pattern}`;

export const listPersonOptions = (schema: readonly PostOption[]): string[] =>
  schema.filter(({ chosenBy }) => chosenBy === "person").map(({ name }) => name);
