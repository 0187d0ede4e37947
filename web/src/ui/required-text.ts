import type { InputEvent } from "react";

/** Props for a required input that also rejects blank text, so that the browser reports it before the server does. */
export const requiredTextProps = {
  required: true,
  onInput: ({ currentTarget }: InputEvent<HTMLInputElement>) =>
    currentTarget.setCustomValidity(/^\s+$/.test(currentTarget.value) ? "Enter some text." : ""),
};
