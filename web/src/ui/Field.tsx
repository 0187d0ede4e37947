import { useId, type ComponentProps, type ReactNode } from "react";

interface FieldProps {
  label: ReactNode;
  hint?: ReactNode;
}

interface ControlProps {
  id: string;
  "aria-describedby": string | undefined;
}

/** A label, its control and a hint, connected for screen readers. */
export function Field({ label, hint, children }: FieldProps & { children: (props: ControlProps) => ReactNode }) {
  const id = useId();
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  return (
    <div className="not-first:mt-4">
      <label htmlFor={id} className="mb-1.5 [overflow-wrap:anywhere]">
        {label}
      </label>
      {children({ id, "aria-describedby": hintId })}
      {hint !== undefined && (
        <p id={hintId} className="mt-1 text-sm text-muted">
          {hint}
        </p>
      )}
    </div>
  );
}

export function TextField({ label, hint, ...input }: FieldProps & ComponentProps<"input">) {
  return (
    <Field label={label} hint={hint}>
      {(control) => <input {...input} {...control} />}
    </Field>
  );
}

export function TextAreaField({ label, hint, ...textarea }: FieldProps & ComponentProps<"textarea">) {
  return (
    <Field label={label} hint={hint}>
      {(control) => <textarea {...textarea} {...control} />}
    </Field>
  );
}

export function SelectField({
  label,
  hint,
  options,
  ...select
}: FieldProps & ComponentProps<"select"> & { options: readonly (readonly [value: string, label: string])[] }) {
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <select {...select} {...control}>
          {options.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** A checkbox or radio button with its label, and a description below it. */
export function ChoiceField({
  label,
  description,
  className = "",
  ...input
}: ComponentProps<"input"> & { type: "checkbox" | "radio"; label: string; description?: string }) {
  const id = useId();
  return (
    <label
      htmlFor={id}
      className={`flex cursor-pointer gap-2.5 font-normal has-disabled:cursor-default has-disabled:text-muted pointer-coarse:min-h-11 ${description === undefined ? "pointer-coarse:items-center pointer-coarse:[&>input]:mt-0" : ""} ${className}`}
    >
      <input {...input} id={id} />
      <span>
        {label}
        {description !== undefined && <span className="block text-sm text-muted">{description}</span>}
      </span>
    </label>
  );
}
