import { useNavigate } from "@tanstack/react-router";
import { Share2 } from "lucide-react";
import { type PostSearch, postReviews } from "../search-params.ts";
import { FilterRadioMenu } from "../ui/FilterMenu.tsx";
import { MenuRadioItem } from "../ui/Menu.tsx";
import { reviewStates } from "./review-states.ts";

/** Filters lists of posts by what guests of review links decided. */
export function ReviewFilter({ search: { review } }: { search: PostSearch }) {
  const navigate = useNavigate({ from: "/studios/$studioId/posts" });
  return (
    <FilterRadioMenu
      name="Review"
      icon={Share2}
      value={review}
      valueLabel={review && reviewStates[review].label}
      anyLabel="All posts"
      onChange={(value) =>
        void navigate({
          search: ({ review: _, ...others }) => ({ ...others, ...(value && { review: value }) }),
          replace: true,
        })
      }
    >
      {postReviews.map((value) => (
        <MenuRadioItem key={value} value={value}>
          {reviewStates[value].label}
        </MenuRadioItem>
      ))}
    </FilterRadioMenu>
  );
}
