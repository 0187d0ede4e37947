import type { InputEvent } from "react";

/** For an input that has to say something: the browser refuses blanks alone, before the server would in its own words. */
export const requiredTextProps = {
  required: true,
  onInput: ({ currentTarget }: InputEvent<HTMLInputElement>) =>
    currentTarget.setCustomValidity(/^\s+$/.test(currentTarget.value) ? "Type something other than blanks." : ""),
};
