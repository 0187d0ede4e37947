import { listHashtags } from "./hashtags-and-mentions.ts";

/** What a platform needs or offers besides text and files. The form in the web app and all checks follow from it. */
export type PostOption = {
  /** The key in a variant's `options`. */
  name: string;
  label: string;
  help?: string;
  /** When a value is required. Without it, never. */
  requiredIf?: { hashtag: string };
  /** `person`: AI clients can neither set nor change it. Such an option has no default. */
  chosenBy: "anyone" | "person";
} & (
  | { kind: "choice"; values: readonly Choice[]; default?: string }
  | { kind: "choices"; values: readonly Choice[] }
  | { kind: "toggle" }
  | TextOption
  /** Several texts. */
  | (Omit<TextOption, "kind"> & { kind: "list"; max: number })
);

interface Choice {
  value: string;
  label: string;
}

export interface TextOption {
  kind: "text";
  maxLength: number;
  /** A regular expression that the whole text matches. */
  pattern?: string;
}

export type OptionValue = boolean | string | string[];
/** The values of one account, by the name of the option. What is absent is not chosen, so its default applies. */
export type PostOptions = Record<string, OptionValue>;

export const isRequired = ({ requiredIf }: PostOption, text: string): boolean =>
  requiredIf !== undefined && listHashtags(text).includes(requiredIf.hashtag);
