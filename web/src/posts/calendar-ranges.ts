export const calendarRanges = ["month", "week", "agenda"] as const;
export type CalendarRange = (typeof calendarRanges)[number];
