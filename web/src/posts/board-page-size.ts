/** Posts per column of the board before the user asks for more. */
export const boardPageSize = 20;
