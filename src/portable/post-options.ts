import { listHashtags } from "./hashtags-and-mentions.ts";

/** What a platform needs or offers besides text and files. The form in the web app and all checks follow from it. */
export type PostOption = {
  /** The key in a variant's `options`. */
  name: string;
  label: string;
  help?: string;
  /** When a value is required. Without it, never. */
  requiredIf?: "always" | { hashtag: string } | { option: string; isNot: string };
  /** `person`: AI clients can neither set nor change it. Such an option has no default. */
  chosenBy: "anyone" | "person";
} &
  /** `isFromAccount`: each account has values of its own, such as boards. */
  (
    | { kind: "choice"; values: readonly Choice[]; default?: string; isFromAccount?: true }
    | { kind: "choices"; values: readonly Choice[] }
    | { kind: "toggle" }
    | TextOption
    /** Several texts. */
    | (Omit<TextOption, "kind"> & { kind: "list"; max: number })
  );

export interface Choice {
  value: string;
  label: string;
}

/** What an account offers, by the name of the option. */
export type AccountChoices = Record<string, Choice[]>;

export interface TextOption {
  kind: "text";
  maxLength: number;
  /** A regular expression that the whole text matches. */
  pattern?: string;
}

export type OptionValue = boolean | string | string[];
/** The values of one account, by the name of the option. What is absent is not chosen, so its default applies. */
export type PostOptions = Record<string, OptionValue>;

export function isRequired({ requiredIf }: PostOption, text: string, options: PostOptions): boolean {
  if (typeof requiredIf !== "object") return requiredIf === "always";
  if ("hashtag" in requiredIf) return listHashtags(text).includes(requiredIf.hashtag);
  return options[requiredIf.option] !== requiredIf.isNot;
}

export const hasAccountChoices = (schema: readonly PostOption[]): boolean =>
  schema.some((option) => option.kind === "choice" && option.isFromAccount);

/** The schema with the values that the account offers; none before they were read. */
export const withAccountChoices = (
  schema: readonly PostOption[],
  choices: AccountChoices | null | undefined,
): readonly PostOption[] =>
  hasAccountChoices(schema)
    ? schema.map((option) =>
        option.kind === "choice" && option.isFromAccount ? { ...option, values: choices?.[option.name] ?? [] } : option,
      )
    : schema;
