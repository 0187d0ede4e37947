/** An email that breaks before the "@" rather than inside of a word. */
export function Email({ email }: { email: string }) {
  const index = Math.max(email.lastIndexOf("@"), 0);
  return (
    <span className="[overflow-wrap:anywhere]">
      {email.slice(0, index)}
      <wbr />
      {email.slice(index)}
    </span>
  );
}
