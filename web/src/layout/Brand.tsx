import { Link } from "@tanstack/react-router";

export function Brand() {
  return (
    <Link
      className="inline-flex min-h-9 items-center gap-2.5 pointer-coarse:min-h-11 text-[1.125rem]/[1.4] font-semibold text-ink no-underline"
      to="/"
    >
      <img src="/icon.svg" alt="" width="22" height="22" />
      Atelier
    </Link>
  );
}
