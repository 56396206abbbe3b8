/** Why something was refused, in the words of whoever refused it. */
export function RefusalBox({ words }: { readonly words: string | null }) {
  return (
    <div aria-live="polite" className="empty:hidden">
      {words !== null && (
        <p
          data-selectable=""
          className="max-h-48 overflow-y-auto whitespace-pre-wrap rounded-md border border-bad/50 bg-bad/8 px-3 py-2 text-fg-0 text-sm wrap-anywhere"
        >
          {words}
        </p>
      )}
    </div>
  )
}
