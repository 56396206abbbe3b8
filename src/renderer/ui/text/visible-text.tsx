/** Text with invisible characters spelled out. */
import { HIDDEN_NAME, makeVisible } from '../../../shared/kernel/visible-text.ts'

/** Renders text with a small label in place of each invisible character. */
export function VisibleText({ children }: { readonly children: string }) {
  // With a capturing group, `split` alternates text and names.
  const parts = makeVisible(children).split(HIDDEN_NAME)
  if (parts.length === 1) return parts[0]
  return parts.map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <span
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
        key={index}
        title={`Invisible character: ${part}`}
        className="mx-px inline-block whitespace-nowrap rounded-xs border border-bad px-[3px] align-[1px] font-medium font-mono text-[0.85em] text-fg-0 leading-[1.3]"
      >
        {part}
      </span>
    ),
  )
}
