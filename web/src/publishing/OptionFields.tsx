import { useState } from "react";
import { isRequired, type OptionValue, type PostOption, type PostOptions } from "#portable/post-options.ts";
import { ChoiceField, SelectField, TextField } from "../ui/Field.tsx";

/** A form for the options of a platform, as its schema describes them. */
export function OptionFields({
  schema,
  options,
  text,
  onChange,
}: {
  schema: readonly PostOption[];
  options: PostOptions;
  /** What the account receives: some options depend on it. */
  text: string;
  onChange: (options: PostOptions) => void;
}) {
  return schema.map((option) => (
    <OptionField
      key={option.name}
      option={option}
      value={options[option.name]}
      isRequired={isRequired(option, text, options)}
      onChange={(value) => {
        const { [option.name]: _, ...others } = options;
        onChange(value === undefined ? others : { ...others, [option.name]: value });
      }}
    />
  ));
}

interface OptionFieldProps<Option extends PostOption> {
  option: Option;
  value: OptionValue | undefined;
  isRequired: boolean;
  /** Without a value, the platform's default applies. */
  onChange: (value: OptionValue | undefined) => void;
}

function OptionField({ option, value, isRequired: isMissingForbidden, onChange }: OptionFieldProps<PostOption>) {
  const { label, help } = option;
  const field = { label, hint: help };
  switch (option.kind) {
    case "toggle":
      return (
        <div className="not-first:mt-4">
          <ChoiceField
            type="checkbox"
            label={label}
            {...(help !== undefined && { description: help })}
            checked={value === true}
            onChange={({ target }) => onChange(target.checked || undefined)}
          />
        </div>
      );
    case "choice": {
      const choices = option.values.map((choice) => [choice.value, choice.label] as const);
      const noChoice = option.default === undefined ? [["", isMissingForbidden ? "Choose…" : "Not set"] as const] : [];
      return (
        <SelectField
          {...field}
          options={[...noChoice, ...choices]}
          required={isMissingForbidden}
          value={typeof value === "string" ? value : (option.default ?? "")}
          onChange={({ target }) => onChange(target.value === (option.default ?? "") ? undefined : target.value)}
        />
      );
    }
    case "choices":
      return <ChoicesField option={option} value={value} isRequired={isMissingForbidden} onChange={onChange} />;
    case "text":
    case "list":
      return <TextsField option={option} value={value} isRequired={isMissingForbidden} onChange={onChange} />;
  }
}

function ChoicesField({ option, value, onChange }: OptionFieldProps<Extract<PostOption, { kind: "choices" }>>) {
  const chosen = Array.isArray(value) ? value : [];
  return (
    <fieldset className="not-first:mt-4">
      <legend className="mb-1.5">{option.label}</legend>
      {option.values.map((choice) => (
        <ChoiceField
          key={choice.value}
          type="checkbox"
          label={choice.label}
          checked={chosen.includes(choice.value)}
          onChange={({ target }) => {
            const others = chosen.filter((each) => each !== choice.value);
            const newValue = target.checked ? [...others, choice.value] : others;
            onChange(newValue.length === 0 ? undefined : newValue);
          }}
        />
      ))}
    </fieldset>
  );
}

/** A text, or several that are separated by commas. */
function TextsField({
  option,
  value,
  isRequired: isMissingForbidden,
  onChange,
}: OptionFieldProps<Extract<PostOption, { kind: "text" | "list" }>>) {
  const { label, help, kind, maxLength, pattern } = option;
  const max = kind === "list" ? option.max : 1;
  const [text, setText] = useState(Array.isArray(value) ? value.join(", ") : String(value ?? ""));
  return (
    <TextField
      label={label}
      hint={help}
      required={isMissingForbidden}
      value={text}
      maxLength={(maxLength + 2) * max}
      pattern={pattern === undefined ? undefined : `${pattern}(?: *, *${pattern}){0,${max - 1}}`}
      onChange={({ target }) => {
        setText(target.value);
        const texts = [...new Set(target.value.split(kind === "list" ? "," : "\0").map((each) => each.trim()))];
        const [first, ...others] = texts.filter((each) => each !== "");
        if (first === undefined) onChange(undefined);
        else onChange(kind === "list" ? [first, ...others] : first);
      }}
    />
  );
}
