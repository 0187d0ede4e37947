import { Link } from "@tanstack/react-router";

export function Brand() {
  return (
    <Link className="brand" to="/">
      <img src="/icon.svg" alt="" width="22" height="22" />
      Atelier
    </Link>
  );
}
