import { CalendarDays, Columns3, Rows3, type LucideIcon } from "lucide-react";
import type { PostViewName } from "../search-params.ts";

export const viewLabels: Record<PostViewName, { label: string; icon: LucideIcon }> = {
  list: { label: "List", icon: Rows3 },
  board: { label: "Board", icon: Columns3 },
  calendar: { label: "Calendar", icon: CalendarDays },
};
