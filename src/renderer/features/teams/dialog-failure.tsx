/** Why the action of a dialog failed. Announced when it appears. */
export function DialogFailure({ message }: { readonly message: string | null }) {
  return (
    <p role="alert" data-selectable="" className="whitespace-pre-wrap text-bad text-sm empty:hidden">
      {message}
    </p>
  )
}
