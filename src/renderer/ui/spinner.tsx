/** A progress indicator in the color of the text, hidden from screen readers. */
export function Spinner({ size = 12 }: { readonly size?: number }) {
  return (
    <span
      aria-hidden="true"
      style={{ width: size, height: size }}
      className="inline-block shrink-0 animate-spin rounded-full border-[1.5px] border-current border-t-transparent"
    />
  )
}
