import { Sample, SampleGroup } from "./Sample.tsx";

const surfaces = ["bg-sunken", "bg-paper", "bg-raised"];
const textColors = [
  "text-ink",
  "text-muted",
  "text-accent",
  "text-danger",
  "text-warning",
  "text-success",
  "text-info",
];
const quietColors = [
  "bg-hover text-ink",
  "bg-wash text-accent",
  "bg-danger-wash text-danger",
  "bg-warning-wash text-warning",
  "bg-success-wash text-success",
  "bg-info-wash text-info",
];
const filledColors = ["bg-accent text-accent-ink", "bg-danger text-paper", "bg-ink text-paper"];
const sizes = ["text-xs", "text-sm", "text-base", "text-lg", "text-xl", "text-2xl", "text-3xl"];
const corners = ["rounded-sm", "rounded-md", "rounded-lg", "rounded-full"];

export function TokenSamples() {
  return (
    <SampleGroup title="Tokens">
      <Sample name="surfaces">
        {surfaces.map((name) => (
          <Swatch key={name} className={`border border-rule ${name}`} name={name} />
        ))}
        <Swatch className="border border-control bg-raised" name="border-control" />
      </Sample>
      <Sample name="text">
        {textColors.map((name) => (
          <span key={name} className={`font-medium ${name}`}>
            {name}
          </span>
        ))}
      </Sample>
      <Sample name="quiet backgrounds">
        {quietColors.map((names) => (
          <Swatch key={names} className={names} name={names.split(" ")[0] ?? ""} />
        ))}
      </Sample>
      <Sample name="filled">
        {filledColors.map((names) => (
          <Swatch key={names} className={names} name={names.split(" ")[0] ?? ""} />
        ))}
      </Sample>
      <Sample name="type scale">
        {sizes.map((name) => (
          <span key={name} className={name}>
            {name}
          </span>
        ))}
        <code>font-mono</code>
      </Sample>
      <Sample name="radius, shadow">
        {corners.map((name) => (
          <Swatch key={name} className={`border border-control bg-raised ${name}`} name={name} />
        ))}
        <Swatch className="rounded-md bg-raised shadow-raised" name="shadow-raised" />
        <Swatch className="rounded-lg bg-raised shadow-overlay" name="shadow-overlay" />
      </Sample>
    </SampleGroup>
  );
}

const Swatch = ({ name, className }: { name: string; className: string }) => (
  <span className={`grid h-14 min-w-32 place-items-center px-3 text-xs font-medium ${className}`}>{name}</span>
);
