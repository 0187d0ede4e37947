/** One mailbox, in characters that need no quoting: nothing that follows it in a header can be part of it. */
export const isMailbox = (email: string): boolean =>
  email.length <= 254 && /^[^\s"(),:;<>@[\\\]\p{C}]+@[^\s"(),:;<>@[\\\]\p{C}]+$/u.test(email);
