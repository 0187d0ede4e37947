import { Link } from "@tanstack/react-router";
import type { Action } from "../api/queries.ts";
import { useStudio } from "./use-studio.ts";

/** The pages of a studio, and the right without which each would be empty. */
const places = [
  { page: "posts", label: "Posts", needs: "posts.read" },
  { page: "assets", label: "Assets", needs: "assets.read" },
  { page: "platforms", label: "Platforms", needs: "platforms.read" },
  { page: "clients", label: "AI clients", needs: "clients.list" },
  { page: "connect", label: "Connect", needs: "studio.read" },
  { page: "members", label: "Members", needs: "members.list" },
  { page: "activity", label: "Activity", needs: "activity.list" },
  { page: "settings", label: "Settings", needs: "studio.update" },
] as const satisfies readonly { page: string; label: string; needs: Action }[];

export function Places() {
  const { studio, may } = useStudio();
  return (
    <nav aria-label="Studio">
      <ul className="places">
        {places
          .filter(({ needs }) => may(needs))
          .map(({ page, label }) => (
            <li key={page}>
              <Link to={`/studios/$studioId/${page}`} params={{ studioId: studio.id }}>
                {label}
              </Link>
            </li>
          ))}
      </ul>
    </nav>
  );
}
